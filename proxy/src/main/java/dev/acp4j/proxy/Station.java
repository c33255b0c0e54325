package dev.acp4j.proxy;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.Channel;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One program of a chain while it runs, dies and is started again. What was inside it when it died is answered with an
 * error; turns that it had passed on are cancelled, so that none goes on unattended; nothing is sent twice.
 */
final class Station {
    private static final int MOST_RESTARTS = 3;
    private static final long RESTARTS_WITHIN_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final Duration INITIALIZATION = Duration.ofSeconds(30);

    private final RunningChain chain;
    private final String name;
    private final @Nullable Launch launch;
    private final Conductor.@Nullable Connector connector;
    private final List<Component.OnDeath> onDeath;
    private final String envelope;
    private final Interceptions before;
    private final @Nullable Interceptions behind;

    /** When it was started again, the oldest first. For the thread that supervises. */
    private final ArrayDeque<Long> restarts = new ArrayDeque<>();

    /** Held while a death is dealt with: one after another. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable LaunchedProcess process;
    private volatile @Nullable Connection connection;

    Station(RunningChain chain, Component component, Interceptions before, Interceptions behind) {
        this.chain = chain;
        this.name = component.id();
        this.launch = component.launch();
        this.connector = null;
        this.onDeath = component.onDeath();
        this.envelope = component.isLegacy() ? Interceptions.LEGACY_SUCCESSOR : Interceptions.SUCCESSOR;
        this.before = before;
        this.behind = behind;
    }

    /** The agent. */
    Station(
            RunningChain chain,
            @Nullable Launch launch,
            Conductor.@Nullable Connector connector,
            Interceptions before) {
        this.chain = chain;
        this.name = "agent";
        this.launch = launch;
        this.connector = connector;
        this.onDeath = List.of(Component.OnDeath.FAIL);
        this.envelope = "";
        this.before = before;
        this.behind = null;
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
            var unused = launch.program();
        } catch (IOException e) {
            throw new IOException(name + ": " + launch.report(e).summary(), e);
        }
    }

    // ---- the first time

    /** Starts the program. */
    Connection.Builder begin() throws IOException, InterruptedException {
        return builder(launched(), handler());
    }

    void begun(Connection value) {
        connection = value;
        if (chain.isClosing()) {
            value.close();
        }
        if (!value.isOpen()) {
            // It ended before anybody knew it.
            endedLater();
        }
    }

    private void endedLater() {
        RunningChain.supervise("acp4j-supervisor-" + name, this::ended);
    }

    private Link.Ends handler() {
        Link.Ends ends = behind == null
                ? Link.handler(before.link().right())
                : Link.handler(before.link().right(), behind.link().left(), envelope);
        return ends.onEnding(this::endedLater);
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
        if (chain.isClosing()) {
            started.close();
        }
        return started.transport();
    }

    private Connection.Builder builder(Transport transport, dev.acp4j.rpc.Handler handler) {
        Connection.Builder builder = Connection.builder(transport, handler)
                .name(name)
                .limits(chain.conductor().limits())
                .answerNoise(false)
                // A program that has ended can do nothing with an answer.
                .answersAfterInput(false)
                .onProblem(problem -> chain.problem(name, problem))
                .onEnded(this::endedLater);
        return behind == null ? builder : builder.envelopes(Interceptions.SUCCESSOR, Interceptions.LEGACY_SUCCESSOR);
    }

    // ---- its death

    private void ended() {
        lock.lock();
        try {
            Connection dead = connection;
            if (!chain.isClosing() && dead != null && !dead.isOpen()) {
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
        before.link().right().unbind(dead);
        if (behind != null) {
            behind.link().left().unbind(dead);
            cancelTurns(dead, behind.link().right());
        }
        String why = reason();
        for (Component.OnDeath what : onDeath) {
            if (chain.isClosing()) {
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
                    chain.fail(why + " The chain ends.");
                    return;
                }
            }
        }
        chain.fail(why + " The chain ends.");
    }

    private String reason() {
        LaunchedProcess died = process;
        String subject = behind == null ? "The agent has ended" : "The component " + name + " has ended";
        if (died == null) {
            return subject + ".";
        }
        String exit = died.exit().map(status -> ": " + status).orElse("");
        String stderr = died.stderr().strip();
        String last = stderr.substring(stderr.lastIndexOf('\n') + 1);
        return subject + exit + (last.isEmpty() ? "." : ". It said: " + last + ".");
    }

    /** Turns whose prompts it had passed on would go on with nobody to hear of them. */
    private static void cancelTurns(Connection dead, Link.End successor) {
        Set<String> sessions = new HashSet<>();
        for (IncomingRequest request : dead.unanswered()) {
            if (request.method().equals("session/prompt") && sessions.add(request.session())) {
                JsonWriter params = new JsonWriter();
                params.beginObject();
                params.name("sessionId");
                params.string(request.session());
                params.endObject();
                try {
                    successor.channel().send("session/cancel", params.toRawJson(), RawJson.CODEC);
                } catch (ConnectionClosedException | IllegalStateException e) {
                    // It has ended, too, and its turns with it.
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private boolean mayRestart() {
        long now = System.nanoTime();
        while (!restarts.isEmpty() && now - restarts.peek() > RESTARTS_WITHIN_NANOS) {
            restarts.poll();
        }
        return restarts.size() < MOST_RESTARTS;
    }

    private boolean restarted(String why) {
        while (mayRestart() && !chain.isClosing()) {
            long pause = FIRST_PAUSE_MILLIS << (2 * restarts.size());
            restarts.add(System.nanoTime());
            try {
                if (chain.awaitClosing(pause + ThreadLocalRandom.current().nextLong(pause))) {
                    return false;
                }
                replace(launched());
                chain.notice(why + " It was started again.");
                return true;
            } catch (IOException | RpcException e) {
                chain.notice("The component " + name + " could not be started again: " + e.getMessage());
                kill();
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
        RunningChain.supervise("acp4j-bypass-" + name, () -> {
            try {
                nothing.serve(pair.right());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            process = null;
            replace(pair.left());
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
        Link.Ends ends = Link.replacement(
                        before.link().right(),
                        behind == null ? null : behind.link().left(),
                        envelope)
                .onEnding(this::endedLater);
        Connection started = builder(transport, ends).start();
        boolean ready = false;
        try {
            RawJson params = before.initializedWith();
            if (params != null) {
                RawJson unused = new Channel(started, null)
                        .start(before.initializeBehind(), params, RawJson.CODEC, null)
                        .await(INITIALIZATION);
            }
            ends.bind();
            ready = true;
        } finally {
            if (!ready) {
                started.close();
            }
        }
        begun(started);
    }

    // ---- the end

    void close() {
        Connection open = connection;
        if (open != null) {
            open.close();
        }
        LaunchedProcess running = process;
        if (running != null) {
            running.close();
        }
    }

    /** Ends the program without ceremony. */
    void kill() {
        LaunchedProcess running = process;
        if (running != null) {
            running.close();
        }
    }
}
