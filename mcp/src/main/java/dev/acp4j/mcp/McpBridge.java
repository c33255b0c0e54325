package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Client;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.McpRequestId;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in front of an agent that cannot reach MCP servers over ACP, or over HTTP: a client or a proxy before it may
 * declare such servers all the same. The agent gets an address on loopback or the command of a small program instead,
 * and what it asks there is asked as {@code mcp/message}, or at the server's address. Headers with secrets stay here.
 * An agent that can is left alone.
 *
 * <pre>{@code
 * try (McpBridge bridge = new McpBridge()) {
 *     Conductor.builder()
 *             .proxy(bridge.relay())
 *             .proxy(tools)
 *             .proxy(bridge.proxy())
 *             .agent(launch)
 *             .build()
 *             .serve(Stdio.system());
 * }
 * }</pre>
 *
 * <p>What it serves ends with the session, and at the latest when it is closed. Addresses and programs are of this
 * machine: an agent that is connected from another one gets none, and one in a container cannot reach them, see
 * {@link #elsewhere()}. Thread-safe.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/mcp-over-acp">MCP over ACP</a>
 */
@Unstable
public final class McpBridge implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");

    private final Endpoints endpoints = new Endpoints();

    /** Where the reports about requests go that the client has not answered yet. */
    private final Map<String, Face.Notices> asked = new ConcurrentHashMap<>();

    /** The servers over HTTP that {@link #relay} calls. */
    private final Endpoints relayed = new Endpoints();

    private volatile boolean hasRelay;

    /** What is served and was not asked for anything yet. */
    private final Set<Served> unreached = ConcurrentHashMap.newKeySet();

    private final Consumer<String> onNotice;
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    /** Creates a bridge that serves nothing yet, and logs what a user should know. */
    public McpBridge() {
        this(sentence -> LOG.log(System.Logger.Level.INFO, sentence));
    }

    /**
     * Creates a bridge that serves nothing yet.
     *
     * @param onNotice takes what a user should know, a sentence each, such as a server that the agent does not reach
     */
    public McpBridge(Consumer<String> onNotice) {
        this.onNotice = Objects.requireNonNull(onNotice);
    }

    /** Returns the proxy. Its place is next to the agent. */
    public Proxy proxy() {
        return proxy(false);
    }

    /**
     * Returns the proxy for an agent that runs where it cannot reach this machine, such as in a container: what it
     * would need an address or a program for is left out, and reported. Its place is that of {@link #proxy()}.
     */
    public Proxy elsewhere() {
        return proxy(true);
    }

    private Proxy proxy(boolean isElsewhere) {
        return new PassingSessions(setup -> prepare(setup, isElsewhere || setup.isElsewhere()), endpoints)
                .addTo(Proxy.builder("mcp-bridge", "1"))
                .onRequests(
                        Method.Side.AGENT,
                        "initialize"::equals,
                        (RawJson params, RequestHop<RawJson, RawJson> hop) -> initialize(hop, isElsewhere))
                // Of interest only as long as the agent has not come to a server.
                .onRequests(
                        Method.Side.AGENT,
                        method -> method.equals("session/prompt") && !unreached.isEmpty(),
                        this::prompt)
                .onNotifications(Method.Side.AGENT, "mcp/message"::equals, this::report)
                .build();
    }

    /**
     * Returns the proxy that calls the servers over HTTP for agents without HTTP. Its place is next to the client, in
     * the same chain: then all proxies between see the calls as {@code mcp/message}. Without it the other one calls the
     * servers, and no proxy sees that.
     */
    public Proxy relay() {
        hasRelay = true;
        return Proxy.builder("mcp-relay", "1")
                .onRequest(ClientMethods.MESSAGE_MCP, relayed::answer)
                .build();
    }

    /**
     * Has a client relay the servers over HTTP of its sessions to agents without HTTP, as a bridge in front of the
     * agent would.
     *
     * @return the same builder
     * @throws IllegalArgumentException when the client handles {@code mcp/message} itself
     * @throws IllegalStateException when the client's setups of sessions have a handler already
     */
    public static Client.Builder addTo(Client.Builder client) {
        return Offers.relaying().addTo(client);
    }

    /** Ends all that is served. */
    @Override
    public void close() {
        endpoints.close();
        relayed.close();
    }

    private Answer<RawJson> initialize(RequestHop<RawJson, RawJson> hop, boolean isElsewhere) throws Exception {
        Answer<RawJson> answer = hop.forward();
        InitializeResponse agent = hop.initialized().orElse(null);
        if (answer.isError() || agent == null) {
            return answer;
        }
        Reach reach = Reach.of(agent, hop.version());
        boolean isVersion1 = hop.version() == Version.V1;
        RawJson offered = isVersion1 ? RawJson.parse("true") : RawJson.EMPTY_OBJECT;
        String[] path = isVersion1
                ? new String[] {"agentCapabilities", "mcpCapabilities", ""}
                : new String[] {"capabilities", "session", "mcp", ""};
        RawJson result = answer.result();
        if (isBridged(reach)) {
            path[path.length - 1] = "acp";
            result = with(Members.of(result), offered, path).json();
        }
        boolean isNear = !isElsewhere && !Reach.isElsewhere(agent.rest().meta());
        boolean isReached = reach == Reach.ACP || (reach == Reach.PROGRAM && isNear);
        if (isReached && !Reach.connectsHttp(agent, hop.version())) {
            path[path.length - 1] = "http";
            result = with(Members.of(result), offered, path).json();
        }
        return answer.with(result);
    }

    private static boolean isBridged(Reach reach) {
        return reach == Reach.HTTP || reach == Reach.PROGRAM;
    }

    /** Returns an object with another value of a member that is deep inside of it. */
    private static Members with(Members of, RawJson value, String... path) {
        return path.length == 1
                ? of.with(path[0], value)
                : of.with(
                        path[0],
                        with(of.object(path[0]), value, Arrays.copyOfRange(path, 1, path.length))
                                .json());
    }

    /** Reports what the agent has not asked for anything when a turn is over: probably it cannot. */
    private Answer<RawJson> prompt(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        if (hop.version() == Version.V1) {
            Answer<RawJson> answer = hop.forward();
            ofSession(hop).forEach(this::sayUnreached);
            return answer;
        }
        // A prompt of version 2 is answered when its turn begins.
        for (Served served : ofSession(hop)) {
            if (served.isPrompted.getAndSet(true)) {
                sayUnreached(served);
            }
        }
        return hop.forward();
    }

    private List<Served> ofSession(Hop hop) {
        SessionId session = hop.session().orElse(null);
        return session == null
                ? List.of()
                : unreached.stream()
                        .filter(served -> served.session.is(hop.client(), session))
                        .toList();
    }

    private void sayUnreached(Served served) {
        unreached.remove(served);
        say("The agent has not asked the MCP server " + served.name + " for anything in its first turn. It can reach it"
                + " on this machine only: for an agent elsewhere, turn the bridge off.");
    }

    private void say(String sentence) {
        if (said.add(sentence)) {
            onNotice.accept(sentence);
        }
    }

    /** Serves in another way what the agent cannot connect to. */
    private void prepare(PassingSessions.Setup setup, boolean isElsewhere) throws IOException {
        boolean connectsSome = setup.reach() != Reach.NONE;
        boolean isRefused = isElsewhere && isBridged(setup.reach());
        ListIterator<RawJson> servers = setup.servers().listIterator();
        while (servers.hasNext()) {
            RawJson declaration = servers.next();
            // Of an agent that connects none, a server over ACP is refused here: nobody else would.
            McpServer.Acp acp = setup.reach() == Reach.ACP ? null : setup.overAcp(declaration);
            McpServer.Http http = acp == null
                            && connectsSome
                            && !setup.connectsHttp()
                            && setup.declared(declaration) instanceof McpServer.Http declared
                    ? declared
                    : null;
            if (isRefused && (acp != null || http != null)) {
                servers.remove();
                say("The MCP server "
                        + (acp == null ? Objects.requireNonNull(http).name() : acp.name())
                        + " is left out: it is served on this machine, which the agent cannot reach.");
            } else if (acp != null) {
                servers.set(serve(setup, setup.reach().noted(acp), relay(acp, setup.client())));
            } else if (http != null) {
                servers.set(serve(setup, http));
            }
        }
    }

    /** Serves a server over HTTP: it is called by what stands next to the client, if there is such a proxy. */
    private RawJson serve(PassingSessions.Setup setup, McpServer.Http http) throws IOException {
        McpServer.Acp own = setup.reach()
                .notedAsRelayed(
                        McpServer.Acp.of(http.name(), McpServerAcpId.of(http.name() + "-" + UUID.randomUUID())));
        RelayedServer server = new RelayedServer(http, setup.session().setup().orElse(null));
        if (!hasRelay) {
            return serve(setup, own, server);
        }
        McpServer.Acp there = (McpServer.Acp) relayed.serve(own, server, Reach.ACP);
        RawJson declaration = setup.declaration(there, relayed);
        return setup.reach() == Reach.ACP ? declaration : serve(setup, there, relay(there, setup.client()));
    }

    private RawJson serve(PassingSessions.Setup setup, McpServer.Acp server, Face.Provider provider)
            throws IOException {
        if (setup.reach() == Reach.ACP) {
            return setup.serve(server, provider);
        }
        Served served = new Served(provider, server.name(), setup.session());
        unreached.add(served);
        setup.atEnd(() -> unreached.remove(served));
        return setup.serve(server, served);
    }

    /** What is served at an address or by a program. */
    private final class Served implements Face.Provider {
        private final Face.Provider provider;
        private final String name;
        private final ProxySession session;

        /** Whether a turn of the session has begun. */
        private final AtomicBoolean isPrompted = new AtomicBoolean();

        Served(Face.Provider provider, String name, ProxySession session) {
            this.provider = provider;
            this.name = name;
            this.session = session;
        }

        @Override
        public RawJson answer(String method, Members params, Face.Notices notices) throws InterruptedException {
            return provider.answer(method, params, notices);
        }

        @Override
        public void asked(String method, String revision) {
            unreached.remove(this);
            provider.asked(method, revision);
        }

        @Override
        public void abandon(String state) {
            provider.abandon(state);
        }

        @Override
        public void close() {
            provider.close();
        }
    }

    private void report(RawJson params, NotificationHop<RawJson> hop) throws InterruptedException {
        Members message = Members.of(params);
        Face.Notices call = asked.get(message.text("requestId", ""));
        if (call == null) {
            hop.forward();
            return;
        }
        RawJson about = message.raw("params");
        call.send(message.text("method", ""), about == null ? RawJson.EMPTY_OBJECT : about);
    }

    /** Answers the requests of an agent by asking the client. */
    private Face.Provider relay(McpServer.Acp server, Neighbour client) {
        return (method, params, notices) -> {
            String id = UUID.randomUUID().toString();
            Reports reports = new Reports(notices);
            asked.put(id, reports);
            MessageMcpResponse response;
            try {
                response = client.call(
                        ClientMethods.MESSAGE_MCP,
                        MessageMcpRequest.builder(server.serverId(), McpRequestId.of(id), method)
                                .params(params.json())
                                .build());
            } catch (RpcException e) {
                if (e instanceof RpcError refused && refused.code() == RpcError.METHOD_NOT_FOUND) {
                    say("The MCP server " + server.name()
                            + " does not answer mcp/message. One that speaks mcp/connect, "
                            + "the older binding, works only with an agent that speaks it, too.");
                }
                // Of ACP: it must not be read as an error of MCP.
                throw new RpcError(RpcError.INTERNAL_ERROR, "the server cannot be reached: " + e.getMessage());
            } finally {
                asked.remove(id);
                reports.end();
            }
            return switch (response) {
                case MessageMcpResponse.Result result -> result.result();
                case MessageMcpResponse.Failure failure -> throw AcpTransport.error(failure.error());
            };
        };
    }

    /**
     * What is reported about a request of the agent. It is passed on by a thread, which the first report starts: an
     * agent that does not read holds up its own answer and nothing else of the connection.
     *
     * <p>The lock guards whether there is a thread; nothing is waited for while it is held.
     */
    private static final class Reports implements Face.Notices {
        private final Face.Notices agent;
        private final PendingNotices pending = new PendingNotices();
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private @Nullable Thread thread;

        Reports(Face.Notices agent) {
            this.agent = agent;
        }

        @Override
        public void send(String method, RawJson params) {
            pending.send(method, params);
            lock.lock();
            try {
                if (thread == null) {
                    thread = Thread.ofPlatform()
                            .daemon()
                            .name("acp4j-mcp-reports")
                            .start(this::pass);
                }
            } finally {
                lock.unlock();
            }
        }

        private void pass() {
            try {
                pending.passTo(agent);
            } catch (InterruptedException | RpcException e) {
                // The agent has cancelled the request, or has left.
            }
        }

        /** Waits until all is passed on; what comes later is not. */
        void end() throws InterruptedException {
            Thread passing;
            lock.lock();
            try {
                passing = thread;
            } finally {
                lock.unlock();
            }
            pending.end();
            if (passing == null) {
                return;
            }
            try {
                passing.join();
            } catch (InterruptedException e) {
                passing.interrupt();
                throw e;
            }
        }
    }
}
