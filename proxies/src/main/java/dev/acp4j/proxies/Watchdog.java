package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxies.Alarms.Alarm;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.TerminalUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches an agent that says nothing.
 *
 * <pre>{@code
 * Proxy watchdog = Watchdog.builder()
 *         .silence(Duration.ofMinutes(5))
 *         .turn(Duration.ofHours(1))
 *         .build();
 * }</pre>
 *
 * <p>Silence, from the prompt on or in a turn, is reported; the turn is cancelled only with
 * {@link Builder#cancelSilent}, and never while a tool, a question or a terminal is open, since then others work. A
 * turn that takes too long is cancelled. A turn that does not end after a cancellation, also one of the client's, is
 * the sign of an agent that hangs: its prompt is answered with an error, which a conductor's supervision sees, and
 * {@link Builder#onStuck} is called. A request that opens a session and is not answered in time is answered with an
 * error, too, and is no such sign: other sessions may go on.
 */
@Unstable
public final class Watchdog {
    private static final Set<String> OPENINGS = Set.of("session/new", "session/load", "session/resume", "session/fork");

    private final Map<Limit, Duration> limits;
    private final boolean cancelsSilent;
    private final Consumer<String> onNotice;
    private final Consumer<SessionId> onStuck;
    private final Alarms alarms;
    private final SessionState<Watched> watched = SessionState.of(opening -> new Watched(), Watched::end);

    /** What is limited. */
    private enum Limit {
        SETUP,
        FIRST,
        SILENCE,
        TURN,
        SETTLE
    }

    private Watchdog(Builder builder) {
        limits = new EnumMap<>(builder.limits);
        cancelsSilent = builder.cancelsSilent;
        onNotice = builder.onNotice;
        onStuck = builder.onStuck;
        alarms = new Alarms(builder.time);
    }

    /** Begins a watchdog. */
    public static Builder builder() {
        return new Builder();
    }

    private Proxy proxy() {
        return Proxy.builder("watchdog", "1")
                .state(watched)
                .onRequests(Method.Side.AGENT, OPENINGS::contains, (params, hop) -> setup(hop))
                .onPrompt((prompt, hop) -> prompt(hop))
                .onNotification(AgentMethods.CANCEL, (params, hop) -> {
                    // Before it goes on: the turn may end at once.
                    hop.state(watched).cancelled();
                    hop.forward();
                })
                .onNotification(ClientMethods.UPDATE, this::update)
                .onRequests(Method.Side.CLIENT, method -> true, this::question)
                .build();
    }

    // ---- sessions

    private <R> Answer<R> setup(RequestHop<?, R> hop) throws Exception {
        Duration limit = limits.get(Limit.SETUP);
        if (limit == null) {
            return hop.forward();
        }
        Alarm alarm = alarms.in(limit, () -> {
            if (hop.giveUp(late(hop.method() + " was not answered within " + text(limit)))) {
                onNotice.accept("The agent has not answered " + hop.method() + " within " + text(limit)
                        + ", so it was answered with an error.");
            }
        });
        try {
            return hop.forward();
        } finally {
            alarm.cancel();
        }
    }

    // ---- turns

    private <R> Answer<R> prompt(RequestHop<?, R> hop) throws Exception {
        Watched session = hop.state(watched);
        Turn turn = new Turn(hop, hop.session().orElseThrow(), session);
        session.begin(turn);
        boolean goesOn = false;
        try {
            Answer<R> answer = hop.forward();
            goesOn = hop.version() == Version.V2 && !answer.isError();
            return answer;
        } finally {
            if (!goesOn) {
                session.end(turn);
            }
        }
    }

    private void update(SessionNotification said, NotificationHop<SessionNotification> hop)
            throws InterruptedException {
        Watched session = hop.state(watched);
        session.sign();
        switch (said.update()) {
            case ToolCall call -> session.open("tool " + call.toolCallId(), isOpen(call.status()));
            case ToolCallUpdate call -> {
                if (call.status() instanceof Change.Replace<ToolCallStatus> status) {
                    session.open("tool " + call.toolCallId(), isOpen(status.value()));
                }
            }
            case TerminalUpdate terminal ->
                session.open("terminal " + terminal.terminalId(), !(terminal.exitStatus() instanceof Change.Replace));
            case StateUpdate.Idle idle -> {
                if (hop.version() == Version.V2) {
                    session.end();
                }
            }
            default -> {}
        }
        hop.forward();
    }

    private static boolean isOpen(@Nullable ToolCallStatus status) {
        return !ToolCallStatus.COMPLETED.equals(status)
                && !ToolCallStatus.FAILED.equals(status)
                && !ToolCallStatus.CANCELLED.equals(status);
    }

    /** The agent asks the client: until the answer it is the client that is waited for. */
    private Answer<RawJson> question(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        if (hop.session().isEmpty()) {
            return hop.forward();
        }
        Watched session = hop.state(watched);
        Object question = new Object();
        session.sign();
        session.open(question, true);
        try {
            Answer<RawJson> answer = hop.forward();
            String terminal = Members.text(params, "terminalId");
            if (hop.method().equals("terminal/create") && !answer.isError()) {
                session.open("terminal " + Members.text(answer.result(), "terminalId"), true);
            } else if (hop.method().equals("terminal/release") && terminal != null) {
                session.open("terminal " + terminal, false);
            }
            return answer;
        } finally {
            session.open(question, false);
            session.sign();
        }
    }

    private static RpcError late(String message) {
        return new RpcError(
                RpcError.INTERNAL_ERROR,
                message,
                RawJson.parse("{\"acp4j\":{\"component\":\"the agent\",\"cause\":\"late\"}}"));
    }

    private static String text(Duration time) {
        long seconds = time.toSeconds();
        return seconds >= 120 && seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }

    /** One prompt, and what follows it. */
    private final class Turn {
        private final RequestHop<?, ?> prompt;
        private final SessionId session;
        private final Watched of;

        Turn(RequestHop<?, ?> prompt, SessionId session, Watched of) {
            this.prompt = prompt;
            this.session = session;
            this.of = of;
        }

        /** It has said nothing for a time; not while something is open. */
        void silent(Limit limit) {
            Duration time = Objects.requireNonNull(limits.get(limit));
            onNotice.accept("The agent has said nothing " + (limit == Limit.FIRST ? "since the prompt" : "in a turn")
                    + " for " + text(time) + " in the session " + session
                    + (cancelsSilent ? ", so the turn is cancelled." : "."));
            if (cancelsSilent) {
                cancel();
            }
        }

        void late() {
            onNotice.accept("A turn of the session " + session + " has taken more than "
                    + text(Objects.requireNonNull(limits.get(Limit.TURN))) + ", so it is cancelled.");
            cancel();
        }

        private void cancel() {
            of.cancelled();
            try {
                prompt.agent().send(AgentMethods.CANCEL, CancelNotification.of(session));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RpcException e) {
                // The connection has ended, and the turn with it.
            }
        }

        void stuck() {
            String time = text(Objects.requireNonNull(limits.get(Limit.SETTLE)));
            boolean isAnswered = prompt.giveUp(
                    Watchdog.late("the agent has not ended its turn within " + time + " after it was cancelled"));
            onNotice.accept("The agent has not ended a turn of the session " + session + " within " + time
                    + " after it was cancelled: it hangs."
                    + (isAnswered ? " The prompt was answered with an error." : ""));
            onStuck.accept(session);
        }
    }

    /**
     * A session. Both directions and alarms use it. The lock guards what is known of its turn; nothing is sent while it
     * is held.
     */
    private final class Watched {
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private @Nullable Turn turn;

        @GuardedBy("lock")
        private final Map<Limit, Alarm> set = new EnumMap<>(Limit.class);

        /** Tools, questions and terminals that have not ended. */
        @GuardedBy("lock")
        private final Set<Object> open = new HashSet<>();

        @GuardedBy("lock")
        private long lastSign;

        @GuardedBy("lock")
        private boolean isCancelled;

        void begin(Turn begun) {
            lock.lock();
            try {
                clear();
                turn = begun;
                open.clear();
                isCancelled = false;
                lastSign = alarms.now();
                set(limits.containsKey(Limit.FIRST) ? Limit.FIRST : Limit.SILENCE);
                set(Limit.TURN);
            } finally {
                lock.unlock();
            }
        }

        /** The agent has said something. */
        void sign() {
            lock.lock();
            try {
                lastSign = alarms.now();
                Alarm first = set.remove(Limit.FIRST);
                if (first != null) {
                    first.cancel();
                }
                if (turn != null && !isCancelled && !set.containsKey(Limit.SILENCE)) {
                    set(Limit.SILENCE);
                }
            } finally {
                lock.unlock();
            }
        }

        /** Something is open, or not any more. */
        void open(Object what, boolean isOpen) {
            lock.lock();
            try {
                boolean unused = isOpen ? open.add(what) : open.remove(what);
            } finally {
                lock.unlock();
            }
        }

        /** The turn was cancelled: it ends now, or hangs. */
        void cancelled() {
            lock.lock();
            try {
                if (turn != null && !isCancelled) {
                    isCancelled = true;
                    clear();
                    set(Limit.SETTLE);
                }
            } finally {
                lock.unlock();
            }
        }

        void end(Turn ended) {
            lock.lock();
            try {
                if (ended.equals(turn)) {
                    end();
                }
            } finally {
                lock.unlock();
            }
        }

        void end() {
            lock.lock();
            try {
                clear();
                turn = null;
            } finally {
                lock.unlock();
            }
        }

        @GuardedBy("lock")
        private void clear() {
            set.values().forEach(Alarm::cancel);
            set.clear();
        }

        @GuardedBy("lock")
        private void set(Limit limit) {
            Duration time = limits.get(limit);
            if (time != null) {
                set(limit, time);
            }
        }

        @GuardedBy("lock")
        private void set(Limit limit, Duration time) {
            set.put(limit, alarms.in(time, () -> over(limit)));
        }

        /** A time is over, unless something was said in it. */
        private void over(Limit limit) {
            Turn over;
            lock.lock();
            try {
                over = turn;
                if (over == null || set.remove(limit) == null) {
                    return;
                }
                Duration time = Objects.requireNonNull(limits.get(limit));
                boolean isSilence = limit == Limit.FIRST || limit == Limit.SILENCE;
                long left = lastSign + time.toNanos() - alarms.now();
                if (isSilence && !open.isEmpty()) {
                    set(limit);
                    return;
                }
                if (limit == Limit.SILENCE && left > 0) {
                    set(limit, Duration.ofNanos(left));
                    return;
                }
                if (limit == Limit.SETTLE) {
                    turn = null;
                }
            } finally {
                lock.unlock();
            }
            switch (limit) {
                case FIRST, SILENCE -> over.silent(limit);
                case TURN -> over.late();
                case SETTLE -> over.stuck();
                case SETUP -> {}
            }
        }
    }

    /** Builds a watchdog. */
    public static final class Builder {
        private final Map<Limit, Duration> limits = new EnumMap<>(Limit.class);
        private boolean cancelsSilent;
        private Consumer<String> onNotice = Notices::log;
        private Consumer<SessionId> onStuck = session -> {};
        private Time time = Time.SYSTEM;

        private Builder() {
            limits.put(Limit.SETTLE, Duration.ofSeconds(30));
        }

        /** Sets how long opening a session may take; then the request is answered with an error. */
        public Builder setup(Duration most) {
            return limit(Limit.SETUP, most);
        }

        /** Sets how long after a prompt the agent may say nothing; otherwise it is the {@link #silence}. */
        public Builder firstSign(Duration most) {
            return limit(Limit.FIRST, most);
        }

        /** Sets how long the agent may say nothing in a turn, while no tool, question or terminal is open. */
        public Builder silence(Duration most) {
            return limit(Limit.SILENCE, most);
        }

        /** Sets how long a turn may take; then it is cancelled. */
        public Builder turn(Duration most) {
            return limit(Limit.TURN, most);
        }

        /** Sets how long a turn may take to end after it was cancelled; by default 30 seconds. */
        public Builder settle(Duration most) {
            return limit(Limit.SETTLE, most);
        }

        /** Cancels the turn of an agent that is silent, and does not only report it. */
        public Builder cancelSilent() {
            cancelsSilent = true;
            return this;
        }

        private Builder limit(Limit limit, Duration most) {
            if (most.isZero() || most.isNegative()) {
                throw new IllegalArgumentException("expected a time above zero, got " + most);
            }
            limits.put(limit, most);
            return this;
        }

        /** Takes what a user should know, a sentence each; logged by default. On any thread. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Takes the session whose turn does not end, of an agent that hangs, for who can end and start it again:
         * nothing does that here. On any thread.
         */
        public Builder onStuck(Consumer<SessionId> listener) {
            onStuck = Objects.requireNonNull(listener);
            return this;
        }

        Builder time(Time value) {
            time = value;
            return this;
        }

        /** Builds the proxy. */
        public Proxy build() {
            return new Watchdog(this).proxy();
        }
    }
}
