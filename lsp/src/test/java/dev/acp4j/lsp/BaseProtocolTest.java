package dev.acp4j.lsp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.testkit.TransportContract;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class BaseProtocolTest extends TransportContract {
    @Override
    protected Ends open() throws Exception {
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            SocketChannel left = SocketChannel.open(server.getLocalAddress());
            return new Ends(over(left), over(server.accept()));
        }
    }

    private BaseProtocol over(SocketChannel channel) {
        OutputStream out = new OutputStream() {
            private final OutputStream stream = Channels.newOutputStream(channel);

            @Override
            public void write(int b) throws IOException {
                stream.write(b);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                stream.write(bytes, from, length);
            }

            @Override
            public void close() throws IOException {
                if (channel.isOpen()) {
                    channel.shutdownOutput();
                }
            }
        };
        return new BaseProtocol(Channels.newInputStream(channel), out, largestMessage());
    }

    private static String framed(String body) {
        return "Content-Length: " + body.getBytes(UTF_8).length + "\r\n\r\n" + body;
    }

    private static BaseProtocol reading(String text, int most) {
        return new BaseProtocol(new ByteArrayInputStream(text.getBytes(UTF_8)), new ByteArrayOutputStream(), most);
    }

    @Test
    void whatIsNoHeaderIsSkippedAndTheNextMessageIsRead() throws Exception {
        BaseProtocol transport = reading(
                "Starting the server: please wait\n\n" + "x".repeat(100_000) + "\ncontent-type: text\r\n" + framed("1")
                        + "content-LENGTH: many\r\n\r\n" + framed("2"),
                100);

        assertThat(read(transport)).isEqualTo("1");
        assertThat(read(transport)).isEqualTo("2");
        assertThat(transport.reader().read()).isNull();
    }

    @Test
    void aMessageThatIsTooLargeIsNotKeptAndTheNextOneIsRead() throws Exception {
        BaseProtocol transport = reading(framed("\"" + "x".repeat(5_000) + "\"") + framed("2"), 4_000);

        Message large = Objects.requireNonNull(transport.reader().read());
        assertThat(large.limit()).isEqualTo(4_000);
        assertThat(read(transport)).isEqualTo("2");
    }

    @Test
    void aCancellationHasTheNameAndTheMemberThatServersKnow() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BaseProtocol transport = new BaseProtocol(
                new ByteArrayInputStream(
                        framed("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":7}}")
                                .getBytes(UTF_8)),
                out,
                1_000);

        transport.writer().write(Message.notification("$/cancel_request", RawJson.parse("{\"requestId\":\"a\"}")));
        transport.writer().flush();

        assertThat(out.toString(UTF_8)).contains("\"$/cancelRequest\"").contains("{\"id\":\"a\"}");
        assertThat(read(transport)).contains("\"$/cancel_request\"").contains("{\"requestId\":7}");
    }
}
