package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.process.Launch;
import java.nio.file.Path;
import java.util.List;

/** Leaves a conversation and comes back to it. */
final class CloseAndLoad {
    public static void main(String[] args) throws InterruptedException {
        var process = Launch.of(args[0], List.of(args).subList(1, args.length));
        var here = Path.of(".");
        try (var agent = Client.builder("close-and-load", "1.0").connect(process)) {
            var session = agent.newSession(here);
            session.prompt("remember me").result();
            session.close();

            var again = agent.loadSession(session.id(), here);
            for (var message : again.view().messages()) {
                System.out.println(message.author() + ": " + message.text());
            }
        }
    }
}
