package dev.acp4j.bench;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The messages of the driver, made before the clock runs. */
final class Frames {
    /** Ids begin here, so that no request of an agent has the same. */
    static final int FIRST_ID = 1_000_001;

    private static final String LINE = "A line of a file that has the usual number of characters.\\n";

    private Frames() {}

    static byte[] initialize(int version) {
        return version == 1 ? initializeFirst() : initializeSecond();
    }

    private static byte[] initializeSecond() {
        return request(
                FIRST_ID,
                "initialize",
                "{\"protocolVersion\":2,\"capabilities\":{},\"info\":{\"name\":\"bench\",\"version\":\"1\"}}");
    }

    private static byte[] initializeFirst() {
        return request(
                FIRST_ID,
                "initialize",
                "{\"protocolVersion\":1,\"clientCapabilities\":{\"fs\":{\"readTextFile\":true,\"writeTextFile\":true}},"
                        + "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}");
    }

    static byte[] newSession(int id) {
        String folder = Path.of("").toAbsolutePath().toString();
        return request(id, "session/new", "{\"cwd\":\"" + folder + "\",\"mcpServers\":[]}");
    }

    static byte[] prompt(int id, String session, String text) {
        return request(
                id,
                "session/prompt",
                "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}");
    }

    /** Returns a prompt with about so many characters of text, a sixtieth of which are escaped. */
    static byte[] largePrompt(int id, String session, int characters) {
        return prompt(id, session, "take " + LINE.repeat(characters / (LINE.length() - 1)));
    }

    static byte[] answer(String id, String result) {
        return line("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}");
    }

    private static byte[] request(int id, String method, String params) {
        return line("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    private static byte[] line(String message) {
        return (message + "\n").getBytes(StandardCharsets.ISO_8859_1);
    }
}
