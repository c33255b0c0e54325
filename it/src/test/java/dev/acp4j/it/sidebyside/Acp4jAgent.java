package dev.acp4j.it.sidebyside;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Stdio;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** An agent written with acp4j that does what the prompt says, see {@link ClientFaults}. */
final class Acp4jAgent {
    private Acp4jAgent() {}

    /** Serves standard input and output. */
    public static void main(String[] args) throws InterruptedException {
        Agent.builder("subject", "1").onPrompt(Acp4jAgent::obey).serve(Stdio.system());
    }

    private static void obey(AgentTurn turn) throws InterruptedException {
        String[] words = turn.text().split(" ", 2);
        switch (words[0]) {
            case "say" -> turn.message(words[1]);
            case "size" -> turn.message(String.valueOf(words[1].length()));
            case "stream" -> {
                for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                    turn.message(i + " ");
                }
            }
            case "fill" -> {
                for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                    turn.message("x".repeat(10_000));
                }
            }
            case "ask" ->
                turn.message(
                        turn.toolCall("Edit", ToolKind.EDIT).requestPermission().isAllowed() ? "allowed" : "rejected");
            case "read" -> turn.message(turn.files().readText(Path.of(words[1])));
            case "wait" -> {
                turn.message("waiting");
                new CountDownLatch(1).await();
            }
            case "print" -> {
                System.out.println(words[1]);
                turn.message("printed");
            }
            default -> throw new IllegalStateException("secret of the inside");
        }
    }
}
