package dev.acp4j.proxies;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.TokenUsage;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.Cost;
import dev.acp4j.schema.UsageUpdate;
import dev.acp4j.schema.Version;
import java.time.Duration;

/** The agent of a chain: calls the tool that its prompt names, with the arguments behind it, or says the prompt. */
final class AskingAgent implements AutoCloseable {
    private final ConnectedClient agent;
    private final ConnectedAgent client;
    private volatile String said = "";

    AskingAgent(Proxy proxy, Client.Builder client, Version version) throws InterruptedException {
        this(proxy, client, version, true);
    }

    /** Starts an agent that connects servers over ACP, or none but programs. */
    AskingAgent(Proxy proxy, Client.Builder client, Version version, boolean overAcp) throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        this.agent = builder(overAcp).protocol(version).build().connect(pair.right());
        this.client = client.protocol(version).connect(proxy.before(pair.left()));
    }

    private Agent.Builder builder(boolean overAcp) {
        Agent.Builder agent = Agent.builder("first", "1").onPrompt(turn -> {
            String[] words = turn.text().split(" ", 2);
            McpServers servers = McpServers.of(turn);
            if (words[0].equals("tools")) {
                StringBuilder names = new StringBuilder();
                servers.tools(turn)
                        .forEach(tool -> names.append(tool.modelName()).append(' '));
                turn.message(names.toString().strip());
            } else if (words[0].equals("about")) {
                StringBuilder descriptions = new StringBuilder();
                servers.tools(turn)
                        .forEach(tool -> descriptions.append(tool.description()).append('\n'));
                turn.message(descriptions.toString().strip());
            } else if (words[0].equals("use")) {
                turn.usage(new TokenUsage(Long.parseLong(words[1]), 1, 1, null, null, null));
            } else if (words[0].contains("__")) {
                var unused = servers.tools(turn);
                turn.usage(UsageUpdate.builder(7, 100).cost(Cost.of(1, "USD")).build());
                said = servers.call(turn, words[0], RawJson.parse(words[1])).text();
                turn.message(said);
                turn.usage(new TokenUsage(100, 60, 40, null, null, null));
            } else {
                turn.message("first: " + turn.text());
            }
        });
        McpServers.Builder servers = McpServers.builder();
        return (overAcp ? servers.acp() : servers)
                .patience(Duration.ofSeconds(50))
                .asks(tool -> false)
                .addTo(agent);
    }

    /** Returns what the agent was answered last by a tool. */
    String said() {
        return said;
    }

    ConnectedAgent client() {
        return client;
    }

    @Override
    public void close() {
        client.close();
        agent.close();
    }
}
