package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;

/** An agent that is played by hand, with one session, {@code s}. Used by one thread. */
final class RawAgent implements AutoCloseable {
    private final Transport transport;
    private final ConnectedAgent connected;

    RawAgent(Client.Builder client) throws Exception {
        this(client, "{\"protocolVersion\":1}");
    }

    /** Plays an agent of version 2. */
    static RawAgent version2(Client.Builder client) throws Exception {
        return new RawAgent(
                client.protocol(Version.V2),
                "{\"protocolVersion\":2,\"capabilities\":{\"session\":{}},\"info\":{\"name\":\"hand\",\"version\":\"1\"}}");
    }

    /** Plays an agent of a version. Fails as connecting does. */
    static RawAgent of(Version version, Client.Builder client) throws InterruptedException {
        try {
            return version == Version.V1 ? new RawAgent(client) : version2(client);
        } catch (InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Plays an agent that describes itself like this. */
    RawAgent(Client.Builder client, String initialized) throws Exception {
        this(client, initialized, end -> end);
    }

    /** The same, with something else in the place of the client's end of the transport. */
    RawAgent(Client.Builder client, String initialized, UnaryOperator<Transport> end) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        transport = pair.left();
        FutureTask<ConnectedAgent> connecting = started(() -> client.connect(end.apply(pair.right())));
        answer("initialize", initialized);
        connected = connecting.get();
    }

    static <T> FutureTask<T> started(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofVirtual().start(task);
        return task;
    }

    /** Opens the session, for which the agent answers with this. */
    Session open(String answer) throws Exception {
        FutureTask<Session> opening = started(() -> connected.newSession(Path.of("")));
        answer("session/new", answer);
        return opening.get();
    }

    Session open() throws Exception {
        return open("{\"sessionId\":\"s\"}");
    }

    ConnectedAgent connected() {
        return connected;
    }

    /** Sends an update of the session. */
    void update(String kind, String members) throws IOException {
        updateOf("s", kind, members);
    }

    /** Sends an update of another session. */
    void updateOf(String session, String kind, String members) throws IOException {
        send(Message.notification(
                "session/update",
                RawJson.parse("{\"sessionId\":\"" + session + "\",\"update\":{\"sessionUpdate\":\"" + kind + "\","
                        + members + "}}")));
    }

    /** Says a piece of text. */
    void says(String text) throws IOException {
        update("agent_message_chunk", "\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}");
    }

    /** Sends a notification. */
    void notification(String method, String params) throws IOException {
        send(Message.notification(method, RawJson.parse(params)));
    }

    /** Sends a request. */
    void request(int id, String method, String params) throws IOException {
        send(Message.request(RequestId.of(id), method, RawJson.parse(params)));
    }

    private void send(Message message) throws IOException {
        transport.writer().write(message);
        transport.writer().flush();
    }

    /** Reads a message, which is of this method. */
    Message expect(String method) throws Exception {
        Message message = read();
        assertThat(message.method()).isEqualTo(method);
        return message;
    }

    Message read() throws Exception {
        return Objects.requireNonNull(transport.reader().read(), "the client has ended the connection");
    }

    /** Reads a request of this method and answers it. */
    void answer(String method, String result) throws Exception {
        Message unused = answering(method, result);
    }

    /** Reads a request of this method, answers it and returns it. */
    Message answering(String method, String result) throws Exception {
        Message request = expect(method);
        answer(request, result);
        return request;
    }

    void answer(Message request, String result) throws IOException {
        send(Message.result(Objects.requireNonNull(request.id()), RawJson.parse(result)));
    }

    void refuse(Message request, int code, String message) throws IOException {
        send(Message.error(Objects.requireNonNull(request.id()), new RpcError(code, message, null)));
    }

    /** Returns when the client has read everything so far. */
    void settle() throws Exception {
        request(-1, "_settle", "{}");
        while (!RequestId.of(-1).equals(read().id())) {
            // What the client says meanwhile is not looked at.
        }
    }

    /** The same, when the client has nothing to say. */
    void settleSilently() throws Exception {
        request(-1, "_settle", "{}");
        assertThat(read().id()).isEqualTo(RequestId.of(-1));
    }

    /** Ends the agent's side of the connection. */
    void hangUp() {
        transport.close();
    }

    @Override
    public void close() {
        transport.close();
        connected.close();
    }
}
