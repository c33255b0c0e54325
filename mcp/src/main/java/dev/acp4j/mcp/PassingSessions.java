package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy serves for the sessions that pass it: from before the agent reads the setup until the session is closed
 * or deleted, or the connection has ended.
 */
final class PassingSessions {
    /** An id that a program like this has made: the name, the program, what is unique, and the mark of the setup. */
    private static final Pattern OWN = Pattern.compile("(.+)-([0-9a-f-]{18})-[0-9a-f-]{17}-([0-9a-f]{16})");

    private static final Set<String> SETUPS = Set.of("session/new", "session/load", "session/resume", "session/fork");

    /** Decides what a session gets. */
    @FunctionalInterface
    interface Preparation {
        void prepare(Setup setup) throws IOException;
    }

    /** Makes a server of a session that was opened before this program was started. */
    interface Renewal {
        /** Returns the server of this name; null if there is none. */
        Face.@Nullable Provider renew(String name, Members setup, ProxySession session);

        /** Whether sessions with the same setup have other servers. */
        boolean differsBySession();
    }

    /** A session of a client. */
    private record Key(Neighbour client, SessionId session) {}

    private final Endpoints endpoints;

    /** What ends what each has. */
    private final Map<Key, List<Runnable>> sessions = new ConcurrentHashMap<>();

    private final Preparation preparation;
    private final @Nullable Renewal renewal;

    /** The setups of the sessions, if servers can be made again. */
    private final Map<Key, RawJson> setups = new ConcurrentHashMap<>();

    /** Tells the ids of servers that are made here from those of a program before this one. */
    private final UUID program = UUID.randomUUID();

    /** Guards that a server is made again once. */
    private final ReentrantLock renewing = new ReentrantLock();

    /** Guards which sessions are open with what; nothing is made while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The servers that were made again, by their names. */
    @GuardedBy("lock")
    private final Map<Key, Map<String, McpServer>> renewed = new HashMap<>();

    PassingSessions(Preparation preparation, Endpoints endpoints) {
        this(preparation, endpoints, null);
    }

    /** @param renewal makes servers again when this program was; null if that is not possible */
    PassingSessions(Preparation preparation, Endpoints endpoints, @Nullable Renewal renewal) {
        this.preparation = preparation;
        this.endpoints = endpoints;
        this.renewal = renewal;
    }

    Proxy.Builder addTo(Proxy.Builder proxy) {
        return proxy.state(SessionState.of(this::begun, this::ended))
                .onRequests(Method.Side.AGENT, SETUPS::contains, this::open)
                .onRequest(ClientMethods.MESSAGE_MCP, (request, hop) -> {
                    if (!endpoints.serves(request.serverId())) {
                        renew(request.serverId(), hop);
                    }
                    return endpoints.answer(request, hop);
                });
    }

    /**
     * Serves again what a program before this one has served, under the same id. That names the setup, which this
     * program hears of when it is started again. A session has one server of a name, so there are no more of them than
     * sessions that were opened before.
     */
    private void renew(McpServerAcpId id, RequestHop<?, ?> hop) {
        Matcher own = OWN.matcher(id.value());
        if (renewal == null || !own.matches() || own.group(2).equals(ofProgram(program))) {
            return;
        }
        String name = own.group(1);
        renewing.lock();
        try {
            List<Map.Entry<Key, RawJson>> sameSetup = setups.entrySet().stream()
                    .filter(one -> one.getKey().client.equals(hop.client()))
                    // What is opened here has ids of this program.
                    .filter(one -> !sessions.containsKey(one.getKey()))
                    .filter(one -> mark(one.getValue()).equals(own.group(3)))
                    .toList();
            if (endpoints.serves(id) || (sameSetup.size() > 1 && renewal.differsBySession())) {
                return;
            }
            Map.Entry<Key, RawJson> of = sameSetup.stream()
                    .filter(one -> !isRenewed(one.getKey(), name))
                    .findFirst()
                    .orElse(null);
            if (of == null) {
                return;
            }
            Members params = Members.of(of.getValue());
            ProxySession session = new ProxySession(
                    hop, true, setup(params), of.getKey().session.value());
            Face.Provider provider = renewal.renew(name, params, session);
            if (provider != null && !isKept(of.getKey(), McpServer.Acp.of(name, id), provider)) {
                provider.close();
            }
        } finally {
            renewing.unlock();
        }
    }

    private boolean isRenewed(Key session, String name) {
        lock.lock();
        try {
            return renewed.getOrDefault(session, Map.of()).containsKey(name);
        } finally {
            lock.unlock();
        }
    }

    /** Serves what was made again, unless the session has ended meanwhile, or was opened again. */
    private boolean isKept(Key session, McpServer.Acp own, Face.Provider provider) {
        lock.lock();
        try {
            if (!setups.containsKey(session) || sessions.containsKey(session)) {
                return false;
            }
            McpServer unused = renewed.computeIfAbsent(session, none -> new HashMap<>())
                    .put(own.name(), endpoints.serveOverAcp(own, provider));
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the part of an id that is the same in all that a program makes. */
    private static String ofProgram(UUID id) {
        return id.toString().substring(0, 18);
    }

    private static String mark(RawJson params) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(params.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private Key begun(SessionState.Opening opening) {
        Key key = new Key(opening.client(), opening.session());
        if (renewal != null) {
            setups.put(key, opening.params().copy());
        }
        return key;
    }

    private void ended(Key session) {
        List<Runnable> ends = new ArrayList<>();
        lock.lock();
        try {
            setups.remove(session);
            List<Runnable> opened = sessions.remove(session);
            if (opened != null) {
                ends.addAll(opened);
            }
            ends.addAll(endsOfRenewed(session));
        } finally {
            lock.unlock();
        }
        ends.forEach(Runnable::run);
    }

    @GuardedBy("lock")
    private List<Runnable> endsOfRenewed(Key session) {
        List<Runnable> ends = new ArrayList<>();
        Map<String, McpServer> servers = renewed.remove(session);
        if (servers != null) {
            servers.values().forEach(server -> ends.add(() -> endpoints.end(server)));
        }
        return ends;
    }

    /** A session is open with what ends it; what it had before ends. */
    private void opened(Key session, List<Runnable> ends) {
        List<Runnable> before = new ArrayList<>();
        lock.lock();
        try {
            List<Runnable> replaced = sessions.put(session, ends);
            if (replaced != null) {
                before.addAll(replaced);
            }
            before.addAll(endsOfRenewed(session));
        } finally {
            lock.unlock();
        }
        before.forEach(Runnable::run);
    }

    /** The request that opens a session, and the servers that its agent gets. */
    final class Setup {
        private final Members params;
        private final RequestHop<?, ?> hop;
        private final Reach reach;
        private final List<RawJson> servers;
        private final List<RawJson> declared;
        private final String mark;
        private final List<Runnable> ends = new ArrayList<>();
        private final ProxySession session;

        private Setup(RawJson came, RequestHop<?, ?> hop) {
            this.mark = renewal == null ? "" : mark(came);
            this.params = Members.of(came);
            this.hop = hop;
            this.declared = this.params.list("mcpServers");
            this.servers = new ArrayList<>(declared);
            this.reach = hop.initialized()
                    .map(agent -> Reach.of(agent, hop.version()))
                    .orElse(Reach.NONE);
            String known = hop.method().equals("session/load") || hop.method().equals("session/resume")
                    ? params.text("sessionId")
                    : null;
            this.session = new ProxySession(hop, reach != Reach.NONE, setup(params), known);
        }

        /** Returns the session that is opened. */
        ProxySession session() {
            return session;
        }

        Members params() {
            return params;
        }

        Neighbour client() {
            return hop.client();
        }

        Reach reach() {
            return reach;
        }

        /** Returns the declarations so far; they can be replaced. */
        List<RawJson> servers() {
            return servers;
        }

        /**
         * Returns a declaration as a server over ACP; null if it is none.
         *
         * @throws RpcError when it is one and not as it should be
         */
        McpServer.@Nullable Acp overAcp(RawJson declaration) {
            if (!"acp".equals(Members.of(declaration).text("type"))) {
                return null;
            }
            if (declaration.decode(Codecs.mcpServer(hop.version())) instanceof McpServer.Acp acp) {
                return acp;
            }
            throw RpcError.invalidParams("params.mcpServers[" + servers.indexOf(declaration)
                    + "]: expected a server over ACP, with the texts name and serverId");
        }

        /**
         * Returns what the agent gets.
         *
         * @throws RpcError when what came is no list: it cannot be added to
         */
        private List<RawJson> declarations() {
            RawJson came = params.raw("mcpServers");
            if (came != null && came.reader().kind() != JsonReader.Kind.ARRAY) {
                throw RpcError.invalidParams("params.mcpServers: expected an array");
            }
            return servers;
        }

        /** Returns what a declaration says; null if it cannot be read, and the agent says what is wrong. */
        @Nullable
        McpServer declared(RawJson declaration) {
            try {
                return declaration.decode(Codecs.mcpServer(hop.version()));
            } catch (JsonException e) {
                return null;
            }
        }

        /** Whether the agent connects servers over HTTP. */
        boolean connectsHttp() {
            return hop.initialized()
                    .map(agent -> Reach.connectsHttp(agent, hop.version()))
                    .orElse(false);
        }

        /** Serves the session. Returns the declaration for the agent. */
        RawJson serve(McpServer.Acp declared, Face.Provider provider) throws IOException {
            if (renewal == null || reach != Reach.ACP) {
                return declaration(endpoints.serve(declared, provider, reach), endpoints);
            }
            String id = declared.name() + "-" + ofProgram(program)
                    + UUID.randomUUID().toString().substring(18) + "-" + mark;
            McpServer.Acp own = new McpServer.Acp(declared.name(), McpServerAcpId.of(id), declared.rest());
            return declaration(endpoints.serveOverAcp(own, provider), endpoints);
        }

        /** Returns the declaration of a server that is served until the session ends. */
        RawJson declaration(McpServer served, Endpoints by) {
            ends.add(() -> by.end(served));
            return RawJson.encode(served, Codecs.mcpServer(hop.version()));
        }

        /** Has something happen at the end of the session, also if it is not opened. */
        void atEnd(Runnable end) {
            ends.add(end);
        }
    }

    private Answer<RawJson> open(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Members members = Members.of(params);
        Setup setup = new Setup(params, hop);
        boolean isOpened = false;
        try {
            preparation.prepare(setup);
            Answer<RawJson> answer = setup.servers.equals(setup.declared)
                    ? hop.forward()
                    : hop.forward(members.with("mcpServers", Link.array(setup.declarations()))
                            .json());
            if (!answer.isError()) {
                String id = Members.of(answer.result()).text("sessionId", members.text("sessionId", ""));
                setup.session.opened(id);
                isOpened = true;
                opened(new Key(hop.client(), SessionId.of(id)), setup.ends);
            }
            return answer;
        } finally {
            if (!isOpened) {
                setup.ends.forEach(Runnable::run);
            }
        }
    }

    /** Returns the folders of a session; null if they are none of this machine. */
    private static @Nullable SessionSetup setup(Members params) {
        String cwd = params.text("cwd");
        try {
            List<Path> more = new ArrayList<>();
            for (RawJson folder : params.list("additionalDirectories")) {
                more.add(Path.of(folder.reader().string()));
            }
            return cwd == null ? null : SessionSetup.in(Path.of(cwd)).withAdditionalDirectories(more);
        } catch (InvalidPathException | JsonException e) {
            return null;
        }
    }
}
