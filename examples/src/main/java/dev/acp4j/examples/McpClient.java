package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.SessionSetup;
import dev.acp4j.mcp.McpConfig;
import dev.acp4j.process.Launch;
import java.nio.file.Path;
import java.util.List;

/** A client that gives an agent the MCP servers of {@code .mcp.json} in this folder, and asks what they can do. */
final class McpClient {
    private McpClient() {}

    public static void main(String[] args) throws Exception {
        var command = List.of(args).subList(1, args.length);
        // recipe: client
        var servers = McpConfig.read(Path.of(".mcp.json"));
        try (var agent = Client.builder("mcp-client", "1.0").connect(Launch.of(args[0], command))) {
            var problem = servers.unsupported(agent);
            if (problem.isPresent()) {
                throw new IllegalStateException(problem.get());
            }
            var setup = SessionSetup.in(Path.of("")).withMcpServers(servers.servers());
            System.out.println(
                    agent.newSession(setup).prompt("Which tools are there?").text());
        }
        // end
    }
}
