package dev.acp4j.mcp;

import dev.acp4j.Stdio;
import java.time.Duration;

/** The agent of these tests as a program. */
final class McpAgentProgram {
    private McpAgentProgram() {}

    public static void main(String[] args) throws Exception {
        McpSession.agent(McpServers.builder().patience(Duration.ofSeconds(50))).serve(Stdio.system());
    }
}
