package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.proxies.Alarms.Alarm;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.PromptResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Usage;
import dev.acp4j.schema.UsageUpdate;
import dev.acp4j.schema.Version;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits what each session may use.
 *
 * <pre>{@code
 * Proxy budget = Budget.builder().turns(50).toolCalls(500).cost(5).build();
 * }</pre>
 *
 * <p>From 80 % of a limit on, that is reported once (in each turn, if it is the {@link Builder#turnTime}). A turn that goes beyond one is cancelled, and ends as the agent
 * ends it; new prompts are then refused with the limit and the use. Tokens and cost are those that the agent reports
 * for the session; if it has reported none at the end of a turn, that is said, and the limit does not hold.
 */
@Unstable
public final class Budget {
    private static final double NOTICE = 0.8;

    private final Map<Measure, Double> limits;
    private final Consumer<String> onNotice;
    private final @Nullable Duration turnTime;
    private final Alarms alarms;
    private final SessionState<Spent> spent = SessionState.of(opening -> new Spent(), Spent::turnEnds);

    private enum Measure {
        TURNS("turns"),
        TOOL_CALLS("calls of tools"),
        TOKENS("tokens"),
        COST("cost");

        private final String text;

        Measure(String text) {
            this.text = text;
        }
    }

    private Budget(Builder builder) {
        limits = new EnumMap<>(builder.limits);
        onNotice = builder.onNotice;
        turnTime = builder.turnTime;
        alarms = new Alarms(builder.time);
    }

    /** Begins a budget. */
    public static Builder builder() {
        return new Builder();
    }

    private Proxy proxy() {
        return Proxy.builder("budget", "1")
                .state(spent)
                .onPrompt((prompt, hop) -> {
                    Spent session = hop.state(spent);
                    Measure over = session.begin(limits);
                    if (over != null) {
                        throw RpcError.invalidRequest(
                                "the budget of this session is spent: " + session.text(over, limits));
                    }
                    say(session);
                    limitTime(session, prompt.sessionId(), hop.agent());
                    boolean goesOn = false;
                    try {
                        var answer = hop.forward();
                        goesOn = hop.version() == Version.V2 && !answer.isError();
                        return answer;
                    } finally {
                        if (!goesOn) {
                            session.turnEnds();
                        }
                    }
                })
                .onRequest(AgentMethods.PROMPT, (prompt, hop) -> {
                    Answer<PromptResponse> answer = hop.forward();
                    if (!answer.isError()) {
                        ended(hop.state(spent), answer.result().usage());
                    }
                    return answer;
                })
                .onNotification(ClientMethods.UPDATE, this::update)
                .build();
    }

    private void update(SessionNotification said, NotificationHop<SessionNotification> hop)
            throws InterruptedException {
        Spent session = hop.state(spent);
        switch (said.update()) {
            case ToolCall call -> session.call(call.toolCallId());
            case ToolCallUpdate call -> session.call(call.toolCallId());
            case UsageUpdate usage -> {
                if (usage.cost() != null) {
                    session.set(Measure.COST, usage.cost().amount());
                }
            }
            case StateUpdate.Idle idle -> {
                session.turnEnds();
                ended(session, idle.usage());
            }
            default -> {}
        }
        say(session);
        Measure over = session.overrun(limits);
        if (over != null) {
            onNotice.accept("A turn is cancelled, because the session has used more than it may: "
                    + session.text(over, limits) + ".");
            hop.agent().send(AgentMethods.CANCEL, CancelNotification.of(said.sessionId()));
        }
        // Last: who has seen it, finds it counted.
        hop.forward();
    }

    /** From now on the time of the turn counts. */
    private void limitTime(Spent session, SessionId id, Neighbour agent) {
        Duration most = turnTime;
        if (most == null) {
            return;
        }
        Duration near = Duration.ofNanos((long) (most.toNanos() * NOTICE));
        String limit = most.toMillis() / 1000.0 + " s";
        session.turnBegins(
                alarms.in(near, () -> onNotice.accept("A turn has nearly taken the time that it may: " + limit + ".")),
                alarms.in(most, () -> {
                    onNotice.accept("A turn is cancelled, because it has taken longer than it may: " + limit + ".");
                    try {
                        agent.send(AgentMethods.CANCEL, CancelNotification.of(id));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } catch (RpcException e) {
                        // The connection has ended, and the turn with it.
                    }
                }));
    }

    private void ended(Spent session, @Nullable Usage usage) {
        if (usage != null) {
            session.set(Measure.TOKENS, (double) usage.totalTokens());
        }
        say(session);
        for (Measure measure : session.unreported(limits)) {
            onNotice.accept("This agent does not report its " + measure.text + ": the limit does not hold.");
        }
    }

    private void say(Spent session) {
        for (Measure measure : session.near(limits)) {
            onNotice.accept("A session has nearly used what it may: " + session.text(measure, limits) + ".");
        }
    }

    /** What a session has used. Both directions use it. */
    private static final class Spent {
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private final Map<Measure, Double> used = new EnumMap<>(Measure.class);

        @GuardedBy("lock")
        private final Set<ToolCallId> calls = new HashSet<>();

        @GuardedBy("lock")
        private final Set<Measure> said = EnumSet.noneOf(Measure.class);

        /** Whether there was a turn. */
        @GuardedBy("lock")
        private boolean isBegun;

        /** Whether the turn was cancelled. */
        @GuardedBy("lock")
        private boolean isCancelled;

        /** What happens at the times of the turn. */
        @GuardedBy("lock")
        private List<Alarm> times = List.of();

        void turnBegins(Alarm... alarms) {
            lock.lock();
            try {
                times = List.of(alarms);
            } finally {
                lock.unlock();
            }
        }

        void turnEnds() {
            lock.lock();
            try {
                times.forEach(Alarm::cancel);
                times = List.of();
            } finally {
                lock.unlock();
            }
        }

        /** Counts a turn that begins; returns a limit that is reached, and then there is none. */
        @Nullable
        Measure begin(Map<Measure, Double> limits) {
            lock.lock();
            try {
                for (Map.Entry<Measure, Double> limit : limits.entrySet()) {
                    if (used(limit.getKey()) >= limit.getValue()) {
                        return limit.getKey();
                    }
                }
                used.merge(Measure.TURNS, 1.0, Double::sum);
                isBegun = true;
                isCancelled = false;
                return null;
            } finally {
                lock.unlock();
            }
        }

        void call(ToolCallId call) {
            lock.lock();
            try {
                // What is replayed before the first turn was not used now.
                if (isBegun && calls.add(call)) {
                    used.merge(Measure.TOOL_CALLS, 1.0, Double::sum);
                }
            } finally {
                lock.unlock();
            }
        }

        void set(Measure measure, double amount) {
            lock.lock();
            try {
                used.put(measure, amount);
            } finally {
                lock.unlock();
            }
        }

        /** Returns the limit beyond which the turn goes, once in a turn. */
        @Nullable
        Measure overrun(Map<Measure, Double> limits) {
            lock.lock();
            try {
                for (Map.Entry<Measure, Double> limit : limits.entrySet()) {
                    if (isBegun && !isCancelled && used(limit.getKey()) > limit.getValue()) {
                        isCancelled = true;
                        return limit.getKey();
                    }
                }
                return null;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the limits that are nearly reached, each once. */
        List<Measure> near(Map<Measure, Double> limits) {
            lock.lock();
            try {
                List<Measure> near = new ArrayList<>();
                limits.forEach((measure, limit) -> {
                    if (used(measure) >= NOTICE * limit && said.add(measure)) {
                        near.add(measure);
                    }
                });
                return near;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the measures that the agent has not reported, each once. */
        List<Measure> unreported(Map<Measure, Double> limits) {
            lock.lock();
            try {
                List<Measure> missing = new ArrayList<>();
                for (Measure measure : List.of(Measure.TOKENS, Measure.COST)) {
                    if (limits.containsKey(measure) && !used.containsKey(measure) && said.add(measure)) {
                        missing.add(measure);
                    }
                }
                return missing;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the use and the limit for people. */
        String text(Measure measure, Map<Measure, Double> limits) {
            lock.lock();
            try {
                return text(used(measure)) + " of " + text(Objects.requireNonNull(limits.get(measure))) + " "
                        + measure.text;
            } finally {
                lock.unlock();
            }
        }

        private static String text(double amount) {
            return BigDecimal.valueOf(amount).stripTrailingZeros().toPlainString();
        }

        @GuardedBy("lock")
        private double used(Measure measure) {
            return used.getOrDefault(measure, 0.0);
        }
    }

    /** Builds a budget. */
    public static final class Builder {
        private final Map<Measure, Double> limits = new EnumMap<>(Measure.class);
        private Consumer<String> onNotice = Notices::log;
        private @Nullable Duration turnTime;
        private Time time = Time.SYSTEM;

        private Builder() {}

        /** Sets how many turns a session may have. */
        public Builder turns(int most) {
            return limit(Measure.TURNS, most);
        }

        /** Sets how many calls of tools a session may have. */
        public Builder toolCalls(int most) {
            return limit(Measure.TOOL_CALLS, most);
        }

        /** Sets how many tokens a session may use, of any kind. */
        public Builder tokens(long most) {
            return limit(Measure.TOKENS, (double) most);
        }

        /** Sets what a session may cost, in the currency that the agent reports. */
        public Builder cost(double most) {
            return limit(Measure.COST, most);
        }

        /** Sets how long each turn may take; then it is cancelled. */
        public Builder turnTime(Duration most) {
            if (most.isZero() || most.isNegative()) {
                throw new IllegalArgumentException("expected a time above zero, got " + most);
            }
            turnTime = most;
            return this;
        }

        Builder time(Time value) {
            time = value;
            return this;
        }

        private Builder limit(Measure measure, double most) {
            if (!(most > 0)) {
                throw new IllegalArgumentException("expected more than 0 " + measure.text + ", got " + most);
            }
            limits.put(measure, most);
            return this;
        }

        /** Takes what a user should know, a sentence each, such as a limit that is near; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Builds the proxy.
         *
         * @throws IllegalStateException without a limit
         */
        public Proxy build() {
            if (limits.isEmpty() && turnTime == null) {
                throw new IllegalStateException("a budget has at least one limit");
            }
            return new Budget(this).proxy();
        }
    }
}
