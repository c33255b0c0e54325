package dev.acp4j.proxy;

import dev.acp4j.json.RawJson;
import dev.acp4j.process.ExitStatus;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A chain at work for one client. All methods may be called from any thread. */
@Unstable
public final class RunningChain implements AutoCloseable {
    private static final Duration END_TIME = Duration.ofSeconds(2);

    private final Conductor conductor;
    private final Clock clock;

    /** Guards that the chain is closed once. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable Thread closer;
    /** Held while the chain is changed: one change after another. */
    private final ReentrantLock changing = new ReentrantLock();

    private final TurnTimes times = new TurnTimes();
    private final Ways ways;
    private final Strands strands;
    private final Crossing clientSide;

    /** The agent; null if the chain is itself a proxy. */
    private final @Nullable Station agent;

    private final CountDownLatch begunToClose = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Connection client;
    private volatile boolean closing;

    /** How long the programs have to end by themselves. */
    private volatile Duration endTime = END_TIME;

    private volatile @Nullable String failure;

    private RunningChain(Conductor conductor) {
        this.conductor = conductor;
        this.clock = conductor.clock();
        Strand first = new Strand(this, conductor, conductor.isProxy(), Interceptions.SUCCESSOR);
        this.ways = new Ways(first, this::retire, clock, times);
        this.strands = new Strands(first, ways, this::notice);
        this.clientSide = new Crossing(ways, true, unused -> {});
        this.agent = conductor.isProxy() ? null : new Station(this, conductor, first.last(), ways);
        first.neighbours(agent);
    }

    static RunningChain start(Conductor conductor, Transport client) throws IOException, InterruptedException {
        RunningChain chain = new RunningChain(conductor);
        boolean started = false;
        try {
            chain.startAll(client);
            started = true;
            return chain;
        } finally {
            if (!started) {
                client.close();
                chain.closing = true;
                chain.begunToClose.countDown();
                chain.closeStations(chain.stations());
                chain.clock.close();
            }
        }
    }

    Strand newest() {
        return strands.newest();
    }

    /** Returns the strands in use. */
    List<Strand> strands() {
        return strands.inUse();
    }

    /** Returns all programs: of older strands, of the newest, and the agent. */
    private List<Station> stations() {
        List<Station> all = new ArrayList<>();
        strands().forEach(strand -> all.addAll(strand.stations()));
        if (agent != null) {
            all.add(agent);
        }
        return all;
    }

    private void startAll(Transport transport) throws IOException, InterruptedException {
        Connection.Builder outer = Connection.builder(transport, clientSide)
                .name("client")
                .time(clock.time())
                .limits(conductor.limits())
                .listener(conductor.listener())
                .onProblem(problem -> problem("the client", problem))
                .onEnded(() -> {
                    strands().forEach(strand -> strand.links().forEach(Interceptions::ended));
                    supervise("acp4j-chain-end", this::close);
                });
        List<Station> stations = stations();
        List<Connection.Builder> builders = new ArrayList<>(List.of(enveloped(outer)));
        builders.addAll(Strand.begin(stations));
        ChainTrace trace = conductor.trace();
        if (trace != null) {
            trace.chain(newest().ends());
        }
        List<Connection> connections = Link.start(builders.toArray(new Connection.Builder[0]));
        client = connections.get(0);
        for (int i = 0; i < stations.size(); i++) {
            stations.get(i).begun(connections.get(i + 1));
        }
    }

    private Connection.Builder enveloped(Connection.Builder outer) {
        return conductor.isProxy() ? outer.envelopes(Interceptions.SUCCESSOR, Interceptions.LEGACY_SUCCESSOR) : outer;
    }

    // ---- the change of a chain

    /**
     * Changes the components of the chain to those of another conductor, while sessions are open; the agent and
     * everything else stay. New programs are started and initialized first: if that fails, nothing changes. Then each
     * session takes the new components as soon as it is not busy: what is in flight, and a turn that runs, ends with
     * the old ones. Programs that no session uses any more are ended. Programs are started anew also if they are in
     * both; a {@link Proxy} of this program that is in both keeps its state of sessions. Blocks until the new
     * components are initialized.
     *
     * @param next the conductor with the components; its agent, limits and listeners are not looked at
     * @throws IOException when a program cannot be started or initialized, or the client has not initialized the chain
     *     yet; the chain goes on unchanged
     * @throws InterruptedException when interrupted; the chain goes on unchanged
     */
    public void reload(Conductor next) throws IOException, InterruptedException {
        changing.lockInterruptibly();
        try {
            Strand old = newest();
            if (old.first().shown() == null) {
                throw new IOException("the client has not initialized the chain yet");
            }
            boolean isLegacy = old.first().askedBy().startsWith("_");
            Strand strand = new Strand(
                    this,
                    next,
                    conductor.isProxy(),
                    isLegacy ? Interceptions.LEGACY_SUCCESSOR : Interceptions.SUCCESSOR);
            strand.neighbours(agent);
            strand.follows(old);
            strands.follow(strand);
            boolean isReady = false;
            try {
                RawJson answer = new Trial(strand).initialize(old.first());
                strand.first().withdraw(lost(old.first(), answer));
                strands.prepare(strand, old);
                isReady = !closing;
            } finally {
                if (!isReady) {
                    strands.prepared();
                    strand.stations().forEach(Station::retire);
                    closeStations(strand.stations());
                    strand.links().forEach(link -> link.endedBut(old.links()));
                }
            }
            if (isReady) {
                takeOver(strand, old);
            }
        } finally {
            changing.unlock();
        }
    }

    private Set<String> lost(Interceptions first, RawJson answer) {
        RawJson shown = first.shown();
        Set<String> lost = shown == null ? Set.of() : Offers.lost(shown, answer);
        if (!lost.isEmpty()) {
            notice("The chain does not offer any more: " + String.join(", ", lost) + ". Such requests are refused.");
        }
        return lost;
    }

    private void takeOver(Strand strand, Strand old) {
        strand.first().showed(old.first());
        strands.add(strand);
        clientSide.bind(strand);
        if (agent != null) {
            agent.bind(strand);
        }
        ChainTrace trace = conductor.trace();
        if (trace != null) {
            trace.chain(strand.ends());
        }
        int busy = ways.change(strand);
        List<String> components = strand.ends().subList(1, strand.ends().size() - 1);
        notice("The chain has changed, it is now: "
                + (components.isEmpty() ? "the agent alone" : String.join(", ", components)) + "."
                + (busy == 0 ? "" : " Sessions that keep the old one until their turns have ended: " + busy + "."));
    }

    /** No session uses a strand any more. */
    private void retire(Strand strand) {
        supervise("acp4j-chain-retire", () -> {
            strand.stations().forEach(Station::retire);
            endInOrder(strand.stations());
            closeStations(strand.stations());
            strands.remove(strand);
            Strand next = newest();
            strand.links().forEach(link -> link.endedBut(next.links()));
        });
    }

    Conductor conductor() {
        return conductor;
    }

    /** Waits so long, or until the chain begins to close: then it returns true. */
    boolean awaitClosing(long millis) throws InterruptedException {
        return clock.await(begunToClose, millis);
    }

    boolean isClosing() {
        return closing;
    }

    void problem(String of, Problem problem) {
        notice(of + ": " + problem.detail());
    }

    void notice(String sentence) {
        ChainTrace trace = conductor.trace();
        if (trace != null) {
            trace.notice(sentence);
        }
        try {
            conductor.onNotice().accept(sentence);
        } catch (RuntimeException e) {
            Problems.log(sentence + " (The notice listener failed: " + e + ")");
        }
    }

    Thread supervise(String name, Runnable body) {
        return clock.start(name, body);
    }

    Clock clock() {
        return clock;
    }

    /** Returns what each program of the chain does now, in their order; the agent, named {@code agent}, is the last. */
    public List<ComponentStatus> status() {
        return stations().stream().map(Station::status).toList();
    }

    /** Returns the slowest of the last 256 turns, and where their time has gone; the slowest first, five at most. */
    public List<TurnTime> slowestTurns() {
        return times.slowest();
    }

    TurnTimes times() {
        return times;
    }

    /** The chain cannot go on. */
    void fail(String why) {
        if (failure == null && !closing) {
            failure = why;
            notice(why);
        }
        close();
    }

    /** Returns why the chain has ended, if a program of it is the reason. */
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    /** Returns why the connection to the client has ended, if a failure ended it: its output could not be written. */
    public Optional<Throwable> clientFailure() {
        Connection known = client;
        return known == null ? Optional.empty() : known.failure();
    }

    /** Returns how the agent has exited; empty while it runs, and if there is none. */
    public Optional<ExitStatus> agentExit() {
        LaunchedProcess process = agent == null ? null : agent.process();
        return process == null ? Optional.empty() : process.exit();
    }

    /**
     * Waits until the chain has ended, and all its programs.
     *
     * @throws InterruptedException when interrupted; the chain goes on
     */
    public void awaitClosed() throws InterruptedException {
        ended.await();
    }

    /**
     * Ends an agent that hangs, such as one whose turn does not end, if it is
     * {@linkplain Conductor.Builder#agentOnDeath to be started again}; then it is. What is inside it fails as at its
     * death.
     *
     * @param why what it has not done, for the report
     * @return false if it is not to be started again, or has ended already: then nothing is done
     */
    public boolean restartAgent(String why) {
        return agent != null && agent.restartHanging(Objects.requireNonNull(why));
    }

    /** Ends the chain as {@link #close(Duration)} does, with two seconds. */
    @Override
    public void close() {
        close(END_TIME);
    }

    /**
     * Ends the chain: the connection to the client, and then each program in the order of the chain, when what the one
     * before it has said is delivered. After the given time those that are left read the end of their input, too, and
     * have as long again. What has not ended then is named in a notice, asked to terminate, and killed, see
     * {@link dev.acp4j.process.Launch#shutdownTimes}. Blocks until then; interrupted, it kills at once. If the chain is
     * ending already, this waits for that.
     *
     * @param time how long the programs have to end by themselves; zero asks them to terminate at once
     */
    public void close(Duration time) {
        lock.lock();
        try {
            if (closer == null) {
                endTime = Objects.requireNonNull(time);
                closing = true;
                begunToClose.countDown();
                closer = supervise("acp4j-chain-close", this::closeAll);
            }
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (true) {
            try {
                ended.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                Objects.requireNonNull(closer).interrupt();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeAll() {
        try {
            Connection outer = client;
            if (outer != null) {
                outer.close();
            }
            endInOrder(stations());
            closeStations(stations());
        } finally {
            clock.close();
            ended.countDown();
        }
    }

    /** Lets the programs end by themselves, one after another, under one deadline. */
    private void endInOrder(List<Station> stations) {
        long deadline = System.nanoTime() + endTime.toNanos();
        try {
            for (Station station : stations) {
                if (!station.end(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends all programs at the same time. When this thread is interrupted they are killed at once. */
    private void closeStations(List<Station> stations) {
        List<Thread> closers = new ArrayList<>();
        for (Station station : stations) {
            closers.add(supervise("acp4j-close-" + station.name(), () -> station.close(endTime)));
        }
        boolean interrupted = false;
        for (Thread one : closers) {
            while (one.isAlive()) {
                try {
                    one.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    closers.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
