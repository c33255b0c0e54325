package dev.acp4j.bench.programs;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.AgentMethods;
import java.io.IOException;
import java.util.List;

/** What {@link HelloClient} does, through five proxies in this JVM that intercept nothing of it. */
final class HelloClientThroughFive {
    private HelloClientThroughFive() {}

    /** Takes the number of turns, the number of updates in each, and the agent's command. */
    public static void main(String[] args) throws InterruptedException, IOException {
        Proxy row = one(1);
        for (int i = 2; i <= 5; i++) {
            row = row.then(one(i));
        }
        Launch command = Launch.of(args[2], List.of(args).subList(3, args.length));
        try (LaunchedProcess process = command.start();
                ConnectedAgent agent = Client.builder("hello", "1").connect(row.before(process.transport()))) {
            HelloClient.hear(agent, Integer.parseInt(args[0]), args[1]);
        }
    }

    private static Proxy one(int number) {
        return Proxy.builder("hello " + number, "1")
                .onRequest(AgentMethods.SET_MODE, (mode, hop) -> hop.forward())
                .build();
    }
}
