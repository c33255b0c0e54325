package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.schema.ToolKind;

/** A tool call from its announcement to its end: what it would change, the question, the change through the client. */
final class EditingAgent {
    public static void main(String[] args) throws InterruptedException {
        Agent.builder("editing", "1.0")
                .onPrompt(turn -> {
                    var file = turn.session().cwd().resolve("greeting.txt");
                    var text = turn.text() + "\n";
                    var call = turn.toolCall("Write greeting.txt", ToolKind.EDIT)
                            .location(file)
                            .diff(file, null, text);
                    if (!call.requestPermission().isAllowed()) {
                        call.fail("The user does not want this.");
                        return;
                    }
                    call.start();
                    turn.files().writeText(file, text);
                    call.complete();
                    turn.message("Done.");
                })
                .serve(Stdio.system());
    }
}
