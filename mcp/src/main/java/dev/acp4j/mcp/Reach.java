package dev.acp4j.mcp;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.McpCapabilities;
import dev.acp4j.schema.McpCapabilitiesV2;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Version;

/** How an agent reaches a server that another program has: the best way that it offers. */
enum Reach {
    /** Over the connection of the client, by {@code mcp/message}. */
    ACP,
    /** At an address. */
    HTTP,
    /** By starting a program that connects it. */
    PROGRAM,
    /** The agent connects no servers. */
    NONE;

    /** In the extension data of a declaration for the agent: how it reaches the server, and why so. */
    static final String WAY = "acp4j/mcpWay";

    /**
     * What transports put into the extension data of an answer to {@code initialize} that came from another machine.
     */
    private static final String ELSEWHERE = "acp4j/elsewhere";

    /**
     * Whether an agent is on another machine, where addresses of loopback and programs of this one do not exist.
     *
     * @param answer the extension data of its answer to {@code initialize}
     */
    static boolean isElsewhere(Meta answer) {
        return answer.get(ELSEWHERE).filter(RawJson.parse("true")::equals).isPresent();
    }

    /** Returns a declaration that says how the agent reaches the server of another program. */
    McpServer.Acp noted(McpServer.Acp server) {
        return noted(
                server,
                switch (this) {
                    case ACP -> "over ACP, which the agent takes";
                    case HTTP -> "over HTTP, since the agent takes no servers over ACP";
                    case PROGRAM -> "by a program, since the agent takes servers neither over ACP nor over HTTP";
                    case NONE -> "not at all, since the agent connects no servers";
                });
    }

    /** Returns a declaration that says how the agent reaches a server over HTTP, which it does not take. */
    McpServer.Acp notedAsRelayed(McpServer.Acp server) {
        return noted(
                server,
                this == ACP
                        ? "relayed over ACP, since the agent takes no servers over HTTP"
                        : "relayed by a program, since the agent takes servers neither over HTTP nor over ACP");
    }

    private static McpServer.Acp noted(McpServer.Acp server, String way) {
        return server.withMeta(server.rest().meta().with(WAY, RawJson.string(way)));
    }

    static Reach of(InitializeResponse agent, Version version) {
        if (version == Version.V1) {
            McpCapabilities mcp = agent.agentCapabilities().mcpCapabilities();
            return best(mcp.acp(), mcp.http(), true);
        }
        McpCapabilitiesV2 mcp = agent.capabilities().session() == null
                ? null
                : agent.capabilities().session().mcp();
        return mcp == null ? NONE : best(mcp.acp() != null, mcp.http() != null, mcp.stdio() != null);
    }

    static boolean connectsHttp(InitializeResponse agent, Version version) {
        if (version == Version.V1) {
            return agent.agentCapabilities().mcpCapabilities().http();
        }
        var session = agent.capabilities().session();
        return session != null && session.mcp() != null && session.mcp().http() != null;
    }

    static Reach best(boolean acp, boolean http, boolean stdio) {
        if (acp) {
            return ACP;
        }
        if (http) {
            return HTTP;
        }
        return stdio ? PROGRAM : NONE;
    }
}
