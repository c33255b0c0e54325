package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.registry.Agents;
import java.io.IOException;
import java.nio.file.Path;

/** Asks an agent that {@code acp agents add claude} has installed. */
final class AskByName {
    public static void main(String[] args) throws IOException, InterruptedException {
        try (var agent = Client.builder("ask", "1.0").connect(Agents.named("claude"));
                var turn = agent.newSession(Path.of(".")).prompt("What is 2 + 2?")) {
            System.out.println(turn.text());
        }
    }
}
