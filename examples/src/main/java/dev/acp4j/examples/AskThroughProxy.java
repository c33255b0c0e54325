package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.process.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Asks the agent that its arguments start, through a proxy in this program. */
final class AskThroughProxy {
    public static void main(String[] args) throws IOException, InterruptedException {
        Launch launch = Launch.of(args[0], List.of(args).subList(1, args.length));
        // recipe: before
        try (var process = launch.start();
                var agent = Client.builder("ask", "1.0").connect(BriefProxy.BRIEF.before(process.transport()))) {
            System.out.println(
                    agent.newSession(Path.of(".")).prompt("What is 2 + 2?").text());
        }
        // end
    }
}
