package dev.acp4j.bench;

import java.io.IOException;

/**
 * A client of a remote agent: one connection with one session. It looks for what it needs in messages and parses none,
 * so that the server is what is measured.
 */
interface RemoteClient extends AutoCloseable {
    String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1,"
            + "\"clientCapabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}";

    String NEW_SESSION = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\","
            + "\"params\":{\"cwd\":\"/tmp\",\"mcpServers\":[]}}";

    /** Sends a prompt. */
    void prompt(int id, String text) throws IOException;

    /** Returns the next message of the session. Blocks. */
    String next() throws IOException;

    @Override
    void close() throws IOException;

    /** Reads the messages of a turn to its end; returns how many updates it had. */
    default int turn() throws IOException {
        int updates = 0;
        while (!next().contains("\"stopReason\"")) {
            updates++;
        }
        return updates;
    }

    static String prompt(String session, int id, String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"session/prompt\",\"params\":{\"sessionId\":\""
                + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}}";
    }

    /** Returns the session that an answer opens. */
    static String session(String answer) throws IOException {
        int from = answer.indexOf("\"sessionId\":\"");
        if (from < 0) {
            throw new IOException("no session was opened: " + answer);
        }
        return answer.substring(from + 13, answer.indexOf('"', from + 13));
    }
}
