package dev.acp4j.bench.programs;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** An agent, written with acp4j, that uses the tool of an MCP server of its session. Its client is in the same JVM. */
final class HelloMcp {
    private HelloMcp() {}

    /** Takes the server's command, prints what the tool returns, and waits for the end of the input. */
    public static void main(String[] args) throws InterruptedException, IOException {
        Agent.Builder agent = Agent.builder("hello", "1").onPrompt(HelloMcp::call);
        McpServer server = McpServer.Stdio.of("hello", args[0], List.of(args).subList(1, args.length), List.of());
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (ConnectedClient served = McpServers.builder()
                        .asks(tool -> false)
                        .addTo(agent)
                        .build()
                        .connect(pair.left());
                ConnectedAgent connected = Client.builder("hello", "1").connect(pair.right())) {
            SessionSetup setup = SessionSetup.in(Path.of("").toAbsolutePath()).withMcpServers(List.of(server));
            System.out.println(connected.newSession(setup).prompt("say").text());
            // The peak of memory is read while the process lives.
            System.in.read();
            if (!served.isOpen()) {
                throw new IOException("the agent has ended");
            }
        }
    }

    private static void call(AgentTurn turn) throws InterruptedException {
        RawJson arguments = RawJson.parse("{\"what\":\"it\"}");
        turn.message(McpServers.of(turn).call(turn, "hello.say", arguments).text());
    }
}
