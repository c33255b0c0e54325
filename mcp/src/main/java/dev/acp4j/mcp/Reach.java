package dev.acp4j.mcp;

import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.McpCapabilities;
import dev.acp4j.schema.McpCapabilitiesV2;
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
