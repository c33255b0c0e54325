package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.testkit.Transports;
import java.nio.file.Path;

/** Tests an agent without a process: both ends in one program, and the wire to look at when something is wrong. */
final class TestYourAgent {
    public static void main(String[] args) throws InterruptedException {
        var agent = Agent.builder("tested", "1.0")
                .onPrompt(turn -> turn.message("4"))
                .build();
        try (var ends = Transports.joined();
                var served = agent.connect(ends.agent());
                var connected = Client.builder("test", "1.0").connect(ends.client())) {
            var answer = connected.newSession(Path.of(".")).prompt("What is 2 + 2?");
            if (!answer.text().equals("4") || !served.isOpen()) {
                throw new AssertionError("wrong answer\n" + ends.wire());
            }
            System.out.println("right, in " + ends.wire().messages().size() + " messages");
        }
    }
}
