package dev.acp4j.mcp;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.McpError;
import dev.acp4j.schema.McpRequestId;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A proxy in front of an agent that cannot reach MCP servers over ACP: a client or a proxy before it may declare such
 * servers all the same. The agent gets an address on loopback or the command of a small program instead, and what it
 * asks there is asked as {@code mcp/message}. An agent that can is left alone.
 *
 * <pre>{@code
 * try (McpBridge bridge = new McpBridge()) {
 *     Conductor.builder().proxy(tools).proxy(bridge.proxy()).agent(launch).build().serve(Stdio.system());
 * }
 * }</pre>
 *
 * <p>What it serves ends with the session, and at the latest when it is closed. It must run on the machine of the
 * agent. Thread-safe.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/mcp-over-acp">MCP over ACP</a>
 */
@Unstable
public final class McpBridge implements AutoCloseable {
    private static final Set<String> SETUPS = Set.of("session/new", "session/load", "session/resume", "session/fork");
    private static final Set<String> ENDS = Set.of("session/close", "session/delete");

    /** How an agent reaches servers that are not over ACP. */
    private enum Kind {
        HTTP,
        PROGRAM
    }

    /** A session of a client. */
    private record Key(Neighbour client, String session) {}

    private final Endpoints endpoints = new Endpoints();

    /** The agents that are bridged, by the client on the other side. */
    private final Map<Neighbour, Kind> agents = new ConcurrentHashMap<>();

    private final Map<Key, List<McpServer>> sessions = new ConcurrentHashMap<>();

    /** Where the reports about requests go that the client has not answered yet. */
    private final Map<String, Face.Notices> asked = new ConcurrentHashMap<>();

    /** Creates a bridge that serves nothing yet. */
    public McpBridge() {}

    /** Returns the proxy. Its place is next to the agent. */
    public Proxy proxy() {
        return Proxy.builder("mcp-bridge", "1")
                .onRequests(Method.Side.AGENT, "initialize"::equals, this::initialize)
                .onRequests(Method.Side.AGENT, SETUPS::contains, this::open)
                .onRequests(Method.Side.AGENT, ENDS::contains, this::end)
                .onNotifications(Method.Side.AGENT, "mcp/message"::equals, this::report)
                .build();
    }

    /** Ends all that is served. */
    @Override
    public void close() {
        endpoints.close();
    }

    private Answer<RawJson> initialize(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Answer<RawJson> answer = hop.forward();
        if (answer.isError()) {
            return answer;
        }
        Members result = Members.of(answer.result());
        Double version = result.number("protocolVersion");
        boolean isFirst = version == null || version < 2;
        String name = isFirst ? "agentCapabilities" : "capabilities";
        Members all = result.object(name);
        Members mcp =
                isFirst ? all.object("mcpCapabilities") : all.object("session").object("mcp");
        boolean isNative = isFirst ? mcp.isTrue("acp") : mcp.has("acp");
        boolean isHttp = isFirst ? mcp.isTrue("http") : mcp.has("http");
        if (isNative || !(isFirst || isHttp || mcp.has("stdio"))) {
            return answer;
        }
        agents.put(hop.client(), isHttp ? Kind.HTTP : Kind.PROGRAM);
        RawJson offered = mcp.with("acp", isFirst ? RawJson.parse("true") : RawJson.EMPTY_OBJECT)
                .json();
        Members changed = isFirst
                ? all.with("mcpCapabilities", offered)
                : all.with("session", all.object("session").with("mcp", offered).json());
        return answer.with(result.with(name, changed.json()).json());
    }

    private Answer<RawJson> open(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Kind kind = agents.get(hop.client());
        Members members = Members.of(params);
        List<McpServer> own = new ArrayList<>();
        boolean opened = false;
        try {
            RawJson servers = kind == null ? RawJson.NULL : bridged(members.list("mcpServers"), kind, hop, own);
            if (own.isEmpty()) {
                return hop.forward();
            }
            Answer<RawJson> answer =
                    hop.forward(members.with("mcpServers", servers).json());
            if (!answer.isError()) {
                String id = Members.of(answer.result()).text("sessionId", members.text("sessionId", ""));
                List<McpServer> before = sessions.put(new Key(hop.client(), id), own);
                opened = true;
                if (before != null) {
                    before.forEach(endpoints::end);
                }
            }
            return answer;
        } finally {
            if (!opened) {
                own.forEach(endpoints::end);
            }
        }
    }

    /** Serves what is declared over ACP in another way. Returns all declarations, as the agent gets them. */
    private RawJson bridged(List<RawJson> declared, Kind kind, RequestHop<?, ?> hop, List<McpServer> own)
            throws IOException {
        JsonWriter out = new JsonWriter();
        out.beginArray();
        for (RawJson server : declared) {
            if ("acp".equals(Members.of(server).text("type"))
                    && server.decode(Codecs.mcpServer(hop.version())) instanceof McpServer.Acp acp) {
                McpServer served = endpoints.serve(acp, relay(acp, hop.client()), kind == Kind.HTTP);
                own.add(served);
                Codecs.mcpServer(hop.version()).encode(served, out);
            } else {
                out.raw(server);
            }
        }
        out.endArray();
        return out.toRawJson();
    }

    private Answer<RawJson> end(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        Answer<RawJson> answer = hop.forward();
        String id = Members.of(params).text("sessionId", "");
        List<McpServer> own = answer.isError() ? null : sessions.remove(new Key(hop.client(), id));
        if (own != null) {
            own.forEach(endpoints::end);
        }
        return answer;
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
            asked.put(id, notices);
            MessageMcpResponse response;
            try {
                response = client.call(
                        ClientMethods.MESSAGE_MCP,
                        MessageMcpRequest.builder(server.serverId(), McpRequestId.of(id), method)
                                .params(params.json())
                                .build());
            } catch (RpcException e) {
                // Of ACP: it must not be read as an error of MCP.
                throw new RpcError(RpcError.INTERNAL_ERROR, "the server cannot be reached: " + e.getMessage());
            } finally {
                asked.remove(id);
            }
            return switch (response) {
                case MessageMcpResponse.Result result -> result.result();
                case MessageMcpResponse.Failure failure -> throw error(failure.error());
            };
        };
    }

    private static RpcError error(McpError error) {
        return new RpcError(error.code(), error.message(), error.data().applyTo(null));
    }
}
