package dev.acp4j.proxy;

import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.ErrorCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The components between a client and an agent, and the links between them. A chain that was changed has several for a
 * while: sessions that are busy stay on the one where they began to be.
 */
final class Strand {
    private final RunningChain chain;
    private final Conductor conductor;
    private final boolean isProxy;
    private final List<Interceptions> links = new ArrayList<>();

    /** The programs, without the agent. */
    private final List<Station> stations = new ArrayList<>();

    /** The links on which each proxy stands, in their order. */
    private final Map<Part, List<Interceptions>> byPart = new HashMap<>();

    private final Link.Ends toClient;
    private final Link.@Nullable Ends toAgent;

    /**
     * Lays the links between the neighbours, and a station for each program.
     *
     * @param isProxy whether there is no agent at the end, but what the client's side has as its successor
     * @param envelope the method of the envelopes in which that is sent to
     */
    Strand(RunningChain chain, Conductor conductor, boolean isProxy, String envelope) {
        this.chain = chain;
        this.conductor = conductor;
        this.isProxy = isProxy;
        List<Conductor.Stretch> stretches = conductor.stretches();
        Interceptions.Place outside = isProxy ? Interceptions.Place.CONDUCTOR : Interceptions.Place.PLAIN;
        Interceptions.Place before = outside;
        for (Conductor.Stretch stretch : stretches) {
            Component component = stretch.component();
            Interceptions.Place behind = component == null
                    ? outside
                    : component.isLegacy() ? Interceptions.Place.LEGACY_COMPONENT : Interceptions.Place.COMPONENT;
            Interceptions link = new Interceptions(stretch.inside(), before, behind);
            links.add(link);
            link.onProblem(problem -> chain.notice(problem.detail()));
            int behindIt = links.size();
            if (component != null) {
                link.onRefused(error -> links.get(behindIt).wasAsked() ? error : refused(component, link, error));
            } else if (!isProxy) {
                link.onRefused(this::refusedByAgent);
            }
            before = behind;
        }
        if (isProxy) {
            first().toConductor(last().link().right());
            first().forAll(() -> links.stream().anyMatch(Interceptions::keepsSessions), this::reopen);
        }
        for (int i = 0; i < links.size(); i++) {
            Component component = stretches.get(i).component();
            if (component != null) {
                stations.add(new Station(chain, component, links.get(i), links.get(i + 1)));
                links.get(i + 1).follows(links.get(i));
            }
        }
        for (Interceptions link : links) {
            link.proxy().entries().stream()
                    .map(Entry::part)
                    .distinct()
                    .forEach(part -> byPart.computeIfAbsent(part, made -> new ArrayList<>())
                            .add(link));
        }
        record();
        Link.End left = first().link().left();
        Link.End right = last().link().right();
        toClient = isProxy ? Link.replacement(left, right, envelope) : Link.replacement(left, null, "");
        toAgent = isProxy ? null : Link.replacement(right, null, "");
    }

    /** Joins the neighbours of links with them. */
    void neighbours(@Nullable Station agent) {
        for (int i = 0; i < links.size(); i++) {
            links.get(i).stations(i == 0 ? null : stations.get(i - 1), i < stations.size() ? stations.get(i) : agent);
        }
    }

    Interceptions first() {
        return links.get(0);
    }

    Interceptions last() {
        return links.get(links.size() - 1);
    }

    List<Interceptions> links() {
        return links;
    }

    List<Station> stations() {
        return stations;
    }

    /** Returns on how many links before one a proxy stands, too. */
    int number(Interceptions link, Part part) {
        return Math.max(0, byPart.getOrDefault(part, List.of()).indexOf(link));
    }

    /** Returns the link on which a proxy stands that stands on so many before it, too; null if there is none. */
    @Nullable
    Interceptions link(Part part, int number) {
        List<Interceptions> its = byPart.getOrDefault(part, List.of());
        return number < its.size() ? its.get(number) : null;
    }

    /** Whether a session is known to be open here. */
    boolean knows(String session) {
        return links.stream().anyMatch(link -> link.knows(session));
    }

    /** Returns where the messages of the client go, or of the agent. */
    Link.Ends ends(boolean ofClient) {
        return ofClient || toAgent == null ? toClient : toAgent;
    }

    /** Has the trace know what passes, if there is one. */
    private void record() {
        ChainTrace trace = chain.conductor().trace();
        if (trace == null) {
            return;
        }
        String before = Hops.CLIENT;
        for (int i = 0; i < links.size(); i++) {
            Conductor.Stretch stretch = conductor.stretches().get(i);
            Component component = stretch.component();
            String behind = component == null ? Hops.AGENT : component.id();
            links.get(i).hops(new Hops(trace, before, stretch.insides(), behind));
            before = behind;
        }
    }

    /** Returns the names of all that messages pass, from the client to the agent. */
    List<String> ends() {
        List<String> ends = new ArrayList<>(List.of(Hops.CLIENT));
        for (Conductor.Stretch stretch : conductor.stretches()) {
            stretch.insides().forEach(inside -> ends.add(inside.id()));
            Component component = stretch.component();
            ends.add(component == null ? Hops.AGENT : component.id());
        }
        return ends;
    }

    // ---- the start

    /** Starts programs together, and returns what connects them. */
    static List<Connection.Builder> begin(List<Station> stations) throws IOException, InterruptedException {
        for (Station station : stations) {
            station.resolve();
        }
        List<FutureTask<Connection.Builder>> starts = new ArrayList<>();
        for (Station station : stations) {
            FutureTask<Connection.Builder> start = new FutureTask<>(station::begin);
            starts.add(start);
            station.run(start);
        }
        List<Connection.Builder> builders = new ArrayList<>();
        for (int i = 0; i < starts.size(); i++) {
            builders.add(begun(starts.get(i), stations.get(i)));
        }
        return builders;
    }

    /** Returns what a station is started with, if that comes within its deadline. */
    static <T> T begun(FutureTask<T> start, Station station) throws IOException, InterruptedException {
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
        chain.notice(why);
        return RpcError.invalidRequest(why);
    }

    /** The error of an agent that may not be one; the code and the data stay. */
    private RpcError refusedByAgent(RpcError error) {
        Launch agent = chain.conductor().agent();
        boolean isMisplaced = error.code() == RpcError.INVALID_REQUEST || error.code() == RpcError.METHOD_NOT_FOUND;
        if (agent == null || links.size() == 1 || !isMisplaced) {
            return error;
        }
        String why = "The agent answered initialize with error " + error.code() + " \"" + error.message()
                + "\": if it is a proxy, put an agent behind it. Its command: " + agent.commandLine();
        chain.notice(why);
        return new RpcError(error.code(), why, error.data().orElse(null));
    }

    // ---- the change to another one

    /**
     * Takes over what another one has, so that the agent is not initialized again and proxies of this program that are
     * in both keep what they have kept for sessions.
     */
    void follows(Strand old) {
        last().isInitialized(old.last());
    }

    /**
     * Takes over what proxies of this program have kept for sessions, and the sessions that programs of both have asked
     * for.
     *
     * @return whether there are such sessions, so that {@link #tellSessions} is due
     */
    boolean adopt(Strand old) {
        Set<Interceptions> others = Set.copyOf(old.links);
        // First: the first link takes over all sessions, and they would be no more than before.
        boolean isMore = adoptTold(old);
        links.forEach(link -> link.adopt(others));
        return isMore;
    }

    /** Does the same for a session that was opened on the other one. */
    boolean adopt(Strand old, String session) {
        Set<Interceptions> others = Set.copyOf(old.links);
        boolean isMore = adoptTold(old);
        links.forEach(link -> link.adopt(session, others));
        return isMore;
    }

    private boolean adoptTold(Strand old) {
        boolean isMore = false;
        for (int i = 0; i < stations.size(); i++) {
            for (int j = 0; j < old.stations.size(); j++) {
                if (stations.get(i).name().equals(old.stations.get(j).name())) {
                    isMore |= links.get(i).adoptTold(old.links.get(j));
                }
            }
        }
        return isMore;
    }

    /**
     * Tells all programs that have asked for them the sessions that are open.
     *
     * @throws IOException when one does not answer
     */
    void tellSessions() throws IOException, InterruptedException {
        for (Station station : stations) {
            try {
                station.tellSessions();
            } catch (RpcException e) {
                throw new IOException(station.name() + ": " + e.getMessage(), e);
            }
        }
    }

    /** As a component that was started again: tells all its parts the sessions that are open. */
    private void reopen(List<ToldSessions.Open> all) {
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

    boolean isProxy() {
        return isProxy;
    }
}
