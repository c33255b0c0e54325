package dev.acp4j.proxy;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One end of a chain, played by hand; remembers the wire for failure messages. */
final class Peer implements AutoCloseable {
    private static final int MOST_REMEMBERED = 4000;

    private final String name;
    private final Transport transport;
    private final List<String> wire;

    Peer(String name, Transport transport, List<String> wire) {
        this.name = name;
        this.transport = transport;
        this.wire = wire;
    }

    static List<String> newWire() {
        return Collections.synchronizedList(new ArrayList<>());
    }

    /** Remembers a message; of very many the oldest are forgotten. */
    private void note(String line) {
        wire.add(line);
        if (wire.size() > MOST_REMEMBERED) {
            wire.remove(0);
        }
    }

    void send(String line) throws IOException {
        note(name + " --> " + line);
        transport.writer().write(Message.parse(line));
        transport.writer().flush();
    }

    /** Returns the next message, or null at the end. */
    @Nullable
    Message receiveOrEnd() throws IOException, InterruptedException {
        Message message = transport.reader().read();
        note(name + " <-- " + (message == null ? "(end)" : message.raw()));
        return message;
    }

    Message receive() throws IOException, InterruptedException {
        Message message = receiveOrEnd();
        if (message == null) {
            throw new AssertionError("the wire ends:\n" + String.join("\n", wire));
        }
        return message;
    }

    /** Receives the next message of another method. */
    Message receiveBut(String... methods) throws IOException, InterruptedException {
        Message message = receive();
        while (List.of(methods).contains(message.method())) {
            message = receive();
        }
        return message;
    }

    boolean isAtEnd() throws IOException, InterruptedException {
        return receiveOrEnd() == null;
    }

    void request(String id, String method, String params) throws IOException {
        send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    void notify(String method, String params) throws IOException {
        send("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    void answer(Message request, String result) throws IOException {
        send("{\"jsonrpc\":\"2.0\",\"id\":" + request.id() + ",\"result\":" + result + "}");
    }

    void fail(Message request, String error) throws IOException {
        send("{\"jsonrpc\":\"2.0\",\"id\":" + request.id() + ",\"error\":" + error + "}");
    }

    @Override
    public void close() {
        transport.close();
    }
}
