package dev.acp4j.mcp;

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
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

    /** A session of a client. */
    private record Key(Neighbour client, SessionId session) {}

    private final Endpoints endpoints;

    /** What ends what each has. */
    private final Map<Key, List<Runnable>> sessions = new ConcurrentHashMap<>();

    private final Preparation preparation;

    PassingSessions(Preparation preparation, Endpoints endpoints) {
        this.preparation = preparation;
        this.endpoints = endpoints;
    }

    Proxy.Builder addTo(Proxy.Builder proxy) {
        return proxy.state(SessionState.of(opening -> new Key(opening.client(), opening.session()), this::ended))
                .onRequests(Method.Side.AGENT, SETUPS::contains, this::open)
                .onRequest(ClientMethods.MESSAGE_MCP, endpoints::answer);
    }

    private void ended(Key session) {
        List<Runnable> ends = sessions.remove(session);
        if (ends != null) {
            ends.forEach(Runnable::run);
        }
    }

    /** The request that opens a session, and the servers that its agent gets. */
    final class Setup {
        private final Members params;
        private final RequestHop<?, ?> hop;
        private final Reach reach;
        private final List<RawJson> servers;
        private final List<RawJson> came;
        private final List<Runnable> ends = new ArrayList<>();
        private final ProxySession session;

        private Setup(Members params, RequestHop<?, ?> hop) {
            this.params = params;
            this.hop = hop;
            this.came = params.list("mcpServers");
            this.servers = new ArrayList<>(came);
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
        Setup setup = new Setup(members, hop);
        boolean isOpened = false;
        try {
            preparation.prepare(setup);
            Answer<RawJson> answer = setup.servers.equals(setup.came)
                    ? hop.forward()
                    : hop.forward(members.with("mcpServers", Link.array(setup.declarations()))
                            .json());
            if (!answer.isError()) {
                String id = Members.of(answer.result()).text("sessionId", members.text("sessionId", ""));
                setup.session.opened(id);
                List<Runnable> before = sessions.put(new Key(hop.client(), SessionId.of(id)), setup.ends);
                isOpened = true;
                if (before != null) {
                    before.forEach(Runnable::run);
                }
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
