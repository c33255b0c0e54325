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
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy serves for the sessions that pass it: from before the agent reads the setup until the session is closed
 * or deleted, or the connection has ended.
 */
final class PassingSessions {
    private static final Set<String> SETUPS = Set.of("session/new", "session/load", "session/resume", "session/fork");

    /** Decides what a session gets. */
    @FunctionalInterface
    interface Preparation {
        void prepare(Setup setup) throws IOException;
    }

    /** Makes a server of a session that was opened before this program was started. */
    @FunctionalInterface
    interface Renewal {
        /**
         * Returns the server of this name; null if there is none, or if it may have been another proxy's.
         *
         * @param setup the setup as it came to this program
         * @param added the names of all servers over ACP that this program has added
         */
        Face.@Nullable Provider renew(String name, Members setup, Collection<String> added, ProxySession session);
    }

    /** A session of a client. */
    private record Key(Neighbour client, SessionId session) {}

    private final Endpoints endpoints;

    /** What ends what each has. */
    private final Map<Key, List<Runnable>> sessions = new ConcurrentHashMap<>();

    private final Preparation preparation;
    private final @Nullable Renewal renewal;

    /** A session that was opened before this program was started: its setup, and its servers here by their names. */
    private record Earlier(RawJson setup, Map<McpServerAcpId, String> servers) {}

    /** The sessions whose servers can be made again. */
    private final Map<Key, Earlier> earlier = new ConcurrentHashMap<>();

    /** Guards that a server is made again once. */
    private final ReentrantLock renewing = new ReentrantLock();

    /** Guards which sessions are open with what; nothing is made while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The servers that were made again. */
    @GuardedBy("lock")
    private final Map<Key, List<McpServer>> renewed = new HashMap<>();

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
     * Serves again what a program before this one has served, under the same id: one that it has added to the setup of
     * a session which is still open, as this program hears when it is started again.
     */
    private void renew(McpServerAcpId id, RequestHop<?, ?> hop) {
        Renewal by = renewal;
        if (by == null || earlier.isEmpty()) {
            return;
        }
        renewing.lock();
        try {
            Map.Entry<Key, Earlier> of = earlier.entrySet().stream()
                    .filter(one -> one.getKey().client.equals(hop.client()))
                    .filter(one -> one.getValue().servers.containsKey(id))
                    .findFirst()
                    .orElse(null);
            if (of == null || endpoints.serves(id)) {
                return;
            }
            String name = Objects.requireNonNull(of.getValue().servers.get(id));
            Members params = Members.of(of.getValue().setup);
            ProxySession session = new ProxySession(
                    hop, true, setup(params), of.getKey().session.value());
            Face.Provider provider =
                    by.renew(name, params, of.getValue().servers.values(), session);
            if (provider != null && !isKept(of.getKey(), McpServer.Acp.of(name, id), provider)) {
                provider.close();
            }
        } finally {
            renewing.unlock();
        }
    }

    /** Serves what was made again, unless the session has ended meanwhile, or was opened again. */
    private boolean isKept(Key session, McpServer.Acp own, Face.Provider provider) {
        lock.lock();
        try {
            if (!earlier.containsKey(session)) {
                return false;
            }
            return renewed.computeIfAbsent(session, none -> new ArrayList<>())
                    .add(endpoints.serveOverAcp(own, provider));
        } finally {
            lock.unlock();
        }
    }

    private Key begun(SessionState.Opening opening) {
        Key key = new Key(opening.client(), opening.session());
        RawJson passedOn = opening.passedOn();
        if (renewal != null && passedOn != null) {
            Map<McpServerAcpId, String> added = overAcp(passedOn);
            added.keySet().removeAll(overAcp(opening.params()).keySet());
            earlier.put(key, new Earlier(opening.params().copy(), added));
        }
        return key;
    }

    /** Returns the names of the servers over ACP that a setup declares. */
    private static Map<McpServerAcpId, String> overAcp(RawJson setup) {
        Map<McpServerAcpId, String> names = new HashMap<>();
        for (RawJson declaration : Members.of(setup).list("mcpServers")) {
            Members server = Members.of(declaration);
            String id = server.text("serverId");
            if ("acp".equals(server.text("type")) && id != null) {
                names.put(McpServerAcpId.of(id), server.text("name", ""));
            }
        }
        return names;
    }

    private void ended(Key session) {
        List<Runnable> ends = new ArrayList<>();
        lock.lock();
        try {
            earlier.remove(session);
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
        List<McpServer> servers = renewed.remove(session);
        if (servers != null) {
            servers.forEach(server -> ends.add(() -> endpoints.end(server)));
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
            earlier.remove(session);
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
        private final List<Runnable> ends = new ArrayList<>();
        private final ProxySession session;

        private Setup(RawJson came, RequestHop<?, ?> hop) {
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

        /** Whether the agent is on another machine. */
        boolean isElsewhere() {
            return hop.initialized()
                    .map(agent -> Reach.isElsewhere(agent.rest().meta()))
                    .orElse(false);
        }

        /** Serves the session. Returns the declaration for the agent. */
        RawJson serve(McpServer.Acp declared, Face.Provider provider) throws IOException {
            return declaration(endpoints.serve(declared, provider, reach), endpoints);
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
