package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.process.Launch;
import java.nio.file.Path;
import java.util.List;

/** A user interface reads the state of a session; it never merges updates itself. */
final class WatchSession {
    public static void main(String[] args) throws InterruptedException {
        var process = Launch.of(args[0], List.of(args).subList(1, args.length));
        var client = Client.builder("watch-session", "1.0").onEvent((session, event) -> show(session));
        try (var agent = client.connect(process);
                var session = agent.newSession(Path.of("."))) {
            System.out.println("ended: " + session.prompt("Go!").result().stopReason());
        }
    }

    private static void show(Session session) {
        var view = session.view();
        System.out.println(view.title().orElse("untitled") + ": "
                + view.messages().size() + " messages, " + view.toolCalls().size() + " tool calls, "
                + view.plan().size() + " steps planned");
    }
}
