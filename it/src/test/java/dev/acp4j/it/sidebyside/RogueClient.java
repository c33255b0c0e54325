package dev.acp4j.it.sidebyside;

import dev.acp4j.json.JsonString;
import dev.acp4j.json.RawJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A client that writes what it likes to an agent's process and looks at each line that comes back. It uses no library
 * of the protocol. What is not as it must be ends it with a {@link Wrong}.
 */
final class RogueClient {
    /** What an agent did wrong, as a verdict. */
    static final class Wrong extends Exception {
        private static final long serialVersionUID = 1L;

        Wrong(String verdict) {
            super(verdict);
        }
    }

    private static final String END = "the end";
    private static final Pattern ID = Pattern.compile("\"id\"\\s*:\\s*(\"[^\"]*\"|[^,}\\s]+)");
    private static final Pattern TEXT = Pattern.compile("\"text\":(\"(?:[^\"\\\\]|\\\\.)*+\")");
    private static final Pattern SESSION = Pattern.compile("\"sessionId\":\"([^\"]+)\"");
    private static final Pattern CODE = Pattern.compile("\"code\":(-?\\d+)");

    private final Process process;
    private final long deadline;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>(1000);
    private final Semaphore mayRead = new Semaphore(1);
    private final Map<String, String> answered = new HashMap<>();
    private final StringBuilder heard = new StringBuilder();
    private String outcome = "\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"%s\"}}";
    private String before = "";
    private int times = 1;
    private String session = "";

    RogueClient(Process process, Duration time) {
        this.process = process;
        this.deadline = System.nanoTime() + time.toNanos();
        Thread.ofPlatform().daemon().start(this::read);
    }

    private void read() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            while (true) {
                mayRead.acquire();
                mayRead.release();
                String line = in.readLine();
                if (line == null) {
                    break;
                }
                lines.put(line);
            }
            lines.put(END);
        } catch (IOException | InterruptedException e) {
            lines.clear();
            lines.add(END);
        }
    }

    /** Reads nothing for a while. */
    void stall(Duration time) throws InterruptedException {
        mayRead.acquire();
        boolean unused = process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
        mayRead.release();
    }

    String session() {
        return session;
    }

    /**
     * Sets how questions for permission are answered.
     *
     * @param member the result or the error, with {@code %s} for the first option
     * @param count how often
     */
    void outcome(String member, int count) {
        outcome = member;
        times = count;
    }

    /** Waits for a question for permission and does not answer it. */
    void question() throws Exception {
        while (!next().contains("\"session/request_permission\"")) {
            // What is told before it.
        }
    }

    /** Answers each question under an id that nobody gave, too, before it is answered as it must be. */
    void answerUnderWrongIdFirst() {
        before = "{\"jsonrpc\":\"2.0\",\"id\":\"wrong\"," + "\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}}\n";
    }

    /** Opens a session. */
    void open() throws Exception {
        initialize("1");
        session = newSession("2");
    }

    String initialize(String id) throws Exception {
        request(id, "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{\"fs\":{\"readTextFile\":true}}}");
        return answer(id);
    }

    String newSession(String id) throws Exception {
        request(id, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        return session(answer(id));
    }

    static String session(String line) throws Wrong {
        Matcher matcher = SESSION.matcher(line);
        demand(matcher.find(), "opens no session");
        return matcher.group(1);
    }

    void bytes(byte[] bytes) throws Wrong {
        try {
            process.getOutputStream().write(bytes);
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new Wrong("dies");
        }
    }

    void line(String line) throws Wrong {
        bytes((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    void request(String id, String method, String params) throws Wrong {
        line("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    void prompt(String id, String text) throws Wrong {
        prompt(id, session, text);
    }

    void prompt(String id, String session, String text) throws Wrong {
        request(id, "session/prompt", prompting(session, text));
    }

    static String prompting(String session, String text) {
        return "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}";
    }

    void cancel() throws Wrong {
        line("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"" + session + "\"}}");
    }

    /** Returns the next line, which is JSON. */
    String next() throws Exception {
        String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (line == null) {
            throw new Wrong("hangs");
        }
        demand(!END.equals(line), "dies");
        demand(line.startsWith("{"), "writes what is no message");
        return line;
    }

    /** Returns the answer to a request; what is said before it is heard, and questions are answered. */
    String answer(String id) throws Exception {
        String early = answered.remove(id);
        while (early == null) {
            String line = next();
            if (line.contains("\"params\":")) {
                handle(line);
            } else if (id.equals(id(line))) {
                return line;
            } else {
                answered.put(id(line), line);
            }
        }
        return early;
    }

    private void handle(String line) throws Wrong {
        if (line.contains("agent_message_chunk")) {
            Matcher text = TEXT.matcher(line);
            demand(text.find(), "says nothing");
            heard.append(
                    text.group(1).length() > 9_000
                            ? "x"
                            : ((JsonString) RawJson.parse(text.group(1)).value()).value());
        } else if (line.contains("\"session/request_permission\"")) {
            Matcher option = Pattern.compile("\"optionId\":\"([^\"]+)\"").matcher(line);
            demand(option.find(), "offers no option");
            for (int i = 0; i < times; i++) {
                line(before + "{\"jsonrpc\":\"2.0\",\"id\":" + id(line) + "," + outcome.replace("%s", option.group(1))
                        + "}");
            }
        } else if (line.contains("\"fs/read_text_file\"")) {
            line("{\"jsonrpc\":\"2.0\",\"id\":" + id(line) + ",\"result\":{\"content\":\"content\"}}");
        }
    }

    /** Returns the answer to a request, or the refusal of what could not be read, which has no id. */
    String answerOrRefusal(String id) throws Exception {
        String line = next();
        while (line.contains("\"params\":") || !(id.equals(id(line)) || "null".equals(id(line)))) {
            line = next();
        }
        return line;
    }

    /** Waits until this was heard, and forgets it. */
    void hear(String text) throws Exception {
        while (!heard.toString().equals(text)) {
            handle(next());
        }
        heard.setLength(0);
    }

    /** Prompts and returns what was heard in the turn, which must end well. */
    String turn(String id, String text) throws Exception {
        prompt(id, text);
        return ended(id, "end_turn");
    }

    /** Waits for the end of a turn and returns what was heard in it. */
    String ended(String id, String reason) throws Exception {
        String line = answer(id);
        demand(line.contains("\"" + reason + "\""), "answers " + shortly(line) + " instead of " + reason);
        return forget();
    }

    /** Returns what was heard, and forgets it. */
    String forget() {
        String text = heard.toString();
        heard.setLength(0);
        return text;
    }

    /** Waits for the answers to the requests with these ids, in whatever order, and to the prompt 5. */
    void answers(int from, int to) throws Exception {
        Set<String> open = new TreeSet<>(Set.of("5"));
        for (int i = from; i < to; i++) {
            open.add(String.valueOf(i));
        }
        while (!open.isEmpty()) {
            String line = next();
            if (line.contains("\"params\":")) {
                handle(line);
            } else {
                open.remove(id(line));
            }
        }
    }

    /** Demands that the conversation goes on and ends when its input ends. */
    void finish() throws Exception {
        demand(turn("1000", "say fine").equals("fine"), "mixes up turns");
        process.getOutputStream().close();
        exits();
    }

    void exits() throws Exception {
        demand(process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS), "stays when its input ends");
    }

    /** Ends what the agent reads. */
    void end() throws IOException {
        process.getOutputStream().close();
    }

    /** Demands that an answer is an error with this code. */
    void refused(String id, String code) throws Exception {
        String line = answer(id);
        demand(line.contains("\"code\":" + code), "answers " + shortly(line) + " instead of " + code);
    }

    static String shortly(String line) {
        Matcher code = CODE.matcher(line);
        return code.find() ? code.group(1) : line.contains("\"error\"") ? "an error" : "a result";
    }

    static void demand(boolean condition, String otherwise) throws Wrong {
        if (!condition) {
            throw new Wrong(otherwise);
        }
    }

    private static String id(String line) {
        Matcher matcher = ID.matcher(line);
        return matcher.find() ? matcher.group(1) : "";
    }
}
