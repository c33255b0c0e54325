package dev.acp4j.testkit;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Version;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The streams of a bad peer: writes arbitrary bytes, reads messages. Ids are JSON in its wire form. */
final class BadPeer {
    static final String SESSION = "bad-1";

    private static final String INITIALIZED_2 =
            "{\"protocolVersion\":2,\"info\":{\"name\":\"bad\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}}";

    private static final Pattern CHUNK = Pattern.compile("\"sessionUpdate\":\"(agent_(?:message|thought))_chunk\",");

    private final BufferedReader in;
    private final OutputStream out;

    /**
     * Whether the client asks for version 2 of the protocol; an agent knows that when it was asked. Scripts of agents
     * are written in version 1.
     */
    private boolean isVersion2;

    private int turns;

    /** @param version the version that a client asks for */
    BadPeer(InputStream in, OutputStream out, Version version) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.out = out;
        this.isVersion2 = version == Version.V2;
    }

    /** Returns a peer that reads the same and writes elsewhere. */
    private BadPeer(BufferedReader in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    /** Returns this peer, which dies after writing this number of bytes. */
    BadPeer dyingAfter(long bytes) {
        return new BadPeer(in, new DyingStream(out, bytes));
    }

    /** Returns whether the client has asked, or asks, for version 2. */
    boolean isVersion2() {
        return isVersion2;
    }

    void bytes(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** Writes text without adding a line end. */
    void text(String text) throws IOException {
        bytes(said(text).getBytes(StandardCharsets.UTF_8));
    }

    /** Returns what a script of an agent says, in the version that the client has asked for. */
    String said(String text) {
        if (!isVersion2) {
            return text;
        }
        String said = text.replace(BadAgents.INITIALIZED, INITIALIZED_2)
                .replace("\"sessionUpdate\":\"tool_call\",", "\"sessionUpdate\":\"tool_call_update\",")
                .replace(
                        "\"toolCall\":{\"toolCallId\":\"t\"}",
                        "\"title\":\"Look?\",\"subject\":{\"type\":\"tool_call\",\"toolCall\":{\"toolCallId\":\"t\"}}")
                .replace(
                        "\"result\":" + BadAgents.END + "}\n",
                        "\"result\":{\"messageId\":\"user-" + turns + "\"}}\n"
                                + update("state_update", "\"state\":\"idle\",\"stopReason\":\"end_turn\"") + "\n");
        return CHUNK.matcher(said).replaceFirst("$0\"messageId\":\"$1-" + turns + "\",");
    }

    void line(String line) throws IOException {
        text(line + "\n");
    }

    /** Writes a line of this size without buffering it. */
    void longLine(long length) throws IOException {
        byte[] piece = "x".repeat(1 << 16).getBytes(StandardCharsets.UTF_8);
        for (long left = length; left > 0; left -= piece.length) {
            out.write(piece, 0, (int) Math.min(left, piece.length));
        }
        line("");
    }

    static String request(String id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    static String notification(String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    static String answer(String id, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}";
    }

    static String error(String id, int code, String message) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":" + code + ",\"message\":\"" + message
                + "\"}}";
    }

    static String update(String kind, String members) {
        return notification(
                "session/update",
                "{\"sessionId\":\"" + SESSION + "\",\"update\":{\"sessionUpdate\":\"" + kind + "\"," + members + "}}");
    }

    static String saying(String text) {
        return update("agent_message_chunk", "\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}");
    }

    /** Returns the next message, or null at the end. */
    @Nullable
    JsonObject receive() throws IOException {
        String line = in.readLine();
        if (line == null) {
            return null;
        }
        if (RawJson.parse(line).value() instanceof JsonObject message) {
            if (method(message).equals("initialize")) {
                isVersion2 = line.contains("\"protocolVersion\":2");
            } else if (method(message).equals("session/prompt")) {
                turns++;
            }
            return message;
        }
        throw new AssertionError("expected a message, got " + line);
    }

    /** Returns the response with this id. Notifications before it are ignored, requests are rejected. */
    JsonObject answerTo(String id) throws IOException {
        for (JsonObject message = receive(); message != null; message = receive()) {
            if (message.get("method").isEmpty() && id(message).equals(id)) {
                return message;
            }
            if (message.get("method").isPresent() && message.get("id").isPresent()) {
                line(error(id(message), -32601, "not now"));
            }
        }
        throw new AssertionError("expected the answer to request " + id + ", got the end");
    }

    /** Sends a request and expects an error with this code. */
    void refused(String id, String request, int code) throws IOException {
        line(request);
        demandError(answerTo(id), code);
    }

    static void demandError(JsonObject answer, int code) {
        boolean same = answer.get("error")
                .filter(error -> error instanceof JsonObject object
                        && raw(object, "code").equals(String.valueOf(code)))
                .isPresent();
        if (!same) {
            throw new AssertionError("expected the error " + code + ", got " + RawJson.of(answer));
        }
    }

    static String id(JsonObject message) {
        return raw(message, "id");
    }

    static String method(JsonObject message) {
        return message.text("method").orElse("");
    }

    private static String raw(JsonObject object, String member) {
        return object.get(member).map(value -> RawJson.of(value).toString()).orElse("");
    }

    /** Reads until the other peer has closed. */
    void idle() throws IOException {
        while (in.readLine() != null) {
            // Its messages are ignored.
        }
    }

    void closeInput() throws IOException {
        in.close();
    }

    void closeOutput() throws IOException {
        out.close();
    }
}
