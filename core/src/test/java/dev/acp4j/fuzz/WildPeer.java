package dev.acp4j.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Method;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The other end of a connection, which sends anything, and knows for all of it which answer there must be. The lock
 * guards what was sent and received, and is not held while reading or writing.
 */
public final class WildPeer implements AutoCloseable {
    private static final int INTERNAL_ERROR = -32603;
    private static final int PARSE_ERROR = -32700;
    private static final int PATIENCE_SECONDS = 20;
    private static final int RESULT = 0;

    private final Transport transport;
    private final List<Method<?, ?>> methods;
    private final boolean answersNoise;
    private final Function<JsonObject, List<byte[]>> answering;
    private final ReentrantLock writing = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition answered = lock.newCondition();

    @GuardedBy("lock")
    private final Map<String, List<ExpectedAnswer>> expected = new TreeMap<>();

    @GuardedBy("lock")
    private final Map<String, List<Integer>> answers = new TreeMap<>();

    @GuardedBy("lock")
    private final List<String> wire = new ArrayList<>();

    @GuardedBy("lock")
    private int missing;

    /**
     * Begins to read.
     *
     * @param methods what the other side handles
     * @param answersNoise whether the other side answers what has no id
     * @param answering what to send when a request comes
     */
    public WildPeer(
            Transport transport,
            List<Method<?, ?>> methods,
            boolean answersNoise,
            Function<JsonObject, List<byte[]>> answering) {
        this.transport = transport;
        this.methods = methods;
        this.answersNoise = answersNoise;
        this.answering = answering;
        Thread.ofVirtual().name("wild-peer").start(this::read);
    }

    /** Returns a message of these members, the values as JSON text. */
    public static JsonObject message(String... namesAndValues) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("jsonrpc", JsonString.of("2.0"));
        for (int i = 0; i < namesAndValues.length; i += 2) {
            members.put(namesAndValues[i], RawJson.parse(namesAndValues[i + 1]).value());
        }
        return JsonObject.of(members);
    }

    /** Returns a member that must be there, as JSON. */
    public static String json(JsonObject message, String member) {
        return RawJson.of(message.get(member).orElseThrow()).toString();
    }

    /** Sends a line, whatever it is; nothing that is blank, which no reader of lines hands on. */
    public void send(byte[] line) {
        if (new String(line, StandardCharsets.ISO_8859_1).isBlank()) {
            return;
        }
        RawJson message = RawJson.wrap(line, 0, line.length);
        Optional<ExpectedAnswer> answer = ExpectedAnswer.to(message, methods, answersNoise);
        lock.lock();
        try {
            wire.add("--> " + message + answer.map(one -> " // " + one).orElse(""));
            answer.ifPresent(one -> expect(one));
        } finally {
            lock.unlock();
        }
        writing.lock();
        try {
            transport.writer().write(Message.parse(message));
            transport.writer().flush();
        } catch (IOException e) {
            note("the other side has closed: " + e); // What it owes is missed later.
        } finally {
            writing.unlock();
        }
    }

    @GuardedBy("lock")
    private void expect(ExpectedAnswer answer) {
        expected.computeIfAbsent(answer.id(), id -> new ArrayList<>()).add(answer);
        missing++;
    }

    private void read() {
        try {
            Message line;
            while ((line = transport.reader().read()) != null) {
                JsonObject message = (JsonObject) line.raw().value();
                note("<-- " + line);
                if (!message.members().containsKey("method")) {
                    answer(message);
                } else if (message.members().containsKey("id")) {
                    answering.apply(message).forEach(this::send);
                }
            }
        } catch (IOException | InterruptedException e) {
            note("<-- " + e);
        }
    }

    private void note(String line) {
        lock.lock();
        try {
            wire.add(line);
        } finally {
            lock.unlock();
        }
    }

    private void answer(JsonObject message) {
        int code = message.members().get("error") instanceof JsonObject error
                ? Integer.parseInt(json(error, "code"))
                : RESULT;
        lock.lock();
        try {
            String id = json(message, "id");
            answers.computeIfAbsent(id, unused -> new ArrayList<>()).add(code);
            missing--;
            answered.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for all answers there must be, and checks that they are the right ones, and no others. */
    public void awaitAnswers() throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (missing > 0 && left > 0) {
                left = answered.awaitNanos(left);
            }
            assertThat(answers.keySet()).as(this::toString).isEqualTo(expected.keySet());
            expected.forEach((id, wanted) -> check(id, wanted));
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void check(String id, List<ExpectedAnswer> wanted) {
        List<Integer> codes = answers.getOrDefault(id, List.of());
        assertThat(codes).as(() -> "answers to " + id + "\n" + this).hasSameSizeAs(wanted);
        for (int code : codes) {
            boolean right = wanted.stream()
                    .anyMatch(one -> one.codes().isEmpty()
                            ? code != INTERNAL_ERROR && code != PARSE_ERROR
                            : one.codes().contains(code));
            assertThat(right)
                    .as(() -> id + " got " + code + ", not " + wanted + "\n" + this)
                    .isTrue();
        }
    }

    @Override
    public void close() {
        transport.close();
    }

    /** Returns what went over the wire. */
    @Override
    public String toString() {
        lock.lock();
        try {
            return String.join("\n", wire);
        } finally {
            lock.unlock();
        }
    }
}
