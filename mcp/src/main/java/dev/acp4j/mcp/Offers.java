package dev.acp4j.mcp;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.SessionSetup;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The servers that a client offers to agents. In each setup of a session, the declaration of one is replaced by a
 * declaration for that session only, of a kind that the agent takes; it is served before the agent reads it, and not
 * any more when the session has ended. Servers over HTTP can be relayed to agents without HTTP in the same way.
 */
final class Offers implements Client.SetupHandler {
    private final Map<McpServerAcpId, ToolServer> servers;
    private final boolean relays;
    private final Endpoints endpoints = new Endpoints();

    private Offers(Map<McpServerAcpId, ToolServer> servers, boolean relays) {
        this.servers = Map.copyOf(servers);
        this.relays = relays;
    }

    /** Returns what relays servers over HTTP. */
    static Offers relaying() {
        return new Offers(Map.of(), true);
    }

    static Offers of(ToolServer... servers) {
        Map<McpServerAcpId, ToolServer> all = new HashMap<>();
        for (ToolServer server : servers) {
            all.put(server.declaration().serverId(), server);
        }
        return new Offers(all, false);
    }

    Client.Builder addTo(Client.Builder client) {
        return client.onSessionSetup(this)
                .on(
                        ClientMethods.MESSAGE_MCP,
                        (agent, request) ->
                                endpoints.answer(request, report -> agent.send(AgentMethods.MESSAGE_MCP, report)));
    }

    @Override
    public SessionSetup prepare(ConnectedAgent agent, SessionSetup setup) {
        List<McpServer> prepared = new ArrayList<>();
        boolean isDone = false;
        try {
            for (McpServer declared : setup.mcpServers()) {
                prepared.add(prepared(declared, agent, setup));
            }
            isDone = true;
            return setup.withMcpServers(prepared);
        } finally {
            if (!isDone) {
                prepared.forEach(endpoints::end);
            }
        }
    }

    private McpServer prepared(McpServer declared, ConnectedAgent agent, SessionSetup setup) {
        boolean hasHttp = agent.supports(Feature.MCP_HTTP);
        if (declared instanceof McpServer.Acp acp && servers.get(acp.serverId()) != null) {
            Reach reach = Reach.best(agent.supports(Feature.MCP_ACP), hasHttp, true);
            requireReached(acp, agent, reach);
            return serve(reach.noted(acp), servers.get(acp.serverId()).provider(setup), reach);
        }
        Reach reach = Reach.best(agent.supports(Feature.MCP_ACP), hasHttp, agent.supports(Feature.MCP_STDIO));
        if (relays && !hasHttp && reach != Reach.NONE && declared instanceof McpServer.Http http) {
            McpServer.Acp own = McpServer.Acp.of(http.name(), McpServerAcpId.of(http.name()));
            requireReached(own, agent, reach);
            return serve(reach.notedAsRelayed(own), new RelayedServer(http, setup), reach);
        }
        return declared;
    }

    /** Refuses to hand out an address or a program of this machine to an agent of another one. */
    private static void requireReached(McpServer.Acp server, ConnectedAgent agent, Reach reach) {
        if (reach != Reach.ACP && Reach.isElsewhere(agent.meta())) {
            throw new IllegalStateException("the MCP server " + server.name()
                    + " cannot be offered: it would be served on this machine, but the agent is on another one and takes"
                    + " no MCP servers over ACP; leave it out of the setup");
        }
    }

    private McpServer serve(McpServer.Acp declared, Face.Provider provider, Reach reach) {
        try {
            return endpoints.serve(declared, provider, reach);
        } catch (IOException e) {
            throw new UncheckedIOException("the server " + declared.name() + " cannot be offered", e);
        }
    }

    @Override
    public void ended(SessionSetup prepared) {
        prepared.mcpServers().forEach(endpoints::end);
    }
}
