package dev.acp4j.rpc;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The other end of a connection under test: writes and reads the wire as text, and remembers it for failure messages.
 */
final class RawPeer implements AutoCloseable {
    private final Transport transport;
    private final List<String> wire = new ArrayList<>();

    RawPeer(Transport transport) {
        this.transport = transport;
    }

    void send(String line) throws IOException {
        wire.add("--> " + line);
        transport.writer().write(Message.parse(line));
        transport.writer().flush();
    }

    String receive() throws IOException, InterruptedException {
        Message message = transport.reader().read();
        String text = message == null ? "(end)" : message.raw().toString();
        wire.add("<-- " + text);
        return text;
    }

    /** Ends what this side writes; it can still receive. */
    void end() throws IOException {
        transport.writer().close();
    }

    String wire() {
        return String.join("\n", wire);
    }

    @Override
    public void close() {
        transport.close();
    }
}
