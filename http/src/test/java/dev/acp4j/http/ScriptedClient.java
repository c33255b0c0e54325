package dev.acp4j.http;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import java.io.IOException;

/** A client over events, message by message, and the server of another maker that it talks to. */
final class ScriptedClient implements AutoCloseable {
    final ScriptedServer server = new ScriptedServer();
    private final Transport transport;

    ScriptedClient() throws IOException {
        this(Time.SYSTEM);
    }

    ScriptedClient(Time time) throws IOException {
        transport = Http.to(server.uri())
                .time(time, System::currentTimeMillis, () -> 0)
                .open();
    }

    void write(String message) throws IOException {
        transport.writer().write(Message.parse(message));
    }

    String read() throws IOException, InterruptedException {
        Message message = transport.reader().read();
        return message == null ? "end" : message.raw().toString();
    }

    String initialize() throws IOException, InterruptedException {
        write(RawClient.INITIALIZE);
        return read();
    }

    /** Has a session opened, and waits until the client listens to it. */
    void openSession(String session) throws IOException, InterruptedException {
        write(EndpointFixture.call(90, "session/new", ""));
        server.await("POST session/new");
        server.say("", answer(90, "{\"sessionId\":\"" + session + "\"}"));
        String unused = read();
        server.await("GET " + session);
    }

    static String answer(int id, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}";
    }

    @Override
    public void close() {
        transport.close();
        server.close();
    }
}
