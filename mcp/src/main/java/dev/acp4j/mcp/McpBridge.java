package dev.acp4j.mcp;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.McpError;
import dev.acp4j.schema.McpRequestId;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.util.Arrays;
import java.util.ListIterator;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A proxy in front of an agent that cannot reach MCP servers over ACP, or over HTTP: a client or a proxy before it may
 * declare such servers all the same. The agent gets an address on loopback or the command of a small program instead,
 * and what it asks there is asked as {@code mcp/message}, or at the server's address. Headers with secrets stay here.
 * An agent that can is left alone.
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
    private final PassingSessions sessions = new PassingSessions(this::prepare);

    /** Where the reports about requests go that the client has not answered yet. */
    private final Map<String, Face.Notices> asked = new ConcurrentHashMap<>();

    /** Creates a bridge that serves nothing yet. */
    public McpBridge() {}

    /** Returns the proxy. Its place is next to the agent. */
    public Proxy proxy() {
        return sessions.addTo(Proxy.builder("mcp-bridge", "1"))
                .onRequests(Method.Side.AGENT, "initialize"::equals, this::initialize)
                .onNotifications(Method.Side.AGENT, "mcp/message"::equals, this::report)
                .build();
    }

    /** Ends all that is served. */
    @Override
    public void close() {
        sessions.endpoints().close();
    }

    private Answer<RawJson> initialize(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
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
        if (reach != Reach.NONE && !Reach.connectsHttp(agent, hop.version())) {
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

    /** Serves in another way what the agent cannot connect to. */
    private void prepare(PassingSessions.Setup setup) throws IOException {
        boolean connectsSome = setup.reach() != Reach.NONE;
        ListIterator<RawJson> servers = setup.servers().listIterator();
        while (servers.hasNext()) {
            RawJson declaration = servers.next();
            // Of an agent that connects none, a server over ACP is refused here: nobody else would.
            McpServer.Acp acp = setup.reach() == Reach.ACP ? null : setup.overAcp(declaration);
            if (acp != null) {
                servers.set(setup.serve(acp, relay(acp, setup.client())));
            } else if (connectsSome && !setup.connectsHttp() && setup.declared(declaration) instanceof McpServer.Http http) {
                McpServer.Acp own =
                        McpServer.Acp.of(http.name(), McpServerAcpId.of(http.name() + "-" + UUID.randomUUID()));
                servers.set(setup.serve(
                        own, new RelayedServer(http, setup.session().setup().orElse(null))));
            }
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
