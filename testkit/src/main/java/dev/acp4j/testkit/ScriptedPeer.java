package dev.acp4j.testkit;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection, scripted by the test: sends any line, including invalid messages, and checks the received
 * messages. The message of a failed check contains the received message and the wire. For use by one thread.
 */
public final class ScriptedPeer implements AutoCloseable {
    private final Transport transport;
    private final Wire wire = new Wire();

    /** Creates a peer for this end. */
    public ScriptedPeer(Transport end) {
        this.transport = wire.watch(end);
    }

    /** Returns what this peer sent ({@code -->}) and received ({@code <--}). */
    public Wire wire() {
        return wire;
    }

    /** Sends a line unchanged, whether it is a message or not. */
    public void send(String line) throws IOException {
        transport.writer().write(Message.parse(line));
        transport.writer().flush();
    }

    /** Sends a request. */
    public void request(long id, String method, String params) throws IOException {
        send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    /** Sends a notification. */
    public void notification(String method, String params) throws IOException {
        send("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    /** Answers a received request. */
    public void answer(JsonObject request, String result) throws IOException {
        JsonValue id = request.get("id").orElseThrow(() -> failure("a request to answer", request.toString()));
        send("{\"jsonrpc\":\"2.0\",\"id\":" + RawJson.of(id) + ",\"result\":" + result + "}");
    }

    /** Receives the next message. */
    public JsonObject receive() throws IOException, InterruptedException {
        Message message = transport.reader().read();
        if (message == null) {
            throw failure("a message", "the end of the stream");
        }
        if (message.raw().value() instanceof JsonObject object) {
            return object;
        }
        throw failure("an object", message.toString());
    }

    /** Receives the next message, which must be a request or notification of this method. */
    public JsonObject expect(String method) throws IOException, InterruptedException {
        JsonObject message = receive();
        if (!method.equals(text(message, "method"))) {
            throw failure("the method " + method, RawJson.of(message).toString());
        }
        return message;
    }

    /** Receives the next message, which must be the result of the request with this id. */
    public JsonValue expectResult(long id) throws IOException, InterruptedException {
        return member(id, "result");
    }

    /** Receives the next message, which must be the error of the request with this id. */
    public JsonObject expectError(long id) throws IOException, InterruptedException {
        if (member(id, "error") instanceof JsonObject error) {
            return error;
        }
        throw failure("an error object", "something else");
    }

    /** Receives the end of the stream. */
    public void expectEnd() throws IOException, InterruptedException {
        Message message = transport.reader().read();
        if (message != null) {
            throw failure("the end of the stream", message.toString());
        }
    }

    private JsonValue member(long id, String name) throws IOException, InterruptedException {
        JsonObject message = receive();
        boolean same = message.get("id")
                .map(value -> RawJson.of(value).toString())
                .filter(String.valueOf(id)::equals)
                .isPresent();
        if (!same || message.get(name).isEmpty()) {
            throw failure(
                    "the " + name + " of request " + id, RawJson.of(message).toString());
        }
        return message.get(name).orElseThrow();
    }

    private static @Nullable String text(JsonObject message, String member) {
        return message.get(member)
                .map(value -> RawJson.of(value).value())
                .map(value -> value instanceof dev.acp4j.json.JsonString string ? string.value() : null)
                .orElse(null);
    }

    private AssertionError failure(String expected, String came) {
        return new AssertionError("expected " + expected + ", got " + came + "\nthe wire:\n" + wire);
    }

    /** Closes this end; the other one gets the end of the stream. */
    @Override
    public void close() {
        transport.close();
    }
}
