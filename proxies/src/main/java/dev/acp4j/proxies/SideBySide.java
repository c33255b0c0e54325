package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Usage;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives each prompt to several agents, and shows their answers below each other, with time and use.
 *
 * <pre>{@code
 * try (var both = SideBySide.builder().agent("codex", Launch.of("codex-acp")).open()) {
 *     Conductor.builder().proxy(both.proxy()).agent(Launch.of("gemini", "--acp")).build().serve(Stdio.system());
 * }
 * }</pre>
 *
 * <p>The agent of the chain works as without this, and is the only one that may write. The others are started with the
 * first prompt and stay until the end of the session, so that they know what was said before. They are offered the
 * reading of the client's files, no writing and no terminals, and every question of theirs is rejected; what an agent
 * does without asking cannot be prevented here. Their answers come before the end of the turn. If one cannot answer, or
 * has not answered {@linkplain Builder#limit five minutes} after the first, that is said in its place. Cancelling
 * cancels all.
 *
 * <p>They get none of the variables by which the first agent reaches its model, but for those that are named.
 */
@Unstable
public final class SideBySide implements AutoCloseable {
    private static final AtomicLong MESSAGES = new AtomicLong();

    private final Map<String, OtherAgent.Program> programs;
    private final int depth;
    private final Duration limit;
    private final Alarms alarms;
    private final Consumer<String> onNotice;
    private final OfferedByClients offered = new OfferedByClients();
    private final Set<Others> sessions = ConcurrentHashMap.newKeySet();
    private final Set<Thread> ending = ConcurrentHashMap.newKeySet();
    private final SessionState<Others> others = SessionState.of(this::begin, this::end);

    private SideBySide(Builder builder) {
        programs = new LinkedHashMap<>(builder.programs);
        depth = OtherAgent.depth(1, System.getenv(OtherAgent.DEPTH));
        limit = builder.limit;
        alarms = new Alarms(builder.time);
        onNotice = builder.onNotice;
    }

    /** Begins a proxy. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the proxy. */
    public Proxy proxy() {
        Proxy.Builder proxy = Proxy.builder("both", "1").patience(Duration.ZERO, Duration.ZERO);
        if (depth < 1) {
            onNotice.accept("No other agents are asked here: this agent was itself asked by one.");
            return proxy.build();
        }
        return offered.addTo(proxy)
                .state(others)
                .onRequest(AgentMethods.PROMPT, (prompt, hop) -> {
                    Others all = hop.state(others);
                    Round round = all.ask(prompt, hop);
                    try {
                        var answer = hop.forward();
                        Long used = answer.isError()
                                ? null
                                : all.used(answer.result().usage());
                        if (!answer.isError() && !answer.result().stopReason().equals(StopReason.CANCELLED)) {
                            round.show(used, hop);
                        }
                        return answer;
                    } finally {
                        all.done(round);
                    }
                })
                .onRequest(AgentMethods.PROMPT_V2, (prompt, hop) -> {
                    Others all = hop.state(others);
                    Round round = all.ask(prompt, hop);
                    boolean isAccepted = false;
                    try {
                        var answer = hop.forward();
                        isAccepted = !answer.isError();
                        return answer;
                    } finally {
                        if (!isAccepted) {
                            all.done(round);
                        }
                    }
                })
                .onNotification(AgentMethods.CANCEL, (cancel, hop) -> {
                    hop.state(others).cancel();
                    hop.forward();
                })
                .onNotification(ClientMethods.UPDATE, (said, hop) -> {
                    if (hop.version() == Version.V2) {
                        state(said.update(), hop);
                    }
                    hop.forward();
                })
                .build();
    }

    /** In version 2 an update ends the turn. */
    private void state(SessionUpdate update, Hop hop) throws InterruptedException {
        Others all = hop.state(others);
        switch (update) {
            case StateUpdate.Running running -> all.isRunning();
            case StateUpdate.Idle idle -> {
                Round round = all.ended();
                if (round != null) {
                    try {
                        if (!StopReason.CANCELLED.equals(idle.stopReason())) {
                            round.show(
                                    idle.usage() == null ? null : idle.usage().totalTokens(), hop);
                        }
                    } finally {
                        all.done(round);
                    }
                }
            }
            default -> {}
        }
    }

    private Others begin(SessionState.Opening opening) {
        Others session =
                new Others(Sessions.cwd(opening.params()), opening.method().equals("session/new"));
        sessions.add(session);
        return session;
    }

    private void end(Others ended) {
        if (sessions.remove(ended)) {
            Thread thread = Thread.ofPlatform().name("acp4j-both-end").unstarted(() -> {
                try {
                    ended.close();
                } finally {
                    ending.remove(Thread.currentThread());
                }
            });
            ending.add(thread);
            thread.start();
        }
    }

    /** Returns how many sessions are being ended. */
    int ending() {
        return ending.size();
    }

    /** Ends all agents but that of the chain, and waits for that. */
    @Override
    public void close() {
        List.copyOf(sessions).forEach(this::end);
        try {
            for (Thread each : ending) {
                each.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Another agent with its session. */
    private record Partner(OtherAgent agent, Session session) {}

    /**
     * The other agents of a session.
     *
     * <p>The lock guards all but the folder; nothing is waited for while it is held.
     */
    private final class Others {
        private final @Nullable Path cwd;
        private final SessionTotal tokens;
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private final Map<String, FutureTask<Partner>> partners = new LinkedHashMap<>();

        /** Those that are not over, in their order. */
        @GuardedBy("lock")
        private final Deque<Round> rounds = new ArrayDeque<>();

        @GuardedBy("lock")
        private boolean closed;

        Others(@Nullable Path cwd, boolean isNew) {
            this.cwd = cwd;
            this.tokens = new SessionTotal(isNew);
        }

        /** Returns the tokens of a turn of the first agent, which in version 1 reports those of its session. */
        @Nullable
        Long used(@Nullable Usage session) {
            Double used = tokens.next(session == null ? null : (double) session.totalTokens());
            return used == null ? null : used.longValue();
        }

        Round ask(PromptRequest prompt, Hop hop) {
            boolean reads = offered.of(hop.client()).fs().readTextFile();
            OtherAgent.For client = new OtherAgent.For(hop.client(), prompt.sessionId(), hop.version());
            Round round = new Round(alarms, limit);
            for (OtherAgent.Program program : programs.values()) {
                round.add(program.name(), () -> partner(program, client, reads), prompt.prompt());
            }
            lock.lock();
            try {
                rounds.add(round);
            } finally {
                lock.unlock();
            }
            return round;
        }

        private Partner partner(OtherAgent.Program program, OtherAgent.For client, boolean reads) throws Exception {
            FutureTask<Partner> known;
            boolean isNew;
            lock.lock();
            try {
                known = partners.get(program.name());
                isNew = known == null || isLost(known);
                if (isNew) {
                    known = new FutureTask<>(() -> start(program, client, reads));
                    partners.put(program.name(), known);
                }
            } finally {
                lock.unlock();
            }
            FutureTask<Partner> starting = Objects.requireNonNull(known);
            if (isNew) {
                starting.run();
            }
            return starting.get();
        }

        private static boolean isLost(FutureTask<Partner> known) {
            return known.isDone()
                    && (known.state() != Future.State.SUCCESS
                            || !known.resultNow().agent.isOpen());
        }

        private Partner start(OtherAgent.Program program, OtherAgent.For client, boolean reads)
                throws InterruptedException {
            if (cwd == null) {
                throw new IllegalStateException("the folder of the session is none of this machine");
            }
            OtherAgent agent = OtherAgent.start(
                    program, depth - 1, question -> question.rejectOnce(), reads ? OtherAgent.reading(client) : null);
            boolean isKept = false;
            try {
                Partner partner = new Partner(agent, agent.open(SessionSetup.in(cwd)));
                isKept = !isClosed();
                if (!isKept) {
                    throw new IllegalStateException("the session has ended");
                }
                return partner;
            } finally {
                if (!isKept) {
                    agent.close();
                }
            }
        }

        private boolean isClosed() {
            lock.lock();
            try {
                return closed;
            } finally {
                lock.unlock();
            }
        }

        void done(Round round) {
            lock.lock();
            try {
                rounds.remove(round);
            } finally {
                lock.unlock();
            }
            round.cancel();
        }

        void isRunning() {
            lock.lock();
            try {
                if (!rounds.isEmpty()) {
                    rounds.getFirst().isRunning = true;
                }
            } finally {
                lock.unlock();
            }
        }

        /** Returns the prompt whose turn has ended. */
        @Nullable
        Round ended() {
            lock.lock();
            try {
                return rounds.isEmpty() || !rounds.getFirst().isRunning ? null : rounds.getFirst();
            } finally {
                lock.unlock();
            }
        }

        void cancel() {
            List<Round> all;
            lock.lock();
            try {
                all = List.copyOf(rounds);
            } finally {
                lock.unlock();
            }
            all.forEach(Round::cancel);
        }

        void close() {
            List<FutureTask<Partner>> all;
            lock.lock();
            try {
                closed = true;
                all = List.copyOf(partners.values());
            } finally {
                lock.unlock();
            }
            cancel();
            for (FutureTask<Partner> partner : all) {
                try {
                    partner.get().agent.close();
                } catch (ExecutionException e) {
                    // It could not be started, which was said.
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Finds the agent, or starts it. */
    private interface Start {
        Partner start() throws Exception;
    }

    /** One prompt and the answers of the other agents. */
    private static final class Round {
        private final long begin = Time.SYSTEM.nanoTime();
        private final Map<String, FutureTask<OtherAgent.Reply>> replies = new LinkedHashMap<>();

        private final Alarms alarms;
        private final Duration limit;
        private volatile boolean isLate;

        /** Guarded by the lock of the session. */
        private boolean isRunning;

        Round(Alarms alarms, Duration limit) {
            this.alarms = alarms;
            this.limit = limit;
        }

        void add(String name, Start start, List<ContentBlock> prompt) {
            FutureTask<OtherAgent.Reply> reply = new FutureTask<>(() -> {
                Partner partner = start.start();
                return partner.agent.ask(partner.session, prompt, new OtherAgent.Watch() {});
            });
            replies.put(name, reply);
            Thread.ofPlatform().daemon().name("acp4j-both-" + name).start(reply);
        }

        /** Cancels what is not answered yet. */
        void cancel() {
            replies.values().forEach(reply -> reply.cancel(true));
        }

        /** Shows the answers, as they come; those that do not come in time are cancelled. */
        void show(@Nullable Long tokens, Hop hop) throws InterruptedException {
            Alarms.Alarm alarm = alarms.in(limit, () -> {
                isLate = true;
                cancel();
            });
            try {
                showAll(tokens, hop);
            } finally {
                alarm.cancel();
            }
        }

        private void showAll(@Nullable Long tokens, Hop hop) throws InterruptedException {
            OtherAgent.Reply own = new OtherAgent.Reply(
                    "", StopReason.END_TURN, Duration.ofNanos(Time.SYSTEM.nanoTime() - begin), tokens, null);
            String name = hop.initialized()
                    .map(agent -> hop.version() == Version.V2 ? agent.info() : agent.agentInfo())
                    .map(program -> program.name())
                    .orElse("the agent");
            say("\n\n---\n\nAbove: **" + name + "**, " + own.use(), hop);
            for (var reply : replies.entrySet()) {
                say("\n\n---\n\n" + section(reply.getKey(), reply.getValue()), hop);
            }
        }

        private String section(String name, FutureTask<OtherAgent.Reply> reply) throws InterruptedException {
            try {
                OtherAgent.Reply answer = reply.get();
                String stopped =
                        answer.stopReason().equals(StopReason.END_TURN) ? "" : ", stopped: " + answer.stopReason();
                return "**" + name + "**, " + answer.use() + stopped + "\n\n" + answer.text();
            } catch (CancellationException e) {
                return "**" + name + "** "
                        + (isLate
                                ? "has not answered within " + limit.toMillis() / 1000.0 + " s, and was cancelled."
                                : "was cancelled.");
            } catch (ExecutionException e) {
                Throwable why = e.getCause() instanceof ExecutionException start ? start.getCause() : e.getCause();
                String reason = why instanceof RpcException || why instanceof IllegalStateException
                        ? String.valueOf(why.getMessage())
                        : String.valueOf(why);
                return "**" + name + "** could not answer: " + reason;
            }
        }

        private static void say(String text, Hop hop) throws InterruptedException {
            hop.client()
                    .send(
                            ClientMethods.UPDATE,
                            SessionNotification.of(
                                    hop.session().orElseThrow(),
                                    SessionUpdate.AgentMessageChunk.of(
                                            ContentBlock.text(text),
                                            MessageId.of("both-" + MESSAGES.incrementAndGet()))));
        }
    }

    /** Builds a proxy that asks several agents. */
    public static final class Builder {
        private final Map<String, OtherAgent.Program> programs = new LinkedHashMap<>();
        private Duration limit = Duration.ofMinutes(5);
        private Time time = Time.SYSTEM;
        private Consumer<String> onNotice = Notices::log;

        private Builder() {}

        /**
         * Adds an agent that gets each prompt, besides that of the chain.
         *
         * @param name what the user calls it: letters, digits, - and _
         * @param launch how it is started. Of the environment of this program it gets what programs need to run, and no
         *     keys of models: it uses its own login
         * @param variables variables of this program that it gets besides, such as that of its own key
         * @throws IllegalArgumentException when the name has another form, or is taken
         */
        public Builder agent(String name, Launch launch, String... variables) {
            OtherAgent.Program program = OtherAgent.Program.of(name, launch, List.of(variables));
            if (programs.putIfAbsent(name, program) != null) {
                throw new IllegalArgumentException("there are two agents " + name);
            }
            return this;
        }

        /**
         * Sets how long the others may take after the first agent has answered; then they are cancelled, which is said
         * in the place of their answers. By default five minutes.
         *
         * @throws IllegalArgumentException when it is not above zero
         */
        public Builder limit(Duration most) {
            if (most.isZero() || most.isNegative()) {
                throw new IllegalArgumentException("expected a time above zero, got " + most);
            }
            limit = most;
            return this;
        }

        Builder time(Time value) {
            time = value;
            return this;
        }

        /** Takes what a user should know, a sentence each; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Opens it. No agent is started before the first prompt.
         *
         * @throws IllegalStateException without an agent
         */
        public SideBySide open() {
            if (programs.isEmpty()) {
                throw new IllegalStateException("there is no other agent");
            }
            return new SideBySide(this);
        }
    }
}
