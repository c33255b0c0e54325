package dev.acp4j.proxy;

import dev.acp4j.process.ExitStatus;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A chain at work for one client. All methods may be called from any thread. */
@Unstable
public final class RunningChain implements AutoCloseable {
    private final Conductor conductor;
    private final List<Interceptions> links = new ArrayList<>();
    private final List<Station> stations = new ArrayList<>();
    private final CountDownLatch begunToClose = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable Connection client;
    private volatile boolean closing;
    private volatile @Nullable String failure;

    private RunningChain(Conductor conductor) {
        this.conductor = conductor;
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
                chain.stations.forEach(Station::kill);
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
                + "\", so it is no proxy, or one of another dialect: put an agent "
                + "at the end of the chain, and "
                + (component.isLegacy()
                        ? "do not mark others as legacy"
                        : "mark proxies for older conductors as legacy")
                + ". Its command: " + component.launch().commandLine();
        notice(why);
        return RpcError.invalidRequest(why);
    }

    /** Lays the links between the neighbours, and a station for each program. */
    private void link() {
        List<Conductor.Stretch> stretches = conductor.stretches();
        Interceptions.Place outside = conductor.isProxy() ? Interceptions.Place.CONDUCTOR : Interceptions.Place.PLAIN;
        Interceptions.Place before = outside;
        String name = "the client";
        for (Conductor.Stretch stretch : stretches) {
            Component component = stretch.component();
            Interceptions.Place behind = component == null
                    ? outside
                    : component.isLegacy() ? Interceptions.Place.LEGACY_COMPONENT : Interceptions.Place.COMPONENT;
            String next = component == null ? "the agent" : "the component " + component.id();
            Interceptions link = new Interceptions(stretch.inside(), before, behind);
            link.names(name, next);
            links.add(link);
            int behindIt = links.size();
            if (component != null) {
                link.onRefused(error -> links.get(behindIt).wasAsked() ? error : refused(component, link, error));
            }
            before = behind;
            name = next;
        }
        if (conductor.isProxy()) {
            links.get(0).toConductor(links.get(links.size() - 1).link().right());
        }
        for (int i = 0; i < links.size(); i++) {
            Component component = stretches.get(i).component();
            if (component != null) {
                stations.add(new Station(this, component, links.get(i), links.get(i + 1)));
            } else if (!conductor.isProxy()) {
                stations.add(new Station(this, conductor.agent(), conductor.connector(), links.get(i)));
            }
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
        for (Station station : stations) {
            builders.add(station.begin());
        }
        List<Connection> connections = Link.start(builders.toArray(new Connection.Builder[0]));
        client = connections.get(0);
        for (int i = 0; i < stations.size(); i++) {
            stations.get(i).begun(connections.get(i + 1));
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

    static void supervise(String name, Runnable body) {
        Thread.ofPlatform().daemon().name(name).start(body);
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

    /** Ends the chain: the connection to the client, and then each program in the order of the chain. */
    @Override
    public void close() {
        if (!closing) {
            closing = true;
            begunToClose.countDown();
            supervise("acp4j-chain-close", this::closeAll);
        }
        boolean interrupted = false;
        while (true) {
            try {
                ended.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                stations.forEach(Station::kill);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeAll() {
        try {
            if (client != null) {
                client.close();
            }
            stations.forEach(Station::close);
        } finally {
            ended.countDown();
        }
    }
}
