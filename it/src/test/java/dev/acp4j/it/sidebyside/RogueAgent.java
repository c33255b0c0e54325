package dev.acp4j.it.sidebyside;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An agent with one of the {@link AgentFaults}. It uses no library of the protocol, so that it can write what none
 * would write. Without the fault it would answer {@code initialize}, {@code session/new} and two prompts: the first
 * with {@code one two}, the second with {@code fine}.
 */
final class RogueAgent {
    static final String END = "{\"stopReason\":\"end_turn\"}";

    private static final Pattern ID = Pattern.compile("\"id\"\\s*:\\s*(\"[^\"]*\"|[^,}\\s]+)");

    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final Path processes;
    private final PrintStream out = System.out;
    private String request = "";

    private RogueAgent(Path processes) {
        this.processes = processes;
    }

    /** Plays the fault of this title; the second argument is a file that takes the ids of its processes. */
    public static void main(String[] args) throws Exception {
        RogueAgent rogue = new RogueAgent(Path.of(args[1]));
        rogue.remember(ProcessHandle.current().pid());
        rogue.run(AgentFaults.titled(args[0]));
    }

    private void run(AgentFaults.Fault fault) throws Exception {
        expect("initialize");
        fault.play(AgentFaults.At.INITIALIZE, this);
        expect("session/new");
        fault.play(AgentFaults.At.NEW, this);
        expect("session/prompt");
        fault.play(AgentFaults.At.PROMPT, this);
        expect("session/prompt");
        say("fine");
        answer(END);
        while (in.readLine() != null) {
            // Until the client goes.
        }
        fault.play(AgentFaults.At.CLOSED, this);
    }

    private void expect(String method) throws IOException {
        request = await(method);
    }

    /** Waits for a message with this method; the end of the input ends this program. */
    String await(String method) throws IOException {
        while (true) {
            String line = in.readLine();
            if (line == null) {
                System.exit(0);
            } else if (line.contains("\"" + method + "\"")) {
                return line;
            }
        }
    }

    /** Writes bytes as they are. */
    void bytes(byte[] bytes) {
        out.write(bytes, 0, bytes.length);
        out.flush();
    }

    /** Writes a line. */
    void line(String line) {
        bytes((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the answer to the request that runs. */
    String answering(String result) {
        return answering(id(request), result);
    }

    static String answering(String id, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}";
    }

    void answer(String result) {
        line(answering(result));
    }

    void error(String error) {
        line("{\"jsonrpc\":\"2.0\",\"id\":" + id(request) + ",\"error\":" + error + "}");
    }

    static String updating(String update) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{"
                + "\"sessionUpdate\":" + update + "}}}";
    }

    void update(String update) {
        line(updating(update));
    }

    static String saying(String text) {
        return updating("\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"" + text + "\"}");
    }

    void say(String text) {
        line(saying(text));
    }

    /** Sends a request and waits for its answer. */
    String ask(String id, String method, String params) throws IOException {
        line(asking(id, method, params));
        return answerTo(id);
    }

    static String asking(String id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    /** Waits for an answer, which is a line; others before it are left out. */
    String answerTo(String id) throws IOException {
        String line = in.readLine();
        while (line != null && (line.contains("\"params\":") || !id.equals(id(line)))) {
            line = in.readLine();
        }
        return line == null ? "the end" : line;
    }

    /** Returns the id of the request that runs. */
    String runningId() {
        return id(request);
    }

    /** Starts a child that outlives this process unless it is ended. */
    void child(String command) throws IOException {
        Process child = new ProcessBuilder("sh", "-c", command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        remember(child.pid());
    }

    private void remember(long pid) throws IOException {
        Files.writeString(processes, pid + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Says what is wrong if the line is not as it must be. */
    void check(String line, String part) {
        if (!line.contains(part)) {
            say("(" + line.replace('"', '\'').replace('\\', '/') + " has no " + part.replace('"', '\'') + ") ");
        }
    }

    private static String id(String line) {
        Matcher matcher = ID.matcher(line);
        return matcher.find() ? String.valueOf(matcher.group(1)) : "null";
    }
}
