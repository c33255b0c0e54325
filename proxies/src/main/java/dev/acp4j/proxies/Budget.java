package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxies.Alarms.Alarm;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
 * <p>A {@linkplain Builder#day day} has limits of its own, which programs share. From 80 % of a limit on, that is
 * reported once (in each turn, if it is the {@link Builder#turnTime}). A turn that goes beyond one is cancelled, and
 * ends as the agent ends it; new prompts are then refused with the limit and the use. Tokens and cost are those that
 * the agent reports: the cost of the session, and tokens of the session in version 1, of the work that has ended in
 * version 2, where they are added up. What is replayed when a session is opened again uses nothing, unless a turn runs
 * meanwhile. If the agent has reported none at the end of a turn, that is said, and the limit does not hold.
 */
@Unstable
public final class Budget {
    private static final double NOTICE = 0.8;
    private static final Set<String> REOPENINGS = Set.of("session/load", "session/resume");

    private final Map<Measure, Double> limits;
    private final Consumer<String> onNotice;
    private final @Nullable Duration turnTime;
    private final Alarms alarms;
    private final @Nullable Day day;
    private final SessionState<Spent> spent =
            SessionState.of(opening -> new Spent(opening.method().equals("session/new")), Spent::turnEnds);

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
        day = builder.dayLimits.isEmpty() || builder.dayFolder == null
                ? null
                : new Day(builder.dayLimits, new DayLedger(builder.dayFolder, builder.clock), onNotice);
    }

    /** Begins a budget. */
    public static Builder builder() {
        return new Builder();
    }

    private Proxy proxy() {
        return Proxy.builder("budget", "1")
                .state(spent)
                .onRequests(Method.Side.AGENT, REOPENINGS::contains, (params, hop) -> {
                    Spent session = hop.state(spent);
                    session.replayBegins();
                    try {
                        return hop.forward();
                    } finally {
                        session.replayEnds();
                    }
                })
                // Raw, as the updates: what is malformed for us may not be for the agent, and must not pass uncounted.
                .onRequests(Method.Side.AGENT, "session/prompt"::equals, this::prompt)
                .onNotifications(Method.Side.CLIENT, "session/update"::equals, this::update)
                .build();
    }

    private Answer<RawJson> prompt(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        SessionId id = hop.session().orElse(null);
        if (id == null) {
            return hop.forward();
        }
        Spent session = hop.state(spent);
        Measure over = session.reached(limits);
        if (over != null) {
            throw RpcError.invalidRequest("the budget of this session is spent: " + session.text(over, limits));
        }
        if (day != null) {
            day.begin();
        }
        session.begin();
        say(session);
        limitTime(session, id, hop.agent());
        boolean goesOn = false;
        try {
            Answer<RawJson> answer = hop.forward();
            goesOn = hop.version() == Version.V2 && !answer.isError();
            if (hop.version() == Version.V1 && !answer.isError()) {
                RawJson usage = Members.get(answer.result(), "usage");
                reported(session, Measure.TOKENS, usage == null ? null : Members.amount(usage, "totalTokens"));
                ended(session);
            }
            return answer;
        } finally {
            if (!goesOn) {
                session.turnEnds();
            }
        }
    }

    private void update(RawJson params, NotificationHop<RawJson> hop) throws InterruptedException {
        SessionId id = hop.session().orElse(null);
        RawJson update = Members.get(params, "update");
        Spent session = id == null ? null : hop.state(spent);
        if (id == null || update == null || session == null || session.isReplaying()) {
            hop.forward();
            return;
        }
        boolean counts = switch (String.valueOf(Members.text(update, "sessionUpdate"))) {
            case "tool_call", "tool_call_update" -> called(session, Members.text(update, "toolCallId"));
            case "usage_update" -> {
                RawJson cost = Members.get(update, "cost");
                reported(session, Measure.COST, cost == null ? null : Members.amount(cost, "amount"));
                yield true;
            }
            case "state_update" -> {
                state(session, id, update, hop);
                yield false;
            }
            default -> false;
        };
        say(session);
        Measure over = session.overrun(limits);
        // Not with each piece of a message: the file is read for it.
        String overDay = over == null && counts && day != null ? day.overrun() : null;
        if (overDay != null && session.cancelsNow()) {
            onNotice.accept("A turn is cancelled, because more was used today than may be: " + overDay + ".");
            hop.agent().send(AgentMethods.CANCEL, CancelNotification.of(id));
        }
        if (over != null) {
            onNotice.accept("A turn is cancelled, because the session has used more than it may: "
                    + session.text(over, limits) + ".");
            hop.agent().send(AgentMethods.CANCEL, CancelNotification.of(id));
        }
        // Last: who has seen it, finds it counted.
        hop.forward();
    }

    private void state(Spent session, SessionId id, RawJson update, NotificationHop<RawJson> hop) {
        String state = hop.version() == Version.V2 ? Members.text(update, "state") : null;
        if ("running".equals(state) || "requires_action".equals(state)) {
            workBegins(session, id, hop.agent());
        } else if ("idle".equals(state) && session.workEnds()) {
            // A repeated snapshot may carry the use again.
            RawJson usage = Members.get(update, "usage");
            Double tokens = usage == null ? null : Members.amount(usage, "totalTokens");
            if (tokens != null) {
                used(session, tokens);
            }
            ended(session);
        }
    }

    /** Counts a call of a tool; returns whether it is a new one. */
    private boolean called(Spent session, @Nullable String call) {
        boolean isNew = call != null && session.call(ToolCallId.of(call));
        if (isNew && day != null) {
            day.add(Measure.TOOL_CALLS, 1);
        }
        return isNew;
    }

    /** @param total what the session has used; null if the agent does not report it */
    private void reported(Spent session, Measure measure, @Nullable Double total) {
        double more = total == null ? 0 : session.set(measure, total);
        if (more > 0 && day != null) {
            day.add(measure, more);
        }
    }

    private void workBegins(Spent session, SessionId id, Neighbour agent) {
        if (session.workBegins()) {
            limitTime(session, id, agent);
        }
    }

    private void used(Spent session, double tokens) {
        session.add(Measure.TOKENS, tokens);
        if (day != null) {
            day.add(Measure.TOKENS, tokens);
        }
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

    private void ended(Spent session) {
        say(session);
        for (Measure measure : session.unreported(limited())) {
            onNotice.accept("This agent does not report its " + measure.text + ": the limit does not hold.");
        }
    }

    private Set<Measure> limited() {
        Set<Measure> limited = EnumSet.noneOf(Measure.class);
        limited.addAll(limits.keySet());
        if (day != null) {
            limited.addAll(day.limits.keySet());
        }
        return limited;
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

        /** The last totals that the agent has reported. */
        @GuardedBy("lock")
        private final Map<Measure, Double> totals = new EnumMap<>(Measure.class);

        /** What had been used before totals fell. */
        @GuardedBy("lock")
        private final Map<Measure, Double> earlier = new EnumMap<>(Measure.class);

        @GuardedBy("lock")
        private final Set<ToolCallId> calls = new HashSet<>();

        @GuardedBy("lock")
        private final Set<Measure> said = EnumSet.noneOf(Measure.class);

        /** Whether there was a turn. */
        @GuardedBy("lock")
        private boolean isBegun;

        /** Whether the agent works, in version 2. */
        @GuardedBy("lock")
        private boolean isWorking;

        /** Whether the turn was cancelled. */
        @GuardedBy("lock")
        private boolean isCancelled;

        /** Whether the session began here, so that all that it has used is of now. */
        private final boolean isNew;

        Spent(boolean isNew) {
            this.isNew = isNew;
        }

        /** What happens at the times of the turn. */
        @GuardedBy("lock")
        private List<Alarm> times = List.of();

        /**
         * Whether a turn runs, in version 1; whether the agent has not begun to work on the last prompt, in version 2.
         */
        @GuardedBy("lock")
        private boolean isAwaited;

        /** How many requests open the session again. */
        @GuardedBy("lock")
        private int replays;

        void replayBegins() {
            lock.lock();
            try {
                replays++;
            } finally {
                lock.unlock();
            }
        }

        void replayEnds() {
            lock.lock();
            try {
                replays--;
            } finally {
                lock.unlock();
            }
        }

        /** Whether what comes is a replay: while a turn runs, it may be of that, and so it counts. */
        boolean isReplaying() {
            lock.lock();
            try {
                return replays > 0 && !isAwaited && !isWorking;
            } finally {
                lock.unlock();
            }
        }

        void turnBegins(Alarm... alarms) {
            lock.lock();
            try {
                times.forEach(Alarm::cancel);
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
                isAwaited = false;
            } finally {
                lock.unlock();
            }
        }

        /** The agent works; returns whether that begins a turn whose time does not count yet. */
        boolean workBegins() {
            lock.lock();
            try {
                // What is replayed before the first turn was not used now.
                isWorking = isBegun;
                boolean counts = isAwaited && times.isEmpty();
                isAwaited = false;
                return counts;
            } finally {
                lock.unlock();
            }
        }

        /** The agent is idle; returns whether that ends work. */
        boolean workEnds() {
            lock.lock();
            try {
                boolean wasWorking = isWorking;
                // Without work before it, it may be the state before the turn: then the turn is still to come.
                boolean wasAwaited = isAwaited;
                turnEnds();
                isWorking = false;
                isAwaited = wasAwaited && !wasWorking;
                return wasWorking;
            } finally {
                lock.unlock();
            }
        }

        /** Returns a limit that is reached, so that no turn may begin; null if there is none. */
        @Nullable
        Measure reached(Map<Measure, Double> limits) {
            lock.lock();
            try {
                for (Map.Entry<Measure, Double> limit : limits.entrySet()) {
                    if (used(limit.getKey()) >= limit.getValue()) {
                        return limit.getKey();
                    }
                }
                return null;
            } finally {
                lock.unlock();
            }
        }

        /** Counts a turn that begins. */
        void begin() {
            lock.lock();
            try {
                used.merge(Measure.TURNS, 1.0, Double::sum);
                isBegun = true;
                isAwaited = true;
                isCancelled = false;
            } finally {
                lock.unlock();
            }
        }

        /** Counts a call; returns whether it is a new one. */
        boolean call(ToolCallId call) {
            lock.lock();
            try {
                // What is replayed before the first turn was not used now.
                boolean isNew = isBegun && calls.add(call);
                if (isNew) {
                    used.merge(Measure.TOOL_CALLS, 1.0, Double::sum);
                }
                return isNew;
            } finally {
                lock.unlock();
            }
        }

        void add(Measure measure, double amount) {
            lock.lock();
            try {
                used.merge(measure, amount, Double::sum);
            } finally {
                lock.unlock();
            }
        }

        /**
         * Takes a total of the session; returns how much more that is, as far as it is known. A total that falls begins
         * anew: an agent that was started again, or has compacted its conversation, counts from zero.
         */
        double set(Measure measure, double total) {
            lock.lock();
            try {
                Double before = totals.put(measure, total);
                boolean isFallen = before != null && total < before;
                if (isFallen) {
                    earlier.merge(measure, before, Double::sum);
                }
                used.put(measure, earlier.getOrDefault(measure, 0.0) + total);
                return before == null ? isNew ? total : 0 : isFallen ? total : total - before;
            } finally {
                lock.unlock();
            }
        }

        /** Whether the turn is to be cancelled, and was not yet. */
        boolean cancelsNow() {
            lock.lock();
            try {
                boolean isFirst = isBegun && !isCancelled;
                isCancelled = true;
                return isFirst;
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
        List<Measure> unreported(Set<Measure> limited) {
            lock.lock();
            try {
                List<Measure> missing = new ArrayList<>();
                for (Measure measure : List.of(Measure.TOKENS, Measure.COST)) {
                    if (limited.contains(measure) && !used.containsKey(measure) && said.add(measure)) {
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

    /** What all sessions of a day may use, in all programs that share a folder. */
    private static final class Day {
        private final Map<Measure, Double> limits;
        private final DayLedger ledger;
        private final Consumer<String> onNotice;
        private final Set<String> said = ConcurrentHashMap.newKeySet();

        Day(Map<Measure, Double> limits, DayLedger ledger, Consumer<String> onNotice) {
            this.limits = new EnumMap<>(limits);
            this.ledger = ledger;
            this.onNotice = onNotice;
        }

        /** A turn begins, unless a limit is reached, or what was used cannot be kept. */
        void begin() {
            try {
                ledger.write();
                String over = find(1);
                if (over != null) {
                    throw RpcError.invalidRequest("the budget of this day is spent, until midnight: " + over);
                }
                if (limits.containsKey(Measure.TURNS)) {
                    turn();
                    near();
                }
            } catch (IOException e) {
                throw new RpcError(
                        RpcError.INTERNAL_ERROR,
                        "the budget of this day cannot be kept, so nothing is begun: " + e.getMessage());
            }
        }

        private void turn() throws IOException {
            ledger.add(Measure.TURNS.text, 1);
            try {
                ledger.write();
            } catch (IOException e) {
                // It does not begin.
                ledger.add(Measure.TURNS.text, -1);
                throw e;
            }
        }

        /** Returns the limit beyond which the day is; null if there is none. */
        @Nullable
        String overrun() {
            try {
                return find(1 + 1e-9);
            } catch (IOException e) {
                reportUnwritable(e);
                return null;
            }
        }

        /** What cannot be written now is written before the next turn begins. */
        void add(Measure measure, double amount) {
            if (!limits.containsKey(measure)) {
                return;
            }
            try {
                ledger.add(measure.text, amount);
                ledger.write();
                near();
            } catch (IOException e) {
                reportUnwritable(e);
            }
        }

        private void reportUnwritable(IOException e) {
            if (said.add("")) {
                onNotice.accept("The budget of this day cannot be kept, so no turn is begun before it can: "
                        + e.getMessage() + ".");
            }
        }

        private void near() throws IOException {
            String near = find(NOTICE);
            if (near != null && said.add(near.substring(near.indexOf(" of ")))) {
                onNotice.accept("This day has nearly used what it may: " + near + ".");
            }
        }

        /** Returns a limit of which at least a part is used. */
        private @Nullable String find(double part) throws IOException {
            Map<String, Double> used = ledger.used();
            for (Map.Entry<Measure, Double> limit : limits.entrySet()) {
                double amount = used.getOrDefault(limit.getKey().text, 0.0);
                if (amount >= part * limit.getValue()) {
                    return Spent.text(amount) + " of " + Spent.text(limit.getValue()) + " " + limit.getKey().text;
                }
            }
            return null;
        }
    }

    /** Builds a budget. */
    public static final class Builder {
        private final Map<Measure, Double> limits = new EnumMap<>(Measure.class);
        private Consumer<String> onNotice = Notices::log;
        private final Map<Measure, Double> dayLimits = new EnumMap<>(Measure.class);
        private @Nullable Path dayFolder;
        private @Nullable Duration turnTime;
        private Time time = Time.SYSTEM;
        private Clock clock = Clock.system(ZoneId.systemDefault());

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

        /**
         * Sets where it is kept what all sessions of a day have used. Programs with the same folder share the day,
         * which ends at midnight.
         */
        public Builder day(Path folder) {
            dayFolder = folder;
            return this;
        }

        /** Sets how many turns a day may have. */
        public Builder dayTurns(int most) {
            return limit(dayLimits, Measure.TURNS, most);
        }

        /** Sets how many calls of tools a day may have. */
        public Builder dayToolCalls(int most) {
            return limit(dayLimits, Measure.TOOL_CALLS, most);
        }

        /** Sets how many tokens a day may use. Those that a session had used when it was opened again do not count. */
        public Builder dayTokens(long most) {
            return limit(dayLimits, Measure.TOKENS, (double) most);
        }

        /** Sets what a day may cost. What a session had cost when it was opened again does not count. */
        public Builder dayCost(double most) {
            return limit(dayLimits, Measure.COST, most);
        }

        Builder clock(Clock value) {
            clock = value;
            return this;
        }

        Builder time(Time value) {
            time = value;
            return this;
        }

        private Builder limit(Measure measure, double most) {
            return limit(limits, measure, most);
        }

        private Builder limit(Map<Measure, Double> to, Measure measure, double most) {
            if (!(most > 0)) {
                throw new IllegalArgumentException("expected more than 0 " + measure.text + ", got " + most);
            }
            to.put(measure, most);
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
         * @throws IllegalStateException without a limit, or with one of a day and no folder
         */
        public Proxy build() {
            if (limits.isEmpty() && dayLimits.isEmpty() && turnTime == null) {
                throw new IllegalStateException("a budget has at least one limit");
            }
            if (!dayLimits.isEmpty() && dayFolder == null) {
                throw new IllegalStateException("the limit of a day needs a folder");
            }
            return new Budget(this).proxy();
        }
    }
}
