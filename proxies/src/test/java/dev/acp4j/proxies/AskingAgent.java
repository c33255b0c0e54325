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

    AskingAgent(Proxy proxy, Client.Builder client, Version version) throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        this.agent = builder().protocol(version).build().connect(pair.right());
        this.client = client.protocol(version).connect(proxy.before(pair.left()));
    }

    private static Agent.Builder builder() {
        Agent.Builder agent = Agent.builder("first", "1").onPrompt(turn -> {
            String[] words = turn.text().split(" ", 2);
            McpServers servers = McpServers.of(turn);
            if (words[0].equals("tools")) {
                StringBuilder names = new StringBuilder();
                servers.tools(turn)
                        .forEach(tool -> names.append(tool.modelName()).append(' '));
                turn.message(names.toString().strip());
            } else if (words[0].equals("use")) {
                turn.usage(new TokenUsage(Long.parseLong(words[1]), 1, 1, null, null, null));
            } else if (words[0].contains("__")) {
                var unused = servers.tools(turn);
                turn.usage(UsageUpdate.builder(7, 100).cost(Cost.of(1, "USD")).build());
                turn.message(
                        servers.call(turn, words[0], RawJson.parse(words[1])).text());
                turn.usage(new TokenUsage(100, 60, 40, null, null, null));
            } else {
                turn.message("first: " + turn.text());
            }
        });
        return McpServers.builder()
                .acp()
                .patience(Duration.ofSeconds(50))
                .asks(tool -> false)
                .addTo(agent);
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
