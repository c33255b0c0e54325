package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.PromptResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes what client and agent say to a file, a JSON object per line: prompts and their answers, or every message.
 *
 * <pre>{@code
 * try (MessageLog log = MessageLog.builder(Path.of("talk.jsonl")).open();
 *         ConnectedAgent agent = client.connect(log.proxy().before(transport))) {
 *     agent.newSession(folder).prompt("Hello.").text();
 * }
 * }</pre>
 *
 * <p>A prompt is {@code {"time":…,"sessionId":…,"prompt":[…]}}, and the text that answers it
 * {@code {"time":…,"sessionId":…,"text":…,"end":…}}, of which the first 1,000,000 characters are kept; {@code end} is
 * the reason for stopping. With {@link Builder#everything} a line has {@code time}, {@code from}, {@code method}, and
 * {@code params}, {@code result} or {@code error}.
 *
 * <p>Secrets are hidden, and only the user can read the file. A file that is full is renamed, with {@code .1} at the
 * end of its name, and a new one begins. Several logs, also of several programs, may write to one file. Messages never
 * wait for the file: when more than 16 MiB wait to be written, or the disk is full, lines are left out, and a line
 * {@code {"time":…,"lost":3}} counts them.
 */
@Unstable
public final class MessageLog implements AutoCloseable {
    private static final int MOST_TEXT = 1_000_000;
    private static final long MOST_WAITING = 16L * 1024 * 1024;

    /** Guards the lines that wait. Not held while anything is written. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Deque<Line> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private long bytesWaiting;

    @GuardedBy("lock")
    private long lost;

    @GuardedBy("lock")
    private boolean isClosed;

    private final Path file;
    private final Redaction redaction;
    private final Consumer<String> onNotice;
    private final Proxy proxy;
    private final Thread writer;

    /**
     * A line that waits.
     *
     * @param bytes about how much it keeps
     * @param members writes its members, when its turn has come
     */
    private record Line(long bytes, Consumer<JsonWriter> members) {}

    private MessageLog(Builder builder) throws IOException {
        file = builder.file;
        redaction = builder.redaction;
        onNotice = builder.onNotice;
        proxy = builder.everything ? everything() : conversations();
        LogFile opened = new LogFile(file, builder.maxBytes);
        writer = Thread.ofPlatform().name("acp4j-log").daemon().unstarted(() -> write(opened));
        writer.start();
    }

    /**
     * Begins a log.
     *
     * @param file the file to append to; created if it does not exist
     */
    public static Builder builder(Path file) {
        return new Builder(file);
    }

    /** Returns the proxy that writes to the file. It may stand in many places at once. */
    public Proxy proxy() {
        return proxy;
    }

    /** Writes what still waits, for at most three seconds, and closes the file. What is said afterwards is lost. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            writer.join(3000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- what is said

    private Proxy conversations() {
        SessionState<Spoken> texts = SessionState.of(opening -> new Spoken());
        return Proxy.builder("log", "1")
                .state(texts)
                .onRequest(AgentMethods.PROMPT, (prompt, hop) -> {
                    asked(prompt, hop, hop.state(texts));
                    Answer<PromptResponse> answer = hop.forward();
                    String end = answer.isError()
                            ? "error"
                            : answer.result().stopReason().value();
                    answered(prompt.sessionId(), hop.state(texts), end);
                    return answer;
                })
                .onRequest(AgentMethods.PROMPT_V2, (prompt, hop) -> {
                    asked(prompt, hop, hop.state(texts));
                    return hop.forward();
                })
                .onNotification(ClientMethods.UPDATE, (said, hop) -> {
                    Spoken text = hop.state(texts);
                    if (said.update() instanceof SessionUpdate.AgentMessageChunk chunk
                            && chunk.content() instanceof ContentBlock.Text more) {
                        text.add(more.text());
                    }
                    if (said.update() instanceof StateUpdate.Idle idle && hop.version() == Version.V2) {
                        StopReason reason = idle.stopReason();
                        answered(said.sessionId(), text, reason == null ? "" : reason.value());
                    }
                    hop.forward();
                })
                .build();
    }

    private void asked(PromptRequest prompt, Hop hop, Spoken text) {
        String unused = text.take();
        RawJson params = RawJson.encode(prompt, AgentMethods.PROMPT.params(hop.version()));
        String time = now();
        add(params.length(), out -> {
            string(out, "time", time);
            string(out, "sessionId", prompt.sessionId().value());
            out.name("prompt");
            RawJson said = Members.get(redaction.redact(params), "prompt");
            out.raw(said == null ? RawJson.NULL : said);
        });
    }

    private void answered(SessionId session, Spoken all, String end) {
        RawJson text = RawJson.string(all.take());
        String time = now();
        add(text.length(), out -> {
            string(out, "time", time);
            string(out, "sessionId", session.value());
            out.name("text");
            out.raw(redaction.redact(text));
            string(out, "end", end);
        });
    }

    private Proxy everything() {
        Proxy.Builder all = Proxy.builder("log", "1");
        for (Method.Side to : List.of(Method.Side.AGENT, Method.Side.CLIENT)) {
            String from = to == Method.Side.AGENT ? "client" : "agent";
            String back = to == Method.Side.AGENT ? "agent" : "client";
            all.onNotifications(to, method -> true, (params, hop) -> {
                message(from, hop, "params", params);
                hop.forward();
            });
            all.onRequests(to, method -> true, (params, hop) -> {
                message(from, hop, "params", params);
                Answer<RawJson> answer = hop.forward();
                RawJson error = answer.raw().error();
                message(back, hop, error == null ? "result" : "error", error == null ? answer.result() : error);
                return answer;
            });
        }
        return all.build();
    }

    private void message(String from, Hop hop, String part, RawJson value) {
        String time = now();
        String method = hop.method();
        add(value.length(), out -> {
            string(out, "time", time);
            string(out, "from", from);
            string(out, "method", method);
            out.name(part);
            out.raw(part.equals("error") ? redaction.redactError(value) : redaction.redact(value));
        });
    }

    private static String now() {
        return Instant.now().toString();
    }

    private static void string(JsonWriter out, String name, String value) {
        out.name(name);
        out.string(value);
    }

    // ---- the file

    /** Makes a line wait, unless there is no room: then it is lost, and counted. */
    private void add(long bytes, Consumer<JsonWriter> members) {
        lock.lock();
        try {
            if (isClosed || bytesWaiting + bytes > MOST_WAITING) {
                lost++;
                return;
            }
            bytesWaiting += bytes;
            waiting.add(new Line(bytes, members));
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a line; null at the end. */
    private @Nullable Line next() {
        lock.lock();
        try {
            while (waiting.isEmpty() && !isClosed) {
                changed.awaitUninterruptibly();
            }
            Line line = waiting.poll();
            bytesWaiting -= line == null ? 0 : line.bytes;
            return line;
        } finally {
            lock.unlock();
        }
    }

    private long takeLost() {
        lock.lock();
        try {
            long count = lost;
            lost = 0;
            return count;
        } finally {
            lock.unlock();
        }
    }

    private void write(LogFile out) {
        long missing = 0;
        boolean isReported = false;
        Line line;
        do {
            line = next();
            missing += takeLost();
            try {
                long count = missing;
                if (count > 0) {
                    out.append(json(lost -> {
                        string(lost, "time", now());
                        lost.name("lost");
                        lost.int64(count);
                    }));
                    missing = 0;
                }
                if (line != null) {
                    out.append(json(line.members));
                }
            } catch (IOException | RuntimeException e) {
                missing += line == null ? 0 : 1;
                if (!isReported) {
                    isReported = true;
                    notice("The log " + file + " cannot be written, messages are missing in it: " + e);
                }
            }
        } while (line != null);
        try {
            out.close();
        } catch (IOException e) {
            notice("The end of the log " + file + " may be missing: " + e);
        }
    }

    /** Says something, on the writer's thread, which must not end by what a listener throws. */
    private void notice(String sentence) {
        try {
            onNotice.accept(sentence);
        } catch (RuntimeException e) {
            Notices.log(sentence);
        }
    }

    private static byte[] json(Consumer<JsonWriter> members) {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        members.accept(json);
        json.endObject();
        return (json.toRawJson().compact() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** What the agent has said in a turn. Both directions use it. */
    private static final class Spoken {
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private final StringBuilder text = new StringBuilder();

        void add(String more) {
            lock.lock();
            try {
                text.append(more, 0, Math.min(more.length(), MOST_TEXT - text.length()));
            } finally {
                lock.unlock();
            }
        }

        String take() {
            lock.lock();
            try {
                String all = text.toString();
                text.setLength(0);
                return all;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Builds a log. */
    public static final class Builder {
        private final Path file;
        private boolean everything;
        private long maxBytes = 10L * 1024 * 1024;
        private Redaction redaction = Redaction.SECRETS.and(System.getenv());
        private Consumer<String> onNotice = Notices::log;

        private Builder(Path file) {
            this.file = Objects.requireNonNull(file);
        }

        /** Writes every message, not only prompts and their answers. */
        public Builder everything() {
            everything = true;
            return this;
        }

        /**
         * Sets the size, in bytes, from which on the file is renamed and a new one begins; by default 10 MiB.
         *
         * @throws IllegalArgumentException when it is below 1
         */
        public Builder maxBytes(long value) {
            if (value < 1) {
                throw new IllegalArgumentException("expected at least 1 byte, got " + value);
            }
            maxBytes = value;
            return this;
        }

        /** Sets what to hide; by default secrets, and those of the environment. */
        public Builder redaction(Redaction value) {
            redaction = Objects.requireNonNull(value);
            return this;
        }

        /** Takes a sentence for the user when the file cannot be written; by default it is logged. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Opens the file.
         *
         * @throws IOException when it cannot be written
         */
        public MessageLog open() throws IOException {
            return new MessageLog(this);
        }
    }
}
