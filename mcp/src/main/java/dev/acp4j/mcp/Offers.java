package dev.acp4j.mcp;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.McpError;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.MessageMcpNotification;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The servers that a client offers to agents. In each setup of a session, the declaration of one is replaced by a
 * declaration for that session only, of a kind that the agent takes; it is served before the agent reads it, and not
 * any more when the session has ended.
 */
final class Offers implements Client.SetupHandler {
    private final Map<McpServerAcpId, ToolServer> servers;
    private final Map<McpServerAcpId, Native> natives = new ConcurrentHashMap<>();
    private final Endpoints endpoints = new Endpoints();

    /** A server of a session that the agent reaches over the connection of the client. */
    private record Native(Face.Provider provider, RunningCalls calls) {}

    private Offers(Map<McpServerAcpId, ToolServer> servers) {
        this.servers = Map.copyOf(servers);
    }

    static Offers of(ToolServer... servers) {
        Map<McpServerAcpId, ToolServer> all = new HashMap<>();
        for (ToolServer server : servers) {
            all.put(server.declaration().serverId(), server);
        }
        return new Offers(all);
    }

    Client.Builder addTo(Client.Builder client) {
        return client.onSessionSetup(this).on(ClientMethods.MESSAGE_MCP, this::answer);
    }

    @Override
    public SessionSetup prepare(ConnectedAgent agent, SessionSetup setup) {
        List<McpServer> prepared = new ArrayList<>();
        for (McpServer declared : setup.mcpServers()) {
            ToolServer server = declared instanceof McpServer.Acp acp ? servers.get(acp.serverId()) : null;
            prepared.add(server == null ? declared : serve(server, (McpServer.Acp) declared, agent, setup));
        }
        return setup.withMcpServers(prepared);
    }

    private McpServer serve(ToolServer server, McpServer.Acp declared, ConnectedAgent agent, SessionSetup setup) {
        Face.Provider provider = server.provider(setup);
        try {
            if (agent.supports(Feature.MCP_ACP)) {
                return serveOverAcp(declared, provider);
            }
            return endpoints.serve(declared, provider, agent.supports(Feature.MCP_HTTP));
        } catch (IOException e) {
            throw new UncheckedIOException("the server " + declared.name() + " cannot be offered", e);
        }
    }

    private McpServer serveOverAcp(McpServer.Acp declared, Face.Provider provider) {
        McpServerAcpId id = McpServerAcpId.of(declared.name() + "-" + UUID.randomUUID());
        McpServer.Acp own = new McpServer.Acp(declared.name(), id, declared.rest());
        Native server = new Native(provider, new RunningCalls());
        natives.put(id, server);
        return endpoints.keep(own, () -> {
            natives.remove(id);
            server.calls().close();
        });
    }

    @Override
    public void ended(SessionSetup prepared) {
        prepared.mcpServers().forEach(endpoints::end);
    }

    // ---- over the connection of the client

    private MessageMcpResponse answer(ConnectedAgent agent, MessageMcpRequest request) {
        Native server = natives.get(request.serverId());
        if (server == null) {
            throw new RpcError(RunningCalls.NO_SUCH_SERVER, "there is no MCP server " + request.serverId());
        }
        server.calls().begin(request.requestId());
        try {
            Members params = Members.of(request.params());
            Face.check(params);
            RawJson result = server.provider()
                    .answer(
                            request.method(),
                            params,
                            (method, about) -> agent.send(
                                    AgentMethods.MESSAGE_MCP,
                                    MessageMcpNotification.builder(request.serverId(), request.requestId(), method)
                                            .params(about)
                                            .build()));
            return MessageMcpResponse.Result.of(result);
        } catch (RpcError e) {
            return MessageMcpResponse.Failure.of(new McpError(
                    e.code(),
                    e.message(),
                    e.data().<Change<RawJson>>map(Change::replace).orElse(Change.keep()),
                    dev.acp4j.schema.Rest.NONE));
        } catch (InterruptedException e) {
            throw RpcError.cancelled();
        } finally {
            server.calls().end(request.requestId());
        }
    }
}
