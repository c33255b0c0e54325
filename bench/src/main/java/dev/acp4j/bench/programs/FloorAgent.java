package dev.acp4j.bench.programs;

import static dev.acp4j.bench.programs.Lines.bytes;

import java.io.IOException;

/**
 * What the machine allows: an agent without any library that parses nothing and writes bytes that were prepared, with
 * one write for each message. The first word of a prompt says what to do:
 *
 * <ul>
 *   <li>{@code stream N}: N updates of fifty characters
 *   <li>{@code pieces N}: N pieces of a tool call's content, of fifty characters, in version 2 only
 *   <li>{@code read N}: N calls of {@code fs/read_text_file}, one after another
 *   <li>{@code write N}: one call of {@code fs/write_text_file} with about N characters
 *   <li>{@code take …}: one short update; the prompt is long
 *   <li>anything else: one update of fifty characters
 * </ul>
 */
final class FloorAgent {
    static final byte[] ID = bytes("\"id\":");
    static final byte[] TEXT = bytes("\"text\":\"");
    static final byte[] INITIALIZE = bytes("\"initialize\"");
    static final byte[] NEW = bytes("\"session/new\"");
    static final byte[] PROMPT = bytes("\"session/prompt\"");
    static final byte[] UPDATE = bytes("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":"
            + "{\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\","
            + "\"text\":\"The quick brown fox jumps over the lazy dog again.\"}}}}\n");
    static final byte[] VERSION_2 = bytes("\"protocolVersion\":2");
    static final byte[] BEGIN = bytes(update("{\"sessionUpdate\":\"user_message\",\"messageId\":\"m1\",\"content\":[]}")
            + update("{\"sessionUpdate\":\"state_update\",\"state\":\"running\"}"));
    static final byte[] UPDATE_2 = bytes(update("{\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"m2\","
            + "\"content\":{\"type\":\"text\",\"text\":\"The quick brown fox jumps over the lazy dog again.\"}}"));
    static final byte[] PIECE_2 = bytes(update("{\"sessionUpdate\":\"tool_call_content_chunk\",\"toolCallId\":\"c1\","
            + "\"content\":{\"type\":\"content\",\"content\":{\"type\":\"text\","
            + "\"text\":\"The quick brown fox jumps over the lazy dog again.\"}}}"));
    static final byte[] IDLE =
            bytes(update("{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"end_turn\"}"));
    private static final byte[] READ =
            bytes("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs/read_text_file\",\"params\":"
                    + "{\"sessionId\":\"s1\",\"path\":\"/home/file.txt\"}}\n");
    private static final String WRITE = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs/write_text_file\",\"params\":"
            + "{\"sessionId\":\"s1\",\"path\":\"/home/file.txt\",\"content\":\"";
    private static final String LINE = "A line of a file that has the usual number of characters.\\n";

    static final String ACCEPTED = "{\"messageId\":\"m1\"}";
    static final String INITIALIZED_2 = "{\"protocolVersion\":2,\"capabilities\":{\"session\":{}},\"authMethods\":[],"
            + "\"info\":{\"name\":\"floor\",\"version\":\"1\"}}";

    private final Lines lines = new Lines();
    private byte[] large = {};
    private boolean isSecond;

    private FloorAgent() {}

    /** Serves standard input and output. */
    public static void main(String[] args) throws IOException {
        new FloorAgent().run();
    }

    private void run() throws IOException {
        while (lines.next()) {
            if (lines.has(PROMPT)) {
                String id = lines.value(ID);
                String text = lines.value(TEXT);
                if (isSecond) {
                    lines.out.write(BEGIN);
                    answer(id, ACCEPTED);
                    obey(text);
                    lines.out.write(IDLE);
                } else {
                    obey(text);
                    answer(id, "{\"stopReason\":\"end_turn\"}");
                }
            } else if (lines.has(INITIALIZE) && lines.has(VERSION_2)) {
                isSecond = true;
                answer(lines.value(ID), INITIALIZED_2);
            } else if (lines.has(INITIALIZE)) {
                answer(
                        lines.value(ID),
                        "{\"protocolVersion\":1,\"agentCapabilities\":{},\"authMethods\":[],"
                                + "\"agentInfo\":{\"name\":\"floor\",\"version\":\"1\"}}");
            } else if (lines.has(NEW)) {
                answer(lines.value(ID), "{\"sessionId\":\"s1\"}");
            }
        }
    }

    private void obey(String text) throws IOException {
        if (text.startsWith("stream ")) {
            byte[] update = isSecond ? UPDATE_2 : UPDATE;
            for (int left = number(text); left > 0; left--) {
                lines.out.write(update);
            }
        } else if (text.startsWith("pieces ")) {
            for (int left = number(text); left > 0; left--) {
                lines.out.write(PIECE_2);
            }
        } else if (text.startsWith("read ")) {
            for (int left = number(text); left > 0; left--) {
                lines.out.write(READ);
                lines.next();
            }
        } else if (text.startsWith("write ")) {
            lines.out.write(largeWrite(number(text)));
            lines.next();
        } else {
            lines.out.write(UPDATE);
        }
    }

    /** Made at the first call, so only the second shows what writing costs. */
    private byte[] largeWrite(int characters) {
        if (large.length < characters) {
            large = bytes(WRITE + LINE.repeat(characters / (LINE.length() - 1)) + "\"}}\n");
        }
        return large;
    }

    private static String update(String update) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s1\",\"update\":"
                .concat(update)
                .concat("}}\n");
    }

    private void answer(String id, String result) throws IOException {
        lines.out.write(answering(id, result));
    }

    static byte[] answering(String id, String result) {
        // Not +, which would load what builds strings at run time: this program is the floor of the start, too.
        return bytes("{\"jsonrpc\":\"2.0\",\"id\":"
                .concat(id)
                .concat(",\"result\":")
                .concat(result)
                .concat("}\n"));
    }

    private static int number(String text) {
        return Integer.parseInt(text.substring(text.indexOf(' ') + 1));
    }
}
