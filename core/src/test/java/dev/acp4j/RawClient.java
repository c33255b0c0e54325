package dev.acp4j;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A client that is played by hand: it sends what the test says, and reads what comes. Used by one thread. */
final class RawClient implements AutoCloseable {
    private final Transport transport;
    private int requests;

    RawClient(Transport transport) {
        this.transport = transport;
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
