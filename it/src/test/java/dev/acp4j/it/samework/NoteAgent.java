package dev.acp4j.it.samework;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.PlanHandle;
import dev.acp4j.Stdio;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;

/** Writes what the user says into a file of the client, after asking. */
public final class NoteAgent {
    private NoteAgent() {}

    public static void main(String[] args) throws InterruptedException {
        Agent.builder("note", "1.0").onPrompt(NoteAgent::write).build().serve(Stdio.system());
    }

    private static void write(AgentTurn turn) throws InterruptedException {
        PlanHandle plan = turn.plan("Ask", "Write");
        plan.next();
        turn.message("A note ");
        turn.message("is written. ");
        Path file = turn.session().cwd().resolve("note.txt");
        try (ToolCallHandle call = turn.toolCall("Write note.txt", ToolKind.EDIT)) {
            call.location(file).diff(file, null, turn.text());
            if (!call.requestPermission().isAllowed()) {
                turn.message("Not allowed.");
                return;
            }
            plan.next();
            call.start();
            turn.files().writeText(file, turn.text());
            call.complete();
        }
        plan.next();
        turn.message("Done.");
    }
}
