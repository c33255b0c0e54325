package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.SessionEvent;
import dev.acp4j.process.Launch;
import java.nio.file.Path;
import java.util.List;

/** The smallest client: asks the agent that its arguments start, and prints the answer as it comes. */
final class Ask {
    public static void main(String[] args) throws InterruptedException {
        try (var agent = Client.builder("ask", "1.0")
                        .connect(Launch.of(args[0], List.of(args).subList(1, args.length)));
                var turn = agent.newSession(Path.of(".")).prompt("What is 2 + 2?")) {
            for (var event : turn) if (event instanceof SessionEvent.Message message) System.out.print(message.text());
            System.out.println(" [" + turn.result().stopReason() + "]");
        }
    }
}
