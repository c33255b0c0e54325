package dev.acp4j.proxy;

import dev.acp4j.process.ExitStatus;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.ErrorCode;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A chain at work for one client. All methods may be called from any thread. */
@Unstable
public final class RunningChain implements AutoCloseable {
    /** How long the programs may take to end by themselves. */
    private static final Duration END_TIME = Duration.ofSeconds(2);

    private final Conductor conductor;
    private final Clock clock;

    /** Guards that the chain is closed once. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable Thread closer;
    private final List<Interceptions> links = new ArrayList<>();
    private final List<Station> stations = new ArrayList<>();
    private final CountDownLatch begunToClose = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Connection client;
    private volatile boolean closing;
    private volatile @Nullable String failure;

    private RunningChain(Conductor conductor) {
        this.conductor = conductor;
        this.clock = conductor.clock();
    }

    static RunningChain start(Conductor conductor, Transport client) throws IOException, InterruptedException {
        RunningChain chain = new RunningChain(conductor);
        boolean started = false;
        try {
            chain.link();
            chain.startAll(client);
            started = true;
            return chain;
        } finally {
            if (!started) {
                client.close();
                chain.closing = true;
                chain.begunToClose.countDown();
                chain.closeStations();
                chain.clock.close();
            }
        }
    }

    /** An error with which a component answers, and which cannot be that of what is behind it. */
    private RpcError refused(Component component, Interceptions link, RpcError error) {
        if (error.code() == ErrorCode.UNSUPPORTED_PROTOCOL_VERSION.value()) {
            return error; // The client may ask for another version.
        }
        String why = "The component " + component.id() + " answered " + link.initializeBehind() + " with error "
                + error.code() + " \"" + error.message()
                + "\", so it is no proxy, one of another dialect, or one without the version of the protocol that the "
                + "client asks for: put an agent "
                + "at the end of the chain, and "
                + (component.isLegacy()
                        ? "do not mark others as legacy"
                        : "mark proxies for older conductors as legacy (dialect: legacy, or --legacy " + component.id()
                                + ")")
                + ". Its command: " + component.launch().commandLine();
        notice(why);
        return RpcError.invalidRequest(why);
    }

    /** The error of an agent that may not be one; the code and the data stay. */
    private RpcError refusedByAgent(RpcError error) {
        Launch agent = conductor.agent();
        boolean isMisplaced = error.code() == RpcError.INVALID_REQUEST || error.code() == RpcError.METHOD_NOT_FOUND;
        if (agent == null || links.size() == 1 || !isMisplaced) {
            return error;
        }
        String why = "The agent answered initialize with error " + error.code() + " \"" + error.message()
                + "\": if it is a proxy, put an agent behind it. Its command: " + agent.commandLine();
        notice(why);
        return new RpcError(error.code(), why, error.data().orElse(null));
    }

    /** Lays the links between the neighbours, and a station for each program. */
    private void link() {
        List<Conductor.Stretch> stretches = conductor.stretches();
        Interceptions.Place outside = conductor.isProxy() ? Interceptions.Place.CONDUCTOR : Interceptions.Place.PLAIN;
        Interceptions.Place before = outside;
        for (Conductor.Stretch stretch : stretches) {
            Component component = stretch.component();
            Interceptions.Place behind = component == null
                    ? outside
                    : component.isLegacy() ? Interceptions.Place.LEGACY_COMPONENT : Interceptions.Place.COMPONENT;
            Interceptions link = new Interceptions(stretch.inside(), before, behind);
            links.add(link);
            int behindIt = links.size();
            if (component != null) {
                link.onRefused(error -> links.get(behindIt).wasAsked() ? error : refused(component, link, error));
            } else if (!conductor.isProxy()) {
                link.onRefused(this::refusedByAgent);
            }
            before = behind;
        }
        if (conductor.isProxy()) {
            links.get(0).toConductor(links.get(links.size() - 1).link().right());
            links.get(0).forAll(() -> links.stream().anyMatch(Interceptions::keepsSessions), this::reopen);
        }
        for (int i = 0; i < links.size(); i++) {
            Component component = stretches.get(i).component();
            if (component != null) {
                stations.add(new Station(this, component, links.get(i), links.get(i + 1)));
            } else if (!conductor.isProxy()) {
                stations.add(new Station(this, conductor, links.get(i)));
            }
        }
        for (int i = 0; i < links.size(); i++) {
            links.get(i).stations(i == 0 ? null : stations.get(i - 1), i < stations.size() ? stations.get(i) : null);
        }
    }

    /** As a component that was started again: tells all its parts the sessions that are open. */
    private void reopen(List<OpenSessions.Open> all) {
        try {
            for (Interceptions link : links.subList(1, links.size())) {
                link.reopen(all);
            }
            for (Station station : stations) {
                station.tellSessions();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void startAll(Transport transport) throws IOException, InterruptedException {
        for (Station station : stations) {
            station.resolve();
        }
        List<Connection.Builder> builders = new ArrayList<>();
        Connection.Builder outer = Connection.builder(transport, outside())
                .name("client")
                .limits(conductor.limits())
                .onProblem(problem -> problem("the client", problem))
                .onEnded(() -> {
                    links.forEach(Interceptions::ended);
                    supervise("acp4j-chain-end", this::close);
                });
        builders.add(
                conductor.isProxy() ? outer.envelopes(Interceptions.SUCCESSOR, Interceptions.LEGACY_SUCCESSOR) : outer);
        List<FutureTask<Connection.Builder>> starts = new ArrayList<>();
        for (Station station : stations) {
            FutureTask<Connection.Builder> start = new FutureTask<>(station::begin);
            starts.add(start);
            supervise("acp4j-start-" + station.name(), start);
        }
        for (int i = 0; i < starts.size(); i++) {
            builders.add(begun(starts.get(i), stations.get(i)));
        }
        List<Connection> connections = Link.start(builders.toArray(new Connection.Builder[0]));
        client = connections.get(0);
        for (int i = 0; i < stations.size(); i++) {
            stations.get(i).begun(connections.get(i + 1));
        }
    }

    private static Connection.Builder begun(FutureTask<Connection.Builder> start, Station station)
            throws IOException, InterruptedException {
        long nanos = station.deadlines().start().toNanos();
        try {
            return nanos == 0 ? start.get() : start.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            start.cancel(true);
            throw new IOException(station.name() + ": not started within "
                    + station.deadlines().start().toMillis()
                    + " ms. Next: try its command alone, or allow more time (deadlines: start).");
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException why -> throw why;
                case InterruptedException why -> throw why;
                case RuntimeException why -> throw why;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    private Handler outside() {
        Link.End first = links.get(0).link().left();
        return conductor.isProxy()
                ? Link.handler(first, links.get(links.size() - 1).link().right(), Interceptions.SUCCESSOR)
                : Link.handler(first);
    }

    Conductor conductor() {
        return conductor;
    }

    /** Waits so long, or until the chain begins to close: then it returns true. */
    boolean awaitClosing(long millis) throws InterruptedException {
        return begunToClose.await(millis, TimeUnit.MILLISECONDS);
    }

    boolean isClosing() {
        return closing;
    }

    void problem(String of, Problem problem) {
        notice(of + ": " + problem.detail());
    }

    void notice(String sentence) {
        try {
            conductor.onNotice().accept(sentence);
        } catch (RuntimeException e) {
            Problems.log(sentence + " (And who was to be told failed: " + e + ")");
        }
    }

    static Thread supervise(String name, Runnable body) {
        return Thread.ofPlatform().daemon().name(name).start(body);
    }

    Clock clock() {
        return clock;
    }

    /** Returns what each program of the chain does now, in their order; the agent, named {@code agent}, is the last. */
    public List<ComponentStatus> status() {
        return stations.stream().map(Station::status).toList();
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
        if (conductor.isProxy()) {
            return Optional.empty();
        }
        LaunchedProcess process = stations.get(stations.size() - 1).process();
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
     * Ends the chain: the connection to the client, and then each program in the order of the chain, when what the one
     * before it has said is delivered. After two seconds those that are left read the end of their input, too, and have
     * two seconds. What has not ended then is asked to terminate, and killed. Blocks until then; interrupted, it kills
     * at once.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closer == null) {
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
            endInOrder();
            closeStations();
        } finally {
            clock.close();
            ended.countDown();
        }
    }

    /** Lets the programs end by themselves, one after another, under one deadline. */
    private void endInOrder() {
        long deadline = System.nanoTime() + END_TIME.toNanos();
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
    private void closeStations() {
        List<Thread> closers = new ArrayList<>();
        for (Station station : stations) {
            closers.add(supervise("acp4j-close-" + station.name(), () -> station.close(END_TIME)));
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
