package dev.acp4j.proxy;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Channel;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * One program of a chain while it runs, dies and is started again. What was inside it when it died is answered with an
 * error; turns that it had passed on are cancelled, so that none goes on unattended; nothing is sent twice.
 */
final class Station {
    private static final int MOST_RESTARTS = 3;
    private static final long RESTARTS_WITHIN_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final int LAST_LINES = 5;
    private static final long READ_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** After this time it is reported that a turn which was cancelled has not ended. */
    private static final long ENDING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final RunningChain chain;
    private final String name;
    private final @Nullable Launch launch;
    private final Conductor.@Nullable Connector connector;
    private final List<Component.OnDeath> onDeath;
    private final Deadlines deadlines;
    private final ComponentLimits limits;
    private final String envelope;
    private final Interceptions before;
    private final @Nullable Interceptions behind;

    /** For the agent: which strand each of its messages takes. */
    private final @Nullable Ways ways;

    private volatile @Nullable Crossing crossing;

    /** Of an agent that may be restarted: its sessions. */
    private final @Nullable OpenSessions sessions;

    /** Whether it is started for a change of the chain, and not in use yet: its end changes nothing. */
    private volatile boolean isTrial;

    /** Why it has ended before it was in use. */
    private volatile String ofTrial = "";

    /** Whether nothing uses it any more. */
    private volatile boolean retired;

    /** When it was started again, the oldest first. */
    private final List<Long> restarts = new CopyOnWriteArrayList<>();

    /** What is done about its death; null while it lives. */
    private volatile Component.@Nullable OnDeath decided;

    private final TurnStates states = new TurnStates();

    /** Held while a death is dealt with: one after another. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable LaunchedProcess process;
    private volatile @Nullable Connection connection;
    private volatile @Nullable Tap tap;

    /** The connection that has begun to end. */
    private volatile @Nullable Connection dying;

    private final AtomicInteger restarted = new AtomicInteger();
    private volatile boolean bypassed;

    /** Whether another process is being put in its place. */
    private volatile boolean replacing;

    private volatile boolean failed;

    /** Why it was ended here; empty if it has ended by itself. */
    private volatile String hung = "";

    /** The phases for which a look for late requests is planned. */
    private final Set<String> looks = ConcurrentHashMap.newKeySet();

    /** Whether a look for silence is planned. */
    private final AtomicBoolean looksForSilence = new AtomicBoolean();

    /** Whether it was told the end of its input. */
    private final AtomicBoolean hasToEnd = new AtomicBoolean();

    /** Whether a neutral request is out. */
    private final AtomicBoolean examined = new AtomicBoolean();

    Station(RunningChain chain, Component component, Interceptions before, Interceptions behind) {
        this.chain = chain;
        this.name = component.id();
        this.connector = chain.conductor().connectors().get(name);
        this.launch = connector == null ? component.launch() : null;
        this.onDeath = component.onDeath();
        this.sessions = null;
        this.deadlines = component.deadlines();
        this.limits = component.limits();
        this.envelope = component.isLegacy() ? Interceptions.LEGACY_SUCCESSOR : Interceptions.SUCCESSOR;
        this.before = before;
        this.behind = behind;
        this.ways = null;
    }

    /** The agent. */
    Station(RunningChain chain, Conductor conductor, Interceptions before, Ways ways) {
        this.chain = chain;
        this.name = "agent";
        this.launch = conductor.agent();
        this.connector = conductor.connector();
        this.onDeath = conductor.agentOnDeath();
        this.sessions = onDeath.contains(Component.OnDeath.RESTART) ? new OpenSessions() : null;
        this.deadlines = conductor.agentDeadlines();
        this.limits = conductor.agentLimits();
        this.envelope = "";
        this.before = before;
        this.behind = null;
        this.ways = ways;
    }

    String name() {
        return name;
    }

    /** Returns the states of turns that are inside. */
    TurnStates states() {
        return states;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    /** The agent: has a strand send to it, too, or wait if it has ended and another one takes its place. */
    void bind(Strand strand) {
        Crossing bound;
        do {
            // One that takes the place of another binds all strands that it knows, perhaps before this one is bound.
            bound = Objects.requireNonNull(crossing);
            bound.bind(strand);
        } while (!bound.equals(crossing));
        Connection known = bound.connection();
        if (hasEnded(known) && !isOver()) {
            unbind(known);
        }
    }

    /** It is started, but not in use yet. */
    void tries() {
        isTrial = true;
    }

    /**
     * It is in use from now on.
     *
     * @throws IOException when it has ended by now
     */
    void isTried() throws IOException {
        isTrial = false;
        if (!ofTrial.isEmpty()) {
            throw new IOException(ofTrial);
        }
    }

    /** Nothing uses it any more: its end is no death. */
    void retire() {
        retired = true;
    }

    private boolean isOver() {
        return retired || chain.isClosing();
    }

    @Nullable
    LaunchedProcess process() {
        return process;
    }

    /** Finds the program, so that a missing one is named before any is started. */
    void resolve() throws IOException, InterruptedException {
        if (launch == null) {
            return;
        }
        try {
            launch.resolve();
        } catch (IOException e) {
            throw new IOException(name + ": " + launch.report(e).summary(), e);
        }
    }

    // ---- the first time

    /** Runs what starts it, on a thread of its own. */
    void run(Runnable start) {
        chain.supervise("acp4j-start-" + name, start);
    }

    /** Starts the program. */
    Connection.Builder begin() throws IOException, InterruptedException {
        return builder(launched(), handler(), List.of());
    }

    void begun(Connection value) {
        connection = value;
        decided = null;
        if (isOver()) {
            value.close();
        }
        if (hasEnded(value)) {
            // It ended before anybody knew it.
            endedLater();
        }
    }

    /** It begins to end. What is sent from now on waits for what takes its place. */
    private void ending(Connection dead) {
        if (!isOver()) {
            dying = dead;
            unbind(dead);
            endedLater();
        }
    }

    /** If nothing takes its place, what is sent is refused instead. */
    private void unbind(Connection dead) {
        if (policy() == Component.OnDeath.FAIL) {
            return;
        }
        if (ways != null) {
            chain.strands().forEach(strand -> strand.last().link().right().unbind(dead));
            return;
        }
        before.link().right().unbind(dead);
        if (behind != null) {
            behind.link().left().unbind(dead);
        }
    }

    private boolean hasEnded(Connection one) {
        return !one.isOpen() || one.equals(dying);
    }

    private void endedLater() {
        chain.supervise("acp4j-supervisor-" + name, this::ended);
    }

    private Handler handler() {
        if (ways != null) {
            Crossing made = new Crossing(ways, false, this::ending);
            crossing = made;
            return made;
        }
        return Link.handler(
                        before.link().right(),
                        Objects.requireNonNull(behind).link().left(),
                        envelope)
                .between()
                .onEnding(this::ending);
    }

    /** Starts it, or connects to it, in no more time than that may take the first time. */
    private Transport launchedAgain() throws IOException, InterruptedException {
        // Empty when nobody waits for it any more.
        AtomicReference<@Nullable Optional<Transport>> made = new AtomicReference<>();
        FutureTask<Transport> start = new FutureTask<>(() -> {
            Transport transport = launched();
            if (!made.compareAndSet(null, Optional.of(transport))) {
                transport.close();
            }
            return transport;
        });
        run(start);
        try {
            return Strand.begun(start, this);
        } catch (IOException | InterruptedException e) {
            if (!made.compareAndSet(null, Optional.empty())) {
                Objects.requireNonNull(made.get()).ifPresent(Transport::close);
            }
            throw e;
        }
    }

    private Transport launched() throws IOException, InterruptedException {
        if (launch == null) {
            return Objects.requireNonNull(connector).connect();
        }
        LaunchedProcess started;
        try {
            started = launch.start();
        } catch (IOException e) {
            throw new IOException(name + ": " + launch.report(e).summary(), e);
        }
        process = started;
        return started.transport();
    }

    private Connection.Builder builder(Transport transport, Handler handler, List<Message> first) {
        Tap tapped = new Tap(transport, chain.clock(), this::watch, this::answered, first, sessions);
        if (limits.messagesPerSecond() > 0) {
            tapped.pace(new Pace(limits.messagesPerSecond(), chain.clock(), this::slowed));
        }
        tap = tapped;
        if (isOver()) {
            // Nobody else knows of it yet.
            tapped.close();
        }
        Connection.Builder builder = Connection.builder(tapped, handler)
                .name(name)
                .time(chain.clock().time())
                .limits(limits.of(chain.conductor().limits()))
                .listener(chain.conductor().listener())
                .answerNoise(false)
                // A program that has ended can do nothing with an answer.
                .answersAfterInput(false)
                .onProblem(problem -> chain.problem(name, problem))
                .onEnded(this::endedLater);
        return behind == null ? builder : builder.envelopes(Interceptions.SUCCESSOR, Interceptions.LEGACY_SUCCESSOR);
    }

    private void answered(String method, String session, long time, long own) {
        if (!session.isEmpty()) {
            chain.times().spent(session, name, own);
        }
        if (FlightRecorder.isInitialized()) {
            ComponentFlightEvent.commit(name, method, time, own);
        }
    }

    private void slowed() {
        chain.notice(
                subject() + " is slowed down: it sends more than " + limits.messagesPerSecond() + " messages a second");
    }

    // ---- its death

    private void ended() {
        lock.lock();
        try {
            Connection dead = connection;
            if (!isOver() && dead != null && hasEnded(dead)) {
                connection = null;
                died(dead);
            }
        } catch (RuntimeException e) {
            // Nobody else would see to it, and all would wait for it.
            chain.fail("The component " + name + " has ended, and could not be replaced: " + e + ". The chain ends.");
        } finally {
            lock.unlock();
        }
    }

    private void died(Connection dead) {
        unbind(dead);
        Objects.requireNonNull(tap).ended();
        if (behind != null) {
            behind.endedBefore(dead).forEach((session, ended) -> awaitEnd(behind, session, ended));
        }
        LaunchedProcess old = process;
        if (old != null && old.isAlive()) {
            // Nothing else tells it to end, and there are no two at a time.
            if (hung.isEmpty()) {
                hung = "has closed its standard input or output, so it was ended";
            }
            old.close(Duration.ZERO);
        }
        decided = policy();
        String why = reason();
        if (isTrial) {
            failed = true;
            ofTrial = why;
            return;
        }
        for (Component.OnDeath what : onDeath) {
            if (isOver()) {
                return;
            }
            switch (what) {
                case RESTART -> {
                    if (mayRestart() && restarted(why)) {
                        return;
                    }
                }
                case BYPASS -> {
                    if (bypassed(why)) {
                        return;
                    }
                }
                case FAIL -> {
                    failed = true;
                    chain.fail(why + " The chain ends.");
                    return;
                }
            }
        }
        failed = true;
        chain.fail(why + " The chain ends.");
    }

    /** Its turn was cancelled. An agent that ignores that keeps the session waiting no longer than a silent prompt. */
    private void awaitEnd(Interceptions link, String session, Runnable ended) {
        chain.clock().later(ENDING_NANOS, () -> {
            if (link.isTurnEnding(session) && !isOver()) {
                chain.notice("The agent has not ended the turn of session " + session + " that was cancelled when "
                        + subject() + " ended: the next prompt of the session waits for that"
                        + (deadlines.prompt().isZero()
                                ? "."
                                : ", but no longer than " + deadlines.prompt().toSeconds() + " s."));
            }
        });
        if (!deadlines.prompt().isZero()) {
            chain.clock().later(deadlines.prompt().toNanos(), ended);
        }
    }

    private String subject() {
        return behind == null ? "the agent" : "the component " + name;
    }

    private String reason() {
        String subject = behind == null ? "The agent" : "The component " + name;
        String why = hung.isEmpty() ? " has ended" + exit() : " " + hung;
        List<String> said = lastLines();
        return subject + why + (said.isEmpty() ? "." : ". It said: " + said.get(said.size() - 1) + ".");
    }

    private String exit() {
        LaunchedProcess died = process;
        return died == null ? "" : died.exit().map(status -> ": " + status).orElse("");
    }

    private List<String> lastLines() {
        LaunchedProcess died = process;
        List<String> lines =
                died == null ? List.of() : died.stderr().strip().lines().toList();
        return lines.stream().skip(Math.max(0, lines.size() - LAST_LINES)).toList();
    }

    /** Returns the error of a request that this was to answer, and will not. */
    RpcError lost(String method, RuntimeException why) {
        boolean isLate = why instanceof RequestTimeoutException;
        boolean isGone = why instanceof RpcException;
        String phase = Deadlines.phase(method).isEmpty() ? "work" : Deadlines.phase(method);
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("acp4j");
        out.beginObject();
        out.name("component");
        out.string(subject());
        out.name("cause");
        out.string(isLate ? "late" : isGone ? "ended" : "refused");
        out.name("phase");
        out.string(phase);
        String next = next(phase, isLate);
        LaunchedProcess of = process;
        if (isGone && of != null) {
            of.exit().ifPresent(exit -> {
                out.name("exit");
                out.string(exit.toString());
            });
            out.name("stderr");
            out.beginArray();
            lastLines().forEach(out::string);
            out.endArray();
        }
        out.name("next");
        out.string(next);
        out.endObject();
        out.endObject();
        String what;
        if (why instanceof RequestTimeoutException late) {
            what = " did not answer within " + late.timeout().toMillis() + " ms of its own time";
        } else if (isGone) {
            what = hung.isEmpty() ? " has ended" + exit() : " " + hung;
        } else {
            what = " got no request: " + why.getMessage();
        }
        return new RpcError(
                RpcError.INTERNAL_ERROR,
                method + " was not answered (" + phase + "): " + subject() + what + ". Next: " + next,
                out.toRawJson());
    }

    private String next(String phase, boolean isLate) {
        if (isLate) {
            return "find out what " + subject() + " waits for, or allow it more time (deadlines: " + phase + ")";
        }
        Component.OnDeath known = decided;
        return switch (known == null ? policy() : known) {
            case RESTART -> "try again, since it is started again; its standard error says why it ended";
            case BYPASS -> "try again, since it is left out from now on";
            case FAIL ->
                "see its standard error, and " + (isTrial ? "change the chain again" : "start the chain again");
        };
    }

    private boolean mayRestart() {
        long now = chain.clock().nanoTime();
        restarts.removeIf(then -> now - then > RESTARTS_WITHIN_NANOS);
        return restarts.size() < MOST_RESTARTS;
    }

    /** Returns what happens when it dies now. */
    private Component.OnDeath policy() {
        if (isTrial) {
            return Component.OnDeath.FAIL;
        }
        for (Component.OnDeath what : onDeath) {
            if (what != Component.OnDeath.RESTART || mayRestart()) {
                return what;
            }
        }
        return Component.OnDeath.FAIL;
    }

    private boolean restarted(String why) {
        while (mayRestart() && !isOver()) {
            long pause = FIRST_PAUSE_MILLIS << (2 * restarts.size());
            restarts.add(chain.clock().nanoTime());
            pause += chain.clock().jitter(pause);
            try {
                if (chain.awaitClosing(pause)) {
                    return false;
                }
                hung = "";
                String rest = "";
                if (ways == null) {
                    replace(launchedAgain());
                } else {
                    rest = replaceAgent(launchedAgain(), ways);
                }
                restarted.incrementAndGet();
                chain.notice(why + " It was started again after " + pause + " ms." + rest);
                return true;
            } catch (IOException | RpcException e) {
                chain.notice((ways == null ? "The component " + name : "The agent") + " could not be started again: "
                        + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    private boolean bypassed(String why) {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Proxy nothing = Proxy.builder(name, "bypassed").build();
        chain.supervise("acp4j-bypass-" + name, () -> {
            try {
                nothing.serve(pair.right(), chain.clock().time());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ConnectionClosedException e) {
                // The end of this side of the pair is reported as that of the component.
            }
        });
        try {
            process = null;
            hung = "";
            replace(pair.left());
            bypassed = true;
            chain.notice(why + " It is left out from now on.");
            return true;
        } catch (RpcException e) {
            chain.notice("The component " + name + " could not be left out: " + e.getMessage());
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Puts another connection in the place of the dead one, initialized as that was. */
    private void replace(Transport transport) throws InterruptedException {
        replacing = true;
        Link.Ends ends = Link.replacement(
                        before.link().right(),
                        behind == null ? null : behind.link().left(),
                        envelope)
                .between()
                .onEnding(this::ending);
        Connection started = builder(transport, ends, states.inside()).start();
        boolean ready = false;
        try {
            RawJson params = before.initializedWith();
            if (params != null) {
                RawJson answer = new Channel(started, null)
                        .start(before.initializeBehind(), params, RawJson.CODEC, null)
                        .await(deadlines.initialization());
                withdraw(before, answer, List.of(before));
                if (ToldSessions.isAsked(answer)) {
                    tellSessions(started);
                }
            }
            if (behind != null) {
                // Before later prompts of these sessions, which wait for the binding.
                states.takeCancellations().forEach(behind::cancelTurn);
            }
            ends.bind();
            replacing = false;
            ready = true;
        } finally {
            if (!ready) {
                started.close();
            }
        }
        begun(started);
    }

    /**
     * Puts another agent in the place of the dead one, initialized as that was, and has it open the sessions again.
     * Returns what is to be said about that.
     */
    private String replaceAgent(Transport transport, Ways crossed) throws InterruptedException {
        replacing = true;
        OpenSessions kept = Objects.requireNonNull(sessions);
        Interceptions last = chain.newest().last();
        Crossing made = Crossing.replacement(crossed, this::ending);
        Connection started = builder(transport, made, crossed.ends()).start();
        boolean ready = false;
        try {
            String rest = "";
            RawJson params = last.initializedWith();
            if (params != null) {
                Channel channel = new Channel(started, null);
                RawJson answer = channel.start(last.initializeBehind(), params, RawJson.CODEC, null)
                        .await(deadlines.initialization());
                withdraw(
                        last, answer, chain.strands().stream().map(Strand::last).toList());
                rest = open(kept, made, channel, Offers.methods(answer));
            }
            crossing = made;
            chain.strands().forEach(made::bind);
            replacing = false;
            ready = true;
            begun(started);
            return rest;
        } finally {
            if (!ready) {
                started.close();
            }
        }
    }

    /** Opens the sessions again. A replay is for nobody: the client has it. */
    private String open(OpenSessions kept, Crossing to, Channel channel, Set<String> offered)
            throws InterruptedException {
        String method = offered.contains("session/resume")
                ? "session/resume"
                : offered.contains("session/load") ? "session/load" : "";
        int opened = 0;
        List<String> lost = new ArrayList<>();
        for (OpenSessions.Open session : kept.ended()) {
            to.mute(session.session());
            try {
                if (method.isEmpty()) {
                    throw RpcError.methodNotFound("session/load");
                }
                RawJson unused = channel.start(method, session.params(), RawJson.CODEC, null)
                        .await(deadlines.setup());
                opened++;
            } catch (RpcError | RequestTimeoutException e) {
                kept.lost(session.session());
                lost.add(session.session() + " (" + e.getMessage() + ")");
            } finally {
                to.unmute(session.session());
            }
        }
        return (opened == 0 ? "" : " Sessions that it has opened again: " + opened + ".")
                + (lost.isEmpty() ? "" : " Sessions that are lost: " + String.join(", ", lost) + ".");
    }

    /** Returns whether the agent has lost a session. */
    boolean hasLost(String session) {
        return sessions != null && sessions.isGone(session);
    }

    /** Tells it the sessions that are open, if it has asked for them. */
    void tellSessions() throws InterruptedException {
        Connection open = connection;
        if (open != null) {
            tellSessions(open);
        }
    }

    private void tellSessions(Connection to) throws InterruptedException {
        RawJson sessions = before.openSessions();
        if (sessions == null) {
            return;
        }
        try {
            new Channel(to, null)
                    .start(ToldSessions.METHOD, sessions, RawJson.CODEC, null)
                    .await(deadlines.setup());
        } catch (RpcError e) {
            chain.notice("The component " + name + " does not take the sessions that are open: " + e.message());
        }
    }

    /** What it has offered before, and does not offer any more, is refused from now on. */
    private void withdraw(Interceptions link, RawJson answer, List<Interceptions> links) {
        RawJson first = link.answerToInitialize();
        Set<String> lost = first == null ? Set.of() : Offers.lost(first, answer);
        links.forEach(one -> one.withdrawBehind(lost));
        if (!lost.isEmpty()) {
            chain.notice((ways == null ? "The component " + name : "The agent") + " does not offer any more: "
                    + String.join(", ", lost) + ". Such requests are refused.");
        }
    }

    // ---- its health

    /** A request has gone in. */
    private void watch(String method) {
        String phase = Deadlines.phase(method);
        long limit = deadlines.of(phase).toNanos();
        // One look for many requests.
        if (limit > 0 && looks.add(phase)) {
            chain.clock().later(limit, () -> lookForLate(phase, limit));
        }
        examineAfterSilence();
    }

    private void lookForLate(String phase, long limit) {
        looks.remove(phase);
        Tap seen = tap;
        Connection open = connection;
        if (seen == null || open == null || isOver()) {
            return;
        }
        if (open.isReaderWaiting()) {
            // Perhaps it has answered, and that is not read because others do not read.
            if (looks.add(phase)) {
                chain.clock().later(READ_AGAIN_NANOS, () -> lookForLate(phase, limit));
            }
            return;
        }
        Map<RequestId, String> late = seen.late(phase, limit);
        late.forEach((id, session) -> {
            chain.notice(subject() + " is late: " + phase + " takes longer than "
                    + deadlines.of(phase).toMillis() + " ms");
            if (session.isEmpty()) {
                open.abandon(id, deadlines.of(phase));
            } else {
                abandonTurn(open, seen, id, session);
            }
        });
        if (!late.isEmpty()) {
            examine();
            // It is not late a second time.
            seen.forget(late.keySet());
        }
        OptionalLong next = seen.nextLook(phase, limit);
        if (next.isPresent() && looks.add(phase)) {
            chain.clock().later(next.getAsLong(), () -> lookForLate(phase, limit));
        }
    }

    /** Ends a turn that is late. Later prompts of its session wait for that, but no longer than it may be silent. */
    private void abandonTurn(Connection open, Tap seen, RequestId prompt, String session) {
        List<Interceptions> links = ways == null
                ? List.of(before)
                : chain.strands().stream().map(Strand::last).toList();
        List<Runnable> ended =
                links.stream().map(link -> link.endingTurn(session)).toList();
        Runnable all = () -> ended.forEach(Runnable::run);
        seen.whenAnswered(prompt, all);
        chain.clock().later(deadlines.prompt().toNanos(), all);
        open.abandon(prompt, deadlines.prompt());
        if (before.version() == Version.V1) {
            // In version 2 no turn has begun before its prompt is answered, but another one may run. It may wait for
            // room, so not here.
            chain.supervise(
                    "acp4j-late-" + name, () -> links.get(links.size() - 1).cancelTurn(session));
        }
    }

    /** Looks, after a while, whether it has been silent since, with something inside. */
    private void examineAfterSilence() {
        long health = deadlines.health().toNanos();
        if (health > 0 && looksForSilence.compareAndSet(false, true)) {
            chain.clock().later(health, () -> lookForSilence(health));
        }
    }

    private void lookForSilence(long health) {
        Tap seen = tap;
        if (seen == null || seen.inFlight() == 0 || isOver()) {
            looksForSilence.set(false);
            return;
        }
        if (isStarting() || !seen.isAwaited()) {
            // That has a deadline of its own; or others are to act, a person perhaps.
            chain.clock().later(health, () -> lookForSilence(health));
            return;
        }
        long left = health - (chain.clock().nanoTime() - seen.lastSign());
        if (left > 0) {
            chain.clock().later(left, () -> lookForSilence(health));
        } else {
            looksForSilence.set(false);
            examine();
        }
    }

    /** Sends a neutral request, and ends the component when nothing of it is heard in time. */
    private void examine() {
        Connection open = connection;
        Tap seen = tap;
        long health = deadlines.health().toNanos();
        if (health == 0 || open == null || seen == null || !examined.compareAndSet(false, true)) {
            return;
        }
        long asked = chain.clock().nanoTime();
        try {
            Call unused = open.prepare(Interceptions.PING, RawJson.EMPTY_OBJECT, RawJson.CODEC, null)
                    .send();
        } catch (RpcException | IllegalStateException e) {
            // It has ended, or so many requests are inside that none of them is answered: that is no sign of life.
        }
        chain.clock().later(health, () -> {
            examined.set(false);
            if (seen == tap && seen.lastSign() - asked < 0 && !isOver()) {
                hangs(
                        open,
                        "no answer to a neutral request within "
                                + deadlines.health().toMillis() + " ms");
                return;
            }
            Tap now = tap;
            if (now != null && now.inFlight() > 0) {
                examineAfterSilence();
            }
        });
    }

    /** Ends it as one that hangs, if it is started again then; returns whether it is. */
    boolean restartHanging(String why) {
        Connection open = connection;
        if (open == null || isStarting() || isOver() || !onDeath.contains(Component.OnDeath.RESTART)) {
            return false;
        }
        hangs(open, why);
        return true;
    }

    private void hangs(Connection open, String why) {
        hung = "hangs: " + why + ", so it was ended";
        chain.notice(subject() + " " + hung);
        LaunchedProcess running = process;
        chain.supervise("acp4j-hung-" + name, () -> {
            if (running != null) {
                // It would not read that its input has ended.
                running.close(Duration.ZERO);
            }
            open.close();
        });
    }

    private boolean isStarting() {
        return replacing || before.answerToInitialize() == null;
    }

    ComponentStatus status() {
        Connection open = connection;
        LaunchedProcess running = process;
        Tap seen = tap;
        ComponentStatus.State state;
        if (failed) {
            state = ComponentStatus.State.FAILED;
        } else if (open == null || !open.isOpen()) {
            state = ComponentStatus.State.DOWN;
        } else if (bypassed) {
            state = ComponentStatus.State.BYPASSED;
        } else {
            state = isStarting() ? ComponentStatus.State.STARTING : ComponentStatus.State.READY;
        }
        return new ComponentStatus(
                name,
                running == null || !running.isAlive() ? OptionalLong.empty() : OptionalLong.of(running.pid()),
                state,
                restarted.get(),
                seen == null ? 0 : seen.inFlight(),
                open == null ? 0 : open.queuedBytes(),
                Duration.ofNanos(seen == null ? 0 : seen.percentileNanos(50)),
                Duration.ofNanos(seen == null ? 0 : seen.percentileNanos(99)));
    }

    // ---- the end

    /** Lets it read the end of its input. What it says after that still gets to its neighbours. */
    private void endInput() {
        Connection open = connection;
        if (open != null) {
            open.endOutput();
        }
    }

    /**
     * Lets it read the end of its input, and waits until it has ended and what it has said is delivered. Returns false
     * when the time is over before.
     */
    boolean end(Duration time) throws InterruptedException {
        if (hasToEnd.compareAndSet(false, true)) {
            // Not here: one that does not read would keep this thread.
            chain.supervise("acp4j-end-" + name, this::endInput);
        }
        Connection open = connection;
        return open == null || open.awaitClosed(time);
    }

    /** Ends the program, after a time to end by itself unless it had that. */
    void close(Duration time) {
        LaunchedProcess running = process;
        Connection open = connection;
        Tap opened = tap;
        try {
            boolean ended = open != null && (hasToEnd.get() ? open.awaitClosed(Duration.ZERO) : end(time));
            if (ended) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (running != null && open != null) {
            if (running.isAlive() && !time.isZero()) {
                chain.notice(subject() + " does not end although its input has, so it is ended.");
            }
            running.close(Duration.ZERO);
        }
        if (open != null && !Thread.currentThread().isInterrupted()) {
            open.close();
        } else if (opened != null) {
            opened.close();
        }
    }
}
