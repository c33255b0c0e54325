package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.Pages;
import dev.acp4j.http.Principal;
import dev.acp4j.http.RemoteClient;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.http.UnavailableException;
import dev.acp4j.http.clock.Clock;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Hosts agents that speak over standard input and output: each client of a server gets a process, or those of one
 * principal share one. What they say to each other passes unchanged.
 *
 * <pre>{@code
 * try (Gateway gateway = Gateway.builder(Launch.of("my-agent")).build();
 *         RunningServer server = Http.on(8080).pages(gateway.pages()).start(gateway)) {
 *     server.awaitClosed();
 * }
 * }</pre>
 *
 * <p>Thread-safe. The lock guards which processes there are. It is taken before that of {@link Attachments}; nothing is
 * started, ended or waited for while holding it.
 */
@Unstable
public final class Gateway implements Consumer<RemoteClient>, AutoCloseable {
    private static final Duration RETRY = Duration.ofSeconds(10);

    /** How often the processes of shared agents are looked at, which takes some milliseconds for each. */
    private static final Duration WORK_LOOKS = Duration.ofMinutes(1);

    private static final System.Logger LOG = System.getLogger("dev.acp4j.http.gateway");

    /** What the clients of a shared process have in common. */
    private record Shared(Principal principal, String version) {}

    private final Builder settings;
    private final GatewayLimits limits;
    private final History history;
    private final Time time;
    private final SessionOwners owners;
    private final Approvals approvals;
    private final ApprovalLinks links;
    private final DailyTurns turns;
    private final UnusedSessions unusedSessions;
    private final Metrics metrics = new Metrics();
    private final Places places;
    private final Spares spares;
    private final HostRules.House house = new House();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The agents that run, and the clients of those that are shared. */
    @GuardedBy("lock")
    private final Map<HostedAgent, @Nullable Attachments> agents = new HashMap<>();

    @GuardedBy("lock")
    private final Map<Shared, Attachments> shared = new HashMap<>();

    /** How many sessions of each principal are being opened. */
    @GuardedBy("lock")
    private final Map<Principal, Integer> opening = new HashMap<>();

    @GuardedBy("lock")
    private boolean closed;

    private volatile @Nullable Clock clock;

    /** When the processes of agents were looked at last. For the thread of the clock. */
    private long lookedForWork;

    private Gateway(Builder settings, SessionOwners owners) {
        this.settings = settings;
        this.limits = settings.limits;
        this.history = new History(limits);
        this.time = settings.time;
        this.lookedForWork = time.nanoTime();
        this.owners = owners;
        this.places = new Places(limits, time);
        this.turns = new DailyTurns(limits.turnsPerDay(), time);
        this.links = new ApprovalLinks(time);
        this.unusedSessions = new UnusedSessions(owners, settings.keptDays, time, this::tell);
        this.spares = new Spares(
                settings.same == null ? null : watched(settings.same),
                settings.spares,
                pid -> tell(new GatewayEvent.AgentPrestarted(pid)));
        this.approvals = new Approvals(time, limits.questionTime(), this::opened, this::closed);
    }

    /** Hosts this agent, for every principal in the same way. */
    public static Builder builder(Launch agent) {
        return new Builder(principal -> agent, agent);
    }

    /**
     * Hosts an agent that may differ by principal, such as in its user, container, folder or environment.
     *
     * @param agents returns the agent of a principal; on several threads at once. What it throws refuses the client
     */
    public static Builder builder(Function<Principal, Launch> agents) {
        return new Builder(agents, null);
    }

    /** Settings of a gateway. */
    public static final class Builder {
        private final Function<Principal, Launch> agents;
        private final @Nullable Launch same;
        private boolean perUser;
        private int spares;
        private boolean hidesOthers = true;
        private @Nullable Path ownersFile;
        private @Nullable PrincipalFolders roots;
        private @Nullable Webhook webhook;
        private GatewayLimits limits = GatewayLimits.STANDARD;
        private Consumer<? super GatewayEvent> onEvent = event -> {};
        private int keptDays;
        private Time time = Time.SYSTEM;
        private InstantSource clock = InstantSource.system();

        private Builder(Function<Principal, Launch> agents, @Nullable Launch same) {
            this.agents = agents;
            this.same = same;
        }

        /**
         * Has all clients of a principal share one agent, which outlives them until it is idle. By default each client
         * has an agent of its own, which ends with it.
         */
        public Builder perUser() {
            perUser = true;
            return this;
        }

        /**
         * Keeps a number of processes started, so that the next client need not wait for that.
         *
         * @throws IllegalStateException when agents differ by principal: a process that was started belongs to nobody
         */
        public Builder prestarted(int number) {
            if (same == null && number > 0) {
                throw new IllegalStateException("agents that differ by principal cannot be started before");
            }
            spares = number;
            return this;
        }

        /** Lets sessions of a principal work in its folder only. By default they may work everywhere. */
        public Builder roots(PrincipalFolders folders) {
            roots = folders;
            return this;
        }

        /**
         * Keeps whose sessions are whose in a file, so that it is known after a restart. One gateway at a time uses it.
         */
        public Builder sessionOwners(Path file) {
            ownersFile = file;
            return this;
        }

        /**
         * Shows all sessions of the agent to everybody. By default a session that was not opened here by a principal
         * does not exist for it. For servers with one user.
         */
        public Builder oneUser() {
            hidesOthers = false;
            return this;
        }

        /** Sets the limits. */
        public Builder limits(GatewayLimits value) {
            limits = value;
            return this;
        }

        /**
         * Reports questions that open to an address.
         *
         * @throws IllegalArgumentException when it is without TLS and not {@link Webhook#inPrivateNetwork}
         */
        public Builder webhook(Webhook value) {
            value.requireTls();
            webhook = value;
            return this;
        }

        /** Reports what happens, on the thread where it happens; it must not block. */
        public Builder onEvent(Consumer<? super GatewayEvent> listener) {
            onEvent = listener;
            return this;
        }

        /**
         * Has agents delete sessions that their principal has not used for some days. An agent is asked while it runs
         * and has a session open; one that cannot delete sessions keeps them. By default sessions are kept for ever.
         *
         * @param days how many days; positive
         */
        public Builder deleteUnused(int days) {
            if (days <= 0) {
                throw new IllegalArgumentException("a number of days must be positive, got " + days);
            }
            keptDays = days;
            return this;
        }

        Builder clock(InstantSource value) {
            clock = value;
            return this;
        }

        Builder time(Time value) {
            time = value;
            return this;
        }

        /**
         * Makes the gateway, which the caller closes after the servers that use it.
         *
         * @throws IOException when the file of owners cannot be read, or another gateway uses it
         */
        public Gateway build() throws IOException {
            SessionOwners owners =
                    ownersFile == null ? SessionOwners.inMemory(clock) : SessionOwners.read(ownersFile, clock);
            Gateway gateway = new Gateway(this, owners);
            gateway.begin();
            return gateway;
        }
    }

    private void begin() {
        clock = Clock.start("acp4j-gateway-clock", time, this::tick);
        Thread unusedToo = background("acp4j-gateway-prestart", spares::fill);
    }

    private static Thread background(String name, Runnable work) {
        // Starting a process occupies a thread of the system.
        return Thread.ofPlatform().daemon().name(name).start(work);
    }

    // Clients come.

    /**
     * Takes a client; for {@link dev.acp4j.http.HttpServer#start}.
     *
     * @throws UnavailableException when no agent may be started for it now
     */
    @Override
    public void accept(RemoteClient client) {
        Principal principal = client.principal();
        lock.lock();
        try {
            requireOpen();
            if (!settings.perUser || shared.keySet().stream().noneMatch(key -> key.principal.equals(principal))) {
                places.require(principal);
            }
        } finally {
            lock.unlock();
        }
        Thread unused = background("acp4j-gateway-" + client.name(), () -> host(client));
    }

    @GuardedBy("lock")
    private void requireOpen() {
        if (closed) {
            throw new UnavailableException("draining", "the server is about to stop", false, RETRY);
        }
    }

    private void host(RemoteClient client) {
        try {
            if (settings.perUser) {
                Message initialize = client.reader().read();
                if (initialize == null) {
                    client.close();
                } else {
                    share(client, initialize);
                }
            } else {
                start(client, client, null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            client.close();
        } catch (IOException | RuntimeException e) {
            refuse(client, failure(client.principal(), e));
        }
    }

    /** Returns what the client is answered. Messages of failed starts have the command line, which stays here. */
    private RpcError failure(Principal principal, Exception e) {
        String message = String.valueOf(e.getMessage());
        if (e instanceof UnavailableException) {
            return HostedAgent.failed(message, "starting", List.of());
        }
        places.died(principal);
        tell(new GatewayEvent.AgentFailed(principal, message));
        return HostedAgent.failed("The agent could not be started", "starting", List.of());
    }

    /** Answers the first request of a client that gets no agent. */
    private static void refuse(RemoteClient client, RpcError error) {
        try {
            Message initialize = client.reader().read();
            RequestId id = initialize == null ? null : initialize.id();
            client.writer().write(Message.error(id == null ? RequestId.NULL : id, error));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a client has left before its answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            client.close();
        }
    }

    private void share(RemoteClient client, Message initialize) throws InterruptedException {
        Shared key = new Shared(client.principal(), version(initialize));
        Attachments clients = new Attachments(time, history, this::wake);
        lock.lock();
        try {
            Attachments running = shared.get(key);
            if (running != null && running.attach(client, initialize)) {
                return;
            }
            shared.put(key, clients);
            boolean unused = clients.attach(client, initialize);
        } finally {
            lock.unlock();
        }
        boolean started = false;
        try {
            start(client, clients, clients);
            started = true;
        } catch (IOException | RuntimeException e) {
            clients.refuse(failure(client.principal(), e));
        } finally {
            if (!started) {
                forget(clients);
            }
        }
    }

    private void forget(Attachments clients) {
        lock.lock();
        try {
            shared.values().remove(clients);
        } finally {
            lock.unlock();
        }
        clients.close();
    }

    private void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the version that a client asks for, which clients must have in common to share an agent. */
    private static String version(Message initialize) {
        RawJson params = initialize.params();
        return params != null && params.value() instanceof JsonObject object
                ? String.valueOf(object.members().get("protocolVersion"))
                : "";
    }

    /** @param first the client that comes, whose place others may take if they share the agent */
    private void start(RemoteClient first, Transport clients, @Nullable Attachments joined)
            throws IOException, InterruptedException {
        Principal principal = first.principal();
        lock.lock();
        try {
            requireOpen();
        } finally {
            lock.unlock();
        }
        places.take(principal);
        LaunchedProcess process = null;
        boolean started = false;
        try {
            Roots roots = settings.roots == null ? null : new Roots(settings.roots.of(principal));
            process = process(principal);
            LaunchedProcess running = process;
            HostRules rules = new HostRules(house, principal, roots, () -> HostedAgent.ended(running));
            tell(new GatewayEvent.AgentStarted(principal, first.name(), process.pid()));
            HostedAgent agent = new HostedAgent(principal, process, clients, rules, new Owner(joined));
            started = true;
            begun(agent, joined);
        } finally {
            if (!started) {
                places.free(principal);
                if (process != null) {
                    process.close();
                }
            }
        }
    }

    private void begun(HostedAgent agent, @Nullable Attachments joined) {
        boolean late;
        lock.lock();
        try {
            late = closed || agent.hasEnded();
            if (!late) {
                agents.put(agent, joined);
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            agent.close("stopped");
        }
    }

    private LaunchedProcess process(Principal principal) throws IOException, InterruptedException {
        LaunchedProcess spare = spares.take();
        if (spare != null) {
            Thread unused = background("acp4j-gateway-prestart", spares::fill);
            return spare;
        }
        return watched(settings.agents.apply(principal)).start();
    }

    /** An agent that ignores the end of its input must not outlive a server that was killed. */
    private static Launch watched(Launch agent) {
        return agent.endWhenKilled();
    }

    // Agents end.

    private final class Owner implements HostedAgent.Owner {
        private final @Nullable Attachments joined;

        Owner(@Nullable Attachments joined) {
            this.joined = joined;
        }

        @Override
        public void turnEnded(HostedAgent agent, Duration took, boolean failed) {
            tell(new GatewayEvent.TurnEnded(agent.principal(), took, failed));
        }

        @Override
        public void ended(HostedAgent agent, String reason) {
            lock.lock();
            try {
                agents.remove(agent);
                if (joined != null) {
                    shared.values().remove(joined);
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            places.free(agent.principal());
            if (reason.equals("died")) {
                places.died(agent.principal());
            }
            tell(new GatewayEvent.AgentEnded(agent.principal(), agent.pid(), reason, agent.exit()));
        }
    }

    private void tick() {
        Clock.attempt(approvals::tick);
        Clock.attempt(this::noteWork);
        Clock.attempt(this::goOn);
        Clock.attempt(this::endIdle);
        unusedSessions.tick(running());
    }

    /** Returns the agents that run, and who is attached to those that are shared. */
    private Map<HostedAgent, @Nullable Attachments> running() {
        lock.lock();
        try {
            return new HashMap<>(agents);
        } finally {
            lock.unlock();
        }
    }

    /** What an agent does in the background counts as use, whether a session shows it or not. */
    private void noteWork() {
        if (time.nanoTime() - lookedForWork
                < Math.min(WORK_LOOKS.toNanos(), limits.idleTime().toNanos() / 2)) {
            return;
        }
        lookedForWork = time.nanoTime();
        Map<HostedAgent, Attachments> joined = new HashMap<>();
        lock.lock();
        try {
            agents.forEach((agent, clients) -> {
                if (clients != null) {
                    joined.put(agent, clients);
                }
            });
        } finally {
            lock.unlock();
        }
        joined.forEach((agent, clients) -> {
            if (agent.wasWork()) {
                clients.used();
            }
        });
    }

    /** Requests wait for agents that end sessions, but not for ever. */
    private void goOn() {
        List<Attachments> joined;
        lock.lock();
        try {
            joined = List.copyOf(shared.values());
        } finally {
            lock.unlock();
        }
        joined.forEach(Attachments::tick);
    }

    /** A client that comes in this moment finds the attachments closed, and gets another agent. */
    private void endIdle() {
        List<HostedAgent> idle = new ArrayList<>();
        lock.lock();
        try {
            for (Map.Entry<HostedAgent, @Nullable Attachments> entry : agents.entrySet()) {
                Attachments clients = entry.getValue();
                HostedAgent agent = entry.getKey();
                if (clients != null && clients.closeIfIdle(limits.idleTime().toNanos(), () -> agent.because("idle"))) {
                    shared.values().remove(clients);
                    idle.add(agent);
                }
            }
        } finally {
            lock.unlock();
        }
        for (HostedAgent agent : idle) {
            Thread unused = background("acp4j-gateway-idle", () -> agent.close("idle"));
        }
    }

    // What others see.

    private void opened(OpenQuestion question) {
        tell(new GatewayEvent.QuestionOpened(question.principal(), question.name()));
        if (settings.webhook != null && question.isShown()) {
            settings.webhook.send(
                    question, links, time, settings.clock, reason -> tell(new GatewayEvent.WebhookFailed(reason)));
        }
    }

    private void closed(OpenQuestion question) {
        links.closed(question);
        tell(new GatewayEvent.QuestionClosed(question.principal(), question.name(), question.by()));
    }

    private void tell(GatewayEvent event) {
        metrics.count(event);
        try {
            settings.onEvent.accept(event);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a listener for events of the gateway has failed", e);
        }
    }

    /** Counts what happens at a server, for {@link #metrics()}; see {@link dev.acp4j.http.HttpServer#onEvent}. */
    public void count(ServerEvent event) {
        metrics.count(event);
    }

    /** Returns the metrics as Prometheus reads them. They have no ids and no names of principals. */
    public String metrics() {
        int running;
        int sessions;
        lock.lock();
        try {
            running = agents.size();
            sessions = agents.keySet().stream()
                    .mapToInt(agent -> agent.openSessions().size())
                    .sum();
        } finally {
            lock.unlock();
        }
        return metrics.text(Map.<String, Number>of(
                "acp_agents",
                running,
                "acp_agents_prestarted",
                spares.count(),
                "acp_sessions",
                sessions,
                "acp_questions_open",
                approvals.count(),
                "acp_history_bytes",
                history.bytes()));
    }

    /**
     * Returns the pages of the gateway: {@code /approvals}, where a user answers the open questions of all sessions,
     * and {@code /metrics}, for clients with a credential.
     */
    public Pages pages() {
        return new GatewayPages(new ApprovalPages(approvals), links, this::metrics);
    }

    /**
     * Returns {@code /metrics}, {@code /health} and {@code /ready} without a credential: for a port that others do not
     * reach.
     *
     * @param ready whether the server takes requests
     */
    public Pages operationsPages(BooleanSupplier ready) {
        return new GatewayPages(new ApprovalPages(approvals), links, this::metrics).operations(ready);
    }

    /** What the rules of each agent see. */
    private final class House implements HostRules.House {
        @Override
        public SessionOwners owners() {
            return owners;
        }

        @Override
        public boolean hidesOthers() {
            return settings.hidesOthers;
        }

        @Override
        public Approvals approvals() {
            return approvals;
        }

        @Override
        public int sessionsOfPrincipal() {
            return limits.sessionsOfPrincipal();
        }

        @Override
        public DailyTurns turns() {
            return turns;
        }

        @Override
        public boolean beginOpening(Principal principal) {
            lock.lock();
            try {
                int open = agents.keySet().stream()
                        .filter(agent -> agent.principal().equals(principal))
                        .mapToInt(agent -> agent.openSessions().size())
                        .sum();
                if (open + opening.getOrDefault(principal, 0) >= limits.sessionsOfPrincipal()) {
                    return false;
                }
                opening.merge(principal, 1, Integer::sum);
                return true;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void endOpening(Principal principal) {
            lock.lock();
            try {
                opening.computeIfPresent(principal, (of, number) -> number == 1 ? null : number - 1);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean closeUnattached(Principal principal) {
            Map<HostedAgent, Attachments> own = new HashMap<>();
            lock.lock();
            try {
                agents.forEach((agent, clients) -> {
                    if (clients != null && agent.principal().equals(principal)) {
                        own.put(agent, clients);
                    }
                });
            } finally {
                lock.unlock();
            }
            for (Map.Entry<HostedAgent, Attachments> entry : own.entrySet()) {
                String session = entry.getValue().closeUnattached();
                if (session != null) {
                    entry.getKey().forget(session);
                    return true;
                }
            }
            return false;
        }

        @Override
        public void tell(GatewayEvent event) {
            Gateway.this.tell(event);
        }

        @Override
        public void problem(String text, Throwable cause) {
            LOG.log(System.Logger.Level.WARNING, text, cause);
        }
    }

    /**
     * Waits until no shared agent works for clients that have left.
     *
     * @return false when the time is over
     */
    public boolean awaitIdle(Duration most) throws InterruptedException {
        long deadline = time.nanoTime() + most.toNanos();
        lock.lockInterruptibly();
        try {
            while (agents.values().stream().anyMatch(clients -> clients != null && clients.isBusy())) {
                long left = deadline - time.nanoTime();
                if (left <= 0) {
                    return false;
                }
                time.await(lock, changed, left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all agents. Blocks until they have ended, for a bounded time. */
    @Override
    public void close() {
        List<HostedAgent> ending;
        lock.lock();
        try {
            closed = true;
            ending = new ArrayList<>(agents.keySet());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        Clock running = clock;
        if (running != null) {
            running.close();
        }
        approvals.end();
        List<Thread> ends = new ArrayList<>();
        ending.forEach(agent -> ends.add(background("acp4j-gateway-end", () -> agent.close("stopped"))));
        spares.end().forEach(spare -> ends.add(background("acp4j-gateway-end", spare::close)));
        boolean interrupted = false;
        for (Thread end : ends) {
            try {
                end.join();
            } catch (InterruptedException e) {
                interrupted = true;
                end.interrupt();
            }
        }
        owners.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
