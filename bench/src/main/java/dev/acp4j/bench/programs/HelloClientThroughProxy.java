package dev.acp4j.bench.programs;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.AgentMethods;
import java.io.IOException;
import java.util.List;

/** What {@link HelloClient} does, through a proxy in this JVM that intercepts prompts. */
final class HelloClientThroughProxy {
    private HelloClientThroughProxy() {}

    /** Takes the number of turns, the number of updates in each, and the agent's command. */
    public static void main(String[] args) throws InterruptedException, IOException {
        Proxy proxy = Proxy.builder("hello", "1")
                .onRequest(AgentMethods.PROMPT, (prompt, hop) -> hop.forward())
                .build();
        Launch command = Launch.of(args[2], List.of(args).subList(3, args.length));
        try (LaunchedProcess process = command.start();
                ConnectedAgent agent = Client.builder("hello", "1").connect(proxy.before(process.transport()))) {
            HelloClient.hear(agent, Integer.parseInt(args[0]), args[1]);
        }
    }
}
