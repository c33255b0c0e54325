package dev.acp4j.bench.programs;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Stdio;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.nio.file.Path;

/**
 * The agent, written with acp4j. It does what the first word of the prompt says; {@link FloorAgent} has the list. What
 * it needs for a piece of text of fifty characters is measured, so nothing is prepared.
 */
final class HelloAgent {
    private static final String PIECE = "The quick brown fox jumps over the lazy dog again.";
    private static final String LINE = "A line of a file that has the usual number of characters.\n";

    private HelloAgent() {}

    /** Serves standard input and output. */
    public static void main(String[] args) throws InterruptedException {
        Agent.builder("hello", "1")
                .protocol(Version.V1, Version.V2)
                .onPrompt(HelloAgent::obey)
                .serve(Stdio.system());
    }

    private static void obey(AgentTurn turn) throws InterruptedException {
        String text = turn.text();
        int space = text.indexOf(' ');
        switch (space < 0 ? text : text.substring(0, space)) {
            case "stream" -> {
                for (int left = number(text, space); left > 0; left--) {
                    turn.message(PIECE);
                }
            }
            case "pieces" -> {
                ToolCallHandle call = turn.toolCall("Work", ToolKind.OTHER);
                for (int left = number(text, space); left > 0; left--) {
                    turn.update(SessionUpdate.ToolCallContentChunk.of(call.id(), ToolCallContent.text(PIECE)));
                }
                call.complete();
            }
            case "read" -> {
                Path path = Path.of("/home/file.txt");
                for (int left = number(text, space); left > 0; left--) {
                    turn.files().readText(path);
                }
            }
            case "write" ->
                turn.files().writeText(Path.of("/home/file.txt"), LINE.repeat(number(text, space) / LINE.length()));
            case "take" -> turn.message(String.valueOf(text.length()));
            default -> turn.message(PIECE);
        }
    }

    private static int number(String text, int space) {
        return Integer.parseInt(text.substring(space + 1));
    }
}
