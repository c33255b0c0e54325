package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many threads that send over one socket at the same time, and what its other end reads, byte for byte. */
@Timeout(60)
class ManySendersTest {
    private static final int SENDERS = 32;
    private static final int MESSAGES = 500;
    private static final Pattern SENDER = Pattern.compile("\"sender\":(\\d+),");

    @RegisterExtension
    final Wired wired = new Wired();

    @Test
    @Tag("FRM-22")
    void messagesOfManyThreadsNeverMixAndTheOrderOfEachThreadIsKept() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Connection connection =
                    wired.start(StreamTransport.of(SocketChannel.open(server.getLocalAddress())), Limits.STANDARD);
            List<FutureTask<@Nullable Void>> senders = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                senders.add(sending(connection, i));
            }

            try (SocketChannel other = server.accept();
                    BufferedReader lines = new BufferedReader(Channels.newReader(other, StandardCharsets.UTF_8))) {
                readAll(lines);
            }

            for (FutureTask<@Nullable Void> sender : senders) {
                sender.get();
            }
        }
    }

    private static FutureTask<@Nullable Void> sending(Connection connection, int sender) {
        FutureTask<@Nullable Void> task = new FutureTask<>(() -> {
            for (int i = 0; i < MESSAGES; i++) {
                connection.send("_said", RawJson.parse(params(sender, i)));
            }
            return null;
        });
        Thread.Builder threads = sender % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
        threads.start(task);
        return task;
    }

    private static String params(int sender, int number) {
        return "{\"sender\":%d,\"number\":%d,\"text\":\"%s\"}".formatted(sender, number, "ü€🙂".repeat(number % 90));
    }

    private static void readAll(BufferedReader lines) throws IOException {
        int[] next = new int[SENDERS];
        for (int i = 0; i < SENDERS * MESSAGES; i++) {
            String line = lines.readLine();
            Matcher sender = SENDER.matcher(line);
            assertThat(sender.find()).as(line).isTrue();
            int index = Integer.parseInt(sender.group(1));
            assertThat(line)
                    .isEqualTo(
                            "{\"jsonrpc\":\"2.0\",\"method\":\"_said\",\"params\":" + params(index, next[index]) + "}");
            next[index]++;
        }
        assertThat(next).containsOnly(MESSAGES);
    }
}
