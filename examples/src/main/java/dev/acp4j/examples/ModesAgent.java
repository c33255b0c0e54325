package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import java.util.List;

/** Offers two modes and a command. What is set while a session is being opened goes into the response. */
final class ModesAgent {
    private static final SessionModeId QUIET = SessionModeId.of("quiet");
    private static final SessionModeId LOUD = SessionModeId.of("loud");

    public static void main(String[] args) throws InterruptedException {
        Agent.builder("modes", "1.0")
                .onNewSession(session -> {
                    session.modes(SessionModeState.of(
                            QUIET,
                            List.of(
                                    SessionMode.builder(QUIET, "Quiet").build(),
                                    SessionMode.builder(LOUD, "Loud").build())));
                    session.commands(List.of(AvailableCommand.builder("shout", "Switches to loud")
                            .build()));
                })
                .onSetMode((session, mode) -> session.title("Mode " + mode))
                .onPrompt(turn -> {
                    if (turn.text().startsWith("/shout")) {
                        turn.mode(LOUD);
                    }
                    var modes = turn.session().modes();
                    boolean loud = modes != null && modes.currentModeId().equals(LOUD);
                    turn.message(loud ? "HELLO!" : "hello.");
                })
                .serve(Stdio.system());
    }
}
