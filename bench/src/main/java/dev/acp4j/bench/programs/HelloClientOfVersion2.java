package dev.acp4j.bench.programs;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@link HelloClient} in version 2; what it hears are the pieces of a message, or of a tool call's content. */
final class HelloClientOfVersion2 {
    private HelloClientOfVersion2() {}

    /**
     * Takes {@code stream} or {@code pieces}, the number of turns, that of updates in each, and the agent's command.
     */
    public static void main(String[] args) throws InterruptedException, IOException {
        var command = Launch.of(args[3], List.of(args).subList(4, args.length));
        try (ConnectedAgent agent =
                Client.builder("hello", "1").protocol(Version.V2).connect(command)) {
            Session session = agent.newSession(Path.of("").toAbsolutePath());
            for (int turn = 0; turn < Integer.parseInt(args[1]); turn++) {
                System.out.println(heard(session, args[0] + " " + args[2]));
            }
            session.prompt("end").result();
            System.out.println("done");
            // The peak of memory is read while the process lives.
            System.in.read();
        }
    }

    private static long heard(Session session, String prompt) throws InterruptedException {
        long characters = 0;
        try (Turn turn = session.prompt(prompt)) {
            for (SessionEvent event : turn) {
                if (event instanceof SessionEvent.Message message) {
                    characters += message.text().length();
                } else if (event instanceof SessionEvent.ToolCallChanged changed
                        && changed.call().content().getLast() instanceof ToolCallContent.Content piece
                        && piece.content() instanceof ContentBlock.Text text) {
                    characters += text.text().length();
                }
            }
        }
        return characters;
    }
}
