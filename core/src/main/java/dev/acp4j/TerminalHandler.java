package dev.acp4j;

import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalResponse;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;

/**
 * Runs commands for an agent. Each method may throw a {@link dev.acp4j.rpc.RpcError}, which reaches the agent as it is;
 * anything else reaches it as internal error.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals">Terminals</a>
 */
public interface TerminalHandler {
    /** Starts a command. */
    CreateTerminalResponse create(Session session, CreateTerminalRequest request) throws Exception;

    /** Returns the output so far. */
    TerminalOutputResponse output(Session session, TerminalOutputRequest request) throws Exception;

    /** Waits until the command has ended; interrupted when the agent no longer waits. */
    WaitForTerminalExitResponse waitForExit(Session session, WaitForTerminalExitRequest request) throws Exception;

    /** Ends the command and keeps the terminal. */
    void kill(Session session, KillTerminalRequest request) throws Exception;

    /** Ends the command and frees the terminal. */
    void release(Session session, ReleaseTerminalRequest request) throws Exception;

    /** Frees all terminals of a session that has ended, or whose agent is gone. */
    void sessionEnded(Session session);
}
