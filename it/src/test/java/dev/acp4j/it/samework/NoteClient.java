package dev.acp4j.it.samework;

import dev.acp4j.Client;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.process.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Prompts an agent once, allows what it asks, and prints what it does. Takes a folder and the agent's command. */
public final class NoteClient {
    private NoteClient() {}

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        Launch launch = Launch.of(args[1], List.of(args).subList(2, args.length));
        Client.Builder client = Client.builder("notes", "1.0")
                .onPermission(question -> question.allowOnce())
                .onWriteTextFile((session, write) -> Files.writeString(Path.of(write.path()), write.content()));
        try (var agent = client.connect(launch);
                Turn turn = agent.newSession(folder).prompt("Buy milk")) {
            for (SessionEvent event : turn) {
                switch (event) {
                    case SessionEvent.Message message -> System.out.println(message.text());
                    case SessionEvent.ToolCallChanged changed ->
                        System.out.println(
                                changed.call().title() + " " + changed.call().status());
                    case SessionEvent.PlanChanged changed ->
                        changed.plan()
                                .entries()
                                .forEach(task -> System.out.println(task.content() + " " + task.status()));
                    default -> {}
                }
            }
            System.out.println(turn.result().stopReason());
        }
    }
}
