package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.SessionSetup;
import dev.acp4j.mcp.McpConfig;
import dev.acp4j.process.Launch;
import java.nio.file.Path;

/** A client that gives an agent the MCP servers of a file, such as {@code .mcp.json}, and asks what they can do. */
final class McpClient {
    private McpClient() {}

    public static void main(String[] args) throws Exception {
        // recipe: client
        var servers = McpConfig.read(Path.of(args[0]));
        try (var agent = Client.builder("mcp-client", "1.0").connect(Launch.parse(args[1]))) {
            var problem = servers.unsupported(agent);
            if (problem.isPresent()) {
                throw new IllegalStateException(problem.get());
            }
            var setup = SessionSetup.in(Path.of("")).withMcpServers(servers.servers());
            System.out.println(agent.newSession(setup).prompt("/tools").text());
        }
        // end
    }
}
