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
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
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

    private final Endpoints endpoints = new Endpoints();
    private final Map<Key, List<McpServer>> sessions = new ConcurrentHashMap<>();
    private final Preparation preparation;

    PassingSessions(Preparation preparation) {
        this.preparation = preparation;
    }

    Proxy.Builder addTo(Proxy.Builder proxy) {
        return proxy.state(SessionState.of(opening -> new Key(opening.client(), opening.session()), this::ended))
                .onRequests(Method.Side.AGENT, SETUPS::contains, this::open)
                .onRequest(ClientMethods.MESSAGE_MCP, this::answer);
    }

    private Answer<MessageMcpResponse> answer(
            MessageMcpRequest request, RequestHop<MessageMcpRequest, MessageMcpResponse> hop) throws Exception {
        if (!endpoints.serves(request.serverId())) {
            return hop.forward();
        }
        // A tool may take long, and what the agent says meanwhile is not about it.
        hop.letOthersPass();
        return hop.answer(endpoints.answer(request, report -> hop.agent().send(AgentMethods.MESSAGE_MCP, report)));
    }

    Endpoints endpoints() {
        return endpoints;
    }

    private void ended(Key session) {
        List<McpServer> own = sessions.remove(session);
        if (own != null) {
            own.forEach(endpoints::end);
        }
    }

    /** The request that opens a session, and the servers that its agent gets. */
    final class Setup {
        private final Members params;
        private final RequestHop<?, ?> hop;
        private final Reach reach;
        private final List<RawJson> servers;
        private final List<McpServer> own = new ArrayList<>();
        private final ProxySession session;

        private Setup(Members params, RequestHop<?, ?> hop) {
            this.params = params;
            this.hop = hop;
            this.servers = new ArrayList<>(params.list("mcpServers"));
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
            McpServer served = endpoints.serve(declared, provider, reach);
            own.add(served);
            return RawJson.encode(served, Codecs.mcpServer(hop.version()));
        }
    }

    private Answer<RawJson> open(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Members members = Members.of(params);
        Setup setup = new Setup(members, hop);
        boolean isOpened = false;
        try {
            preparation.prepare(setup);
            Answer<RawJson> answer = setup.own.isEmpty()
                    ? hop.forward()
                    : hop.forward(members.with("mcpServers", Link.array(setup.declarations()))
                            .json());
            if (!answer.isError()) {
                String id = Members.of(answer.result()).text("sessionId", members.text("sessionId", ""));
                setup.session.opened(id);
                List<McpServer> before = sessions.put(new Key(hop.client(), SessionId.of(id)), setup.own);
                isOpened = true;
                if (before != null) {
                    before.forEach(endpoints::end);
                }
            }
            return answer;
        } finally {
            if (!isOpened) {
                setup.own.forEach(endpoints::end);
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
