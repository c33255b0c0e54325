package dev.acp4j.bench.programs;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.process.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A client, written with acp4j, that hears a number of long turns of {@link StreamingAgent}. */
final class HelloClient {
    private HelloClient() {}

    /** Takes the number of turns, the number of updates in each, and the agent's command. */
    public static void main(String[] args) throws InterruptedException, IOException {
        var command = Launch.of(args[2], List.of(args).subList(3, args.length));
        try (ConnectedAgent agent = Client.builder("hello", "1").connect(command)) {
            hear(agent, Integer.parseInt(args[0]), args[1]);
        }
    }

    /** Prints how much each turn has said, and waits for the end of the input. */
    static void hear(ConnectedAgent agent, int turns, String updates) throws InterruptedException, IOException {
        Session session = agent.newSession(Path.of("").toAbsolutePath());
        for (int turn = 0; turn < turns; turn++) {
            System.out.println(heard(session, "stream " + updates));
        }
        session.prompt("end").result();
        System.out.println("done");
        // The peak of memory is read while the process lives.
        System.in.read();
    }

    private static long heard(Session session, String prompt) throws InterruptedException {
        long characters = 0;
        try (Turn turn = session.prompt(prompt)) {
            for (SessionEvent event : turn) {
                if (event instanceof SessionEvent.Message message) {
                    characters += message.text().length();
                }
            }
        }
        return characters;
    }
}
