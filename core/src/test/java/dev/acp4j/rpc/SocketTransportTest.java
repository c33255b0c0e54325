package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SocketTransportTest {
    private record Sockets(SocketChannel left, SocketChannel right) {}

    private static Sockets connect(ServerSocketChannel server) throws IOException {
        try (server) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel left = SocketChannel.open(server.getLocalAddress());
            return new Sockets(left, server.accept());
        }
    }

    @Test
    @Tag("FRM-29")
    void aResetConnectionIsAFailureAndNotTheEnd() throws Exception {
        Sockets sockets = connect(ServerSocketChannel.open());
        try (sockets.left) {
            Transport left = StreamTransport.of(sockets.left);
            sockets.right.setOption(StandardSocketOptions.SO_LINGER, 0);

            sockets.right.close();

            assertThatThrownBy(() -> left.reader().read()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void unixDomainSocketsAreTransportsToo(@TempDir Path directory) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            Transport left = StreamTransport.of(SocketChannel.open(address));
            Transport right = StreamTransport.of(server.accept());

            send(left, "1");

            assertThat(text(right.reader().read())).isEqualTo("1");
            left.close();
            assertThat(right.reader().read()).isNull();
            right.close();
        }
    }

    @Test
    @Tag("FRM-16")
    void anOversizedMessageFromTheOtherSideIsSkipped() throws Exception {
        Sockets sockets = connect(ServerSocketChannel.open());
        Transport left = StreamTransport.of(sockets.left, 10);
        FutureTask<@Nullable Void> writing = run(() -> {
            sockets.right.write(
                    ByteBuffer.wrap(("\"" + "x".repeat(1_000_000) + "\"\n2\n").getBytes(StandardCharsets.US_ASCII)));
            return null;
        });

        assertThat(Objects.requireNonNull(left.reader().read()).kind()).isEqualTo(Message.Kind.OVERSIZED);
        assertThat(text(left.reader().read())).isEqualTo("2");

        writing.get(30, TimeUnit.SECONDS);
        left.close();
        sockets.right.close();
    }

    private static void send(Transport to, String message) throws IOException {
        to.writer().write(Message.parse(message));
        to.writer().flush();
    }

    private static String text(@Nullable Message message) {
        return message == null ? "(end of stream)" : message.toString();
    }

    private static <T extends @Nullable Object> FutureTask<T> run(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread.ofPlatform().daemon().name("transport-test").start(future);
        return future;
    }
}
