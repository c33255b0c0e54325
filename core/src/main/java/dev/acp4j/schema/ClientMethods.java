package dev.acp4j.schema;

import java.util.List;

/**
 * The methods that a client handles, for an agent to call.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/overview#client">Overview</a>
 */
public final class ClientMethods {
    /** Tells what goes on in a session. */
    public static final Method<SessionNotification, Void> UPDATE =
            Method.knownNotification("session/update", Method.Side.CLIENT);

    /** Asks the user whether a tool may go ahead. */
    public static final Method<RequestPermissionRequest, RequestPermissionResponse> REQUEST_PERMISSION =
            Method.known("session/request_permission", Method.Side.CLIENT);

    /** Asks the user for something. */
    public static final Method<CreateElicitationRequest, CreateElicitationResponse> CREATE_ELICITATION =
            Method.known("elicitation/create", Method.Side.CLIENT);

    /** Tells that what the user was sent to a web address for is done. */
    public static final Method<CompleteElicitationNotification, Void> COMPLETE_ELICITATION =
            Method.knownNotification("elicitation/complete", Method.Side.CLIENT);

    /** Reads a text file as the client sees it, changes not yet saved included. */
    public static final Method<ReadTextFileRequest, ReadTextFileResponse> READ_TEXT_FILE =
            Method.known("fs/read_text_file", Method.Side.CLIENT);

    /** Writes a text file. */
    public static final Method<WriteTextFileRequest, WriteTextFileResponse> WRITE_TEXT_FILE =
            Method.known("fs/write_text_file", Method.Side.CLIENT);

    /** Runs a command in a terminal of the client. */
    public static final Method<CreateTerminalRequest, CreateTerminalResponse> CREATE_TERMINAL =
            Method.known("terminal/create", Method.Side.CLIENT);

    /** Returns what a terminal shows so far. */
    public static final Method<TerminalOutputRequest, TerminalOutputResponse> TERMINAL_OUTPUT =
            Method.known("terminal/output", Method.Side.CLIENT);

    /** Waits until the command of a terminal has ended. */
    public static final Method<WaitForTerminalExitRequest, WaitForTerminalExitResponse> WAIT_FOR_TERMINAL_EXIT =
            Method.known("terminal/wait_for_exit", Method.Side.CLIENT);

    /** Ends the command of a terminal, which stays readable. */
    public static final Method<KillTerminalRequest, KillTerminalResponse> KILL_TERMINAL =
            Method.known("terminal/kill", Method.Side.CLIENT);

    /** Gives a terminal back, ending its command if that still runs. */
    public static final Method<ReleaseTerminalRequest, ReleaseTerminalResponse> RELEASE_TERMINAL =
            Method.known("terminal/release", Method.Side.CLIENT);

    private static final List<Method<?, ?>> ALL = List.of(
            UPDATE,
            REQUEST_PERMISSION,
            CREATE_ELICITATION,
            COMPLETE_ELICITATION,
            READ_TEXT_FILE,
            WRITE_TEXT_FILE,
            CREATE_TERMINAL,
            TERMINAL_OUTPUT,
            WAIT_FOR_TERMINAL_EXIT,
            KILL_TERMINAL,
            RELEASE_TERMINAL);

    private ClientMethods() {}

    /** Returns the methods above, in that order. */
    public static List<Method<?, ?>> all() {
        return ALL;
    }
}
