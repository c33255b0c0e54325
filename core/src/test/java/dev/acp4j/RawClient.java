package dev.acp4j;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client that is played by hand: it sends what the test says, and reads what comes. Used by one thread. */
final class RawClient implements AutoCloseable {
    /** Initializes a connection in version 2. */
    static final String INITIALIZE =
            "{\"protocolVersion\":2,\"info\":{\"name\":\"hand\",\"version\":\"1\"},\"capabilities\":{}}";

    private final Transport transport;
    private final List<String> seen = new ArrayList<>();
    private int requests;

    RawClient(Transport transport) {
        this.transport = transport;
    }

    /** Reads and returns the messages up to the first that contains this. */
    List<String> until(String last) throws IOException, InterruptedException {
        List<String> messages = new ArrayList<>();
        while (true) {
            Message message = read();
            String text = Objects.requireNonNull(message, () -> "the end came after " + seen)
                    .toString();
            seen.add(text);
            messages.add(text);
            if (text.contains(last)) {
                return messages;
            }
        }
    }

    void send(String method, String params) throws IOException {
        line("{\"jsonrpc\":\"2.0\",\"id\":" + requests++ + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    void line(String text) throws IOException {
        transport.writer().write(Message.parse(text));
        transport.writer().flush();
    }

    /** Reads until the answer to the request with this number; they count from 0. */
    String answerOf(int request) throws IOException, InterruptedException {
        for (Message frame = read(); frame != null; frame = read()) {
            if (frame.toString().contains("\"id\":" + request + ",")) {
                return frame.toString();
            }
        }
        throw new AssertionError("the end came before the answer to " + request);
    }

    @Nullable
    Message read() throws IOException, InterruptedException {
        return transport.reader().read();
    }

    @Override
    public void close() {
        transport.close();
    }
}
