package dev.acp4j.bench.programs;

import static dev.acp4j.bench.programs.FloorAgent.ID;
import static dev.acp4j.bench.programs.FloorAgent.INITIALIZE;
import static dev.acp4j.bench.programs.FloorAgent.answering;
import static dev.acp4j.bench.programs.Lines.bytes;

import java.io.IOException;

/** An MCP server with one tool, of the revisions with a handshake, without any library: prepared answers. */
final class FloorMcpServer {
    private static final byte[] LIST = bytes("\"tools/list\"");
    private static final byte[] CALL = bytes("\"tools/call\"");

    private FloorMcpServer() {}

    /** Serves standard input and output. */
    public static void main(String[] args) throws IOException {
        Lines lines = new Lines();
        while (lines.next()) {
            // A notification has none.
            if (lines.has(ID)) {
                lines.out.write(answering(lines.value(ID), result(lines)));
            }
        }
    }

    private static String result(Lines lines) {
        if (lines.has(INITIALIZE)) {
            return "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                    + "\"serverInfo\":{\"name\":\"floor\",\"version\":\"1\"}}";
        }
        if (lines.has(LIST)) {
            return "{\"tools\":[{\"name\":\"say\",\"description\":\"Says it\",\"inputSchema\":{\"type\":\"object\","
                    + "\"properties\":{\"what\":{\"type\":\"string\"}},\"required\":[\"what\"]}}]}";
        }
        return lines.has(CALL) ? "{\"content\":[{\"type\":\"text\",\"text\":\"said\"}]}" : "{}";
    }
}
