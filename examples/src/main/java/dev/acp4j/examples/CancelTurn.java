package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.SessionEvent;
import dev.acp4j.process.Launch;
import java.nio.file.Path;
import java.util.List;

/** Cancels a turn when it has heard enough, and reads on until the agent confirms. */
final class CancelTurn {
    public static void main(String[] args) throws InterruptedException {
        var process = Launch.of(args[0], List.of(args).subList(1, args.length));
        try (var agent = Client.builder("cancel-turn", "1.0").connect(process);
                var turn = agent.newSession(Path.of(".")).prompt("Count!")) {
            int pieces = 0;
            for (var event : turn) {
                if (event instanceof SessionEvent.Message message && pieces++ < 3) {
                    System.out.print(message.text());
                } else {
                    turn.cancel();
                }
            }
            System.out.println("[" + turn.result().stopReason() + "]");
        }
    }
}
