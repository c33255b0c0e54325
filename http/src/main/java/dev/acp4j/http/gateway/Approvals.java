package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.Principal;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Exchange;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The open questions of all agents. The lock guards which there are; it is not held while anybody is asked. */
final class Approvals {
    static final String PERMISSION = "session/request_permission";

    /** What an agent asks a user, and what it is answered when nobody has answered in time. */
    private static final Map<String, RawJson> CANCELLED = Map.of(
            PERMISSION,
            RawJson.parse("{\"outcome\":{\"outcome\":\"cancelled\"}}"),
            InputForm.METHOD,
            RawJson.parse("{\"action\":\"cancel\"}"));

    private final SecureRandom random = new SecureRandom();
    private final Time time;
    private final Duration patience;
    private final Consumer<OpenQuestion> onOpened;
    private final Consumer<OpenQuestion> onClosed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<String, OpenQuestion> questions = new LinkedHashMap<>();

    @GuardedBy("lock")
    private boolean ended;

    /**
     * The questions to one principal that a page can show.
     *
     * @param version names which questions these are
     */
    record Open(String version, List<OpenQuestion> questions) {}

    /** @param patience how long a question may be open; then it counts as cancelled */
    Approvals(Time time, Duration patience, Consumer<OpenQuestion> onOpened, Consumer<OpenQuestion> onClosed) {
        this.time = time;
        this.patience = patience;
        this.onOpened = onOpened;
        this.onClosed = onClosed;
    }

    /** Returns whether a request is a question to a user, of which every client may know the answer. */
    static boolean isQuestion(String method) {
        return CANCELLED.containsKey(method);
    }

    /** Returns whether an answer fits the question: it chooses one of its options, gives input, or declines. */
    static boolean isAnswer(Message question, Message answer) {
        RawJson result = answer.result();
        if (result == null || !(result.value() instanceof JsonObject given)) {
            return false;
        }
        if (!question.method().equals(PERMISSION)) {
            RawJson asked = question.params();
            InputForm input = asked == null ? null : InputForm.of(asked);
            return input == null ? given.text("action").isPresent() : input.isAnswer(result);
        }
        if (!(given.members().get("outcome") instanceof JsonObject outcome)) {
            return false;
        }
        RawJson params = question.params();
        String option = outcome.text("optionId").orElse("");
        return switch (outcome.text("outcome").orElse("")) {
            case "cancelled" -> true;
            case "selected" ->
                params != null
                        && QuestionText.of(params).options().stream()
                                .anyMatch(each -> each.id().equals(option));
            default -> false;
        };
    }

    /** Asks the client, and those who look at the pages. Returns the first answer. */
    Message ask(Principal principal, Exchange exchange) throws InterruptedException {
        RawJson params = exchange.request().params();
        OpenQuestion question = new OpenQuestion(
                newId(), principal, params == null ? RawJson.EMPTY_OBJECT : params, time.nanoTime(), exchange);
        try {
            add(question);
            onOpened.accept(question);
            return question.ask();
        } finally {
            remove(question);
            onClosed.accept(question);
        }
    }

    private String newId() {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private void add(OpenQuestion question) {
        lock.lock();
        try {
            questions.put(question.id(), question);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void remove(OpenQuestion question) {
        lock.lock();
        try {
            questions.remove(question.id());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns a question to a principal that a page can show. Other questions do not exist here. */
    Optional<OpenQuestion> find(Principal principal, String id) {
        lock.lock();
        try {
            return Optional.ofNullable(questions.get(id)).filter(question -> isShownTo(principal, question));
        } finally {
            lock.unlock();
        }
    }

    private static boolean isShownTo(Principal principal, OpenQuestion question) {
        return question.isShown() && question.principal().equals(principal);
    }

    Open open(Principal principal) {
        lock.lock();
        try {
            return openNow(principal);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Open openNow(Principal principal) {
        List<OpenQuestion> shown = questions.values().stream()
                .filter(question -> isShownTo(principal, question))
                .toList();
        String ids = shown.stream().map(OpenQuestion::id).collect(Collectors.joining(" "));
        return new Open(ServerEvent.hash(ids), shown);
    }

    /** Waits until the questions of a principal are others than those of a version, for a while. */
    void await(Principal principal, String version, Duration most) throws InterruptedException {
        long deadline = time.nanoTime() + most.toNanos();
        lock.lockInterruptibly();
        try {
            for (long left = most.toNanos();
                    openNow(principal).version.equals(version) && left > 0 && !ended;
                    left = deadline - time.nanoTime()) {
                time.await(lock, changed, left);
            }
        } finally {
            lock.unlock();
        }
    }

    int count() {
        lock.lock();
        try {
            return questions.size();
        } finally {
            lock.unlock();
        }
    }

    /** Cancels what has been open for too long. */
    void tick() {
        long now = time.nanoTime();
        List<OpenQuestion> late = new ArrayList<>();
        lock.lock();
        try {
            for (OpenQuestion question : questions.values()) {
                if (now - question.askedAt() >= patience.toNanos()) {
                    late.add(question);
                }
            }
        } finally {
            lock.unlock();
        }
        for (OpenQuestion question : late) {
            var unused = question.answer(CANCELLED.getOrDefault(question.method(), RawJson.EMPTY_OBJECT), "time");
        }
    }

    /** Lets go who waits. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
