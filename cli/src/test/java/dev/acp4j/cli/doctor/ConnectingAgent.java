package dev.acp4j.cli.doctor;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.mcp.McpServers;

/** An agent that connects MCP servers of every kind. */
public final class ConnectingAgent {
    private ConnectingAgent() {}

    public static void main(String[] args) throws InterruptedException {
        Agent.Builder agent = Agent.builder("connecting", "1").onPrompt(turn -> turn.message("done"));
        McpServers.builder().http().acp().addTo(agent).serve(Stdio.system());
    }
}
