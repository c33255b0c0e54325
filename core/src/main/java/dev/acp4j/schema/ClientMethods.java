package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.util.List;

/**
 * The methods that a client handles, for an agent to call.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/overview#client">Overview</a>
 */
@Methods
public final class ClientMethods {
    /** Reports an update of a session. */
    public static final Method<SessionNotification, Void> UPDATE =
            notification(ClientMethodsTable.UPDATE, "session/update");

    /** Asks the user for permission for a tool call. */
    @In(1)
    public static final Method<RequestPermissionRequest, RequestPermissionResponse> REQUEST_PERMISSION =
            request(ClientMethodsTable.REQUEST_PERMISSION, "session/request_permission");

    /** Asks the user for permission. */
    @In(2)
    @Unstable
    public static final Method<RequestPermissionRequestV2, RequestPermissionResponse> REQUEST_PERMISSION_V2 =
            request(ClientMethodsTable.REQUEST_PERMISSION_V2, "session/request_permission");

    /** Asks the user for input. */
    public static final Method<CreateElicitationRequest, CreateElicitationResponse> CREATE_ELICITATION =
            request(ClientMethodsTable.CREATE_ELICITATION, "elicitation/create", "elicitation", "elicitation");

    /** Reports that an interaction at a web address is complete. */
    public static final Method<CompleteElicitationNotification, Void> COMPLETE_ELICITATION =
            notification(ClientMethodsTable.COMPLETE_ELICITATION, "elicitation/complete");

    /** Reads a text file from the client, including unsaved changes. */
    @In(1)
    public static final Method<ReadTextFileRequest, ReadTextFileResponse> READ_TEXT_FILE =
            request(ClientMethodsTable.READ_TEXT_FILE, "fs/read_text_file", "fs.readTextFile", "");

    /** Writes a text file. */
    @In(1)
    public static final Method<WriteTextFileRequest, WriteTextFileResponse> WRITE_TEXT_FILE =
            request(ClientMethodsTable.WRITE_TEXT_FILE, "fs/write_text_file", "fs.writeTextFile", "");

    /** Runs a command in a terminal of the client. */
    @In(1)
    public static final Method<CreateTerminalRequest, CreateTerminalResponse> CREATE_TERMINAL =
            request(ClientMethodsTable.CREATE_TERMINAL, "terminal/create", "terminal", "");

    /** Returns the output of a terminal so far. */
    @In(1)
    public static final Method<TerminalOutputRequest, TerminalOutputResponse> TERMINAL_OUTPUT =
            request(ClientMethodsTable.TERMINAL_OUTPUT, "terminal/output", "terminal", "");

    /** Waits until the command of a terminal has ended. */
    @In(1)
    public static final Method<WaitForTerminalExitRequest, WaitForTerminalExitResponse> WAIT_FOR_TERMINAL_EXIT =
            request(ClientMethodsTable.WAIT_FOR_TERMINAL_EXIT, "terminal/wait_for_exit", "terminal", "");

    /** Ends the command of a terminal, whose output stays readable. */
    @In(1)
    public static final Method<KillTerminalRequest, KillTerminalResponse> KILL_TERMINAL =
            request(ClientMethodsTable.KILL_TERMINAL, "terminal/kill", "terminal", "");

    /** Releases a terminal, and ends its command if it still runs. */
    @In(1)
    public static final Method<ReleaseTerminalRequest, ReleaseTerminalResponse> RELEASE_TERMINAL =
            request(ClientMethodsTable.RELEASE_TERMINAL, "terminal/release", "terminal", "");

    /** Reports a change of the state of authentication. */
    @Draft
    @Unstable
    public static final Method<AuthStatusUpdateNotification, Void> AUTH_STATUS_UPDATE =
            notification(ClientMethodsTable.AUTH_STATUS_UPDATE, "auth/status_update");

    /** Carries a request to an MCP server that the client has. */
    @Draft
    @Unstable
    public static final Method<MessageMcpRequest, MessageMcpResponse> MESSAGE_MCP =
            request(ClientMethodsTable.MESSAGE_MCP, "mcp/message");

    private ClientMethods() {}

    private static <P, R> Method<P, R> request(int row, String name) {
        return request(row, name, "", "");
    }

    /** Adds a method that requires a capability; empty if it requires none, or if the version lacks the method. */
    private static <P, R> Method<P, R> request(int row, String name, String capability, String capabilityV2) {
        return Method.request(ClientMethodsTable.INSTANCE, row, name, Method.Side.CLIENT, capability, capabilityV2);
    }

    private static <P> Method<P, Void> notification(int row, String name) {
        return Method.notification(ClientMethodsTable.INSTANCE, row, name, Method.Side.CLIENT);
    }

    /** Returns the stable methods of version 1, in declaration order. */
    public static List<Method<?, ?>> all() {
        return all(Version.V1);
    }

    /** Returns the stable methods of a version, in declaration order. */
    public static List<Method<?, ?>> all(Version version) {
        return ClientMethodsTable.all(version);
    }

    /** Returns the methods that drafts of a version add, in declaration order. */
    @Unstable
    public static List<Method<?, ?>> drafts(Version version) {
        return ClientMethodsTable.drafts(version);
    }
}
