package dev.acp4j.cli.prompt;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.TurnResult;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.schema.RequestPermissionOutcome;

/** The output of {@code acp prompt}. Methods for events and permissions are called by other threads than the rest. */
public interface TurnOutput {
    /**
     * The session is open.
     *
     * @param isReplayed whether the agent has replayed an earlier conversation, which is no part of the turn
     */
    void begins(ConnectedAgent agent, Session session, boolean isReplayed);

    /** Something happened in the session. */
    void event(Session session, SessionEvent event);

    /** A question of the agent was answered by a rule. */
    void permission(PermissionQuestion request, RequestPermissionOutcome outcome);

    /** Messages of the agent could not be read. What ends the turn follows. */
    void dropped(int count);

    /** The agent ended its turn. */
    void ends(TurnResult result, ExitCode code);

    /** Something went wrong, and this is the end. */
    void failed(Failure failure);

    /** Shows a line of the {@code --verbose} output. */
    void log(String line);
}
