package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.util.List;

/**
 * The methods that an agent handles, for a client to call.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/overview#agent">Overview</a>
 */
@Methods
public final class AgentMethods {
    /** Negotiates the version of the protocol and the capabilities of each side. It precedes all other messages. */
    public static final Method<InitializeRequest, InitializeResponse> INITIALIZE =
            request(AgentMethodsTable.INITIALIZE, "initialize");

    /** Authenticates the user. */
    @In(1)
    public static final Method<AuthenticateRequest, AuthenticateResponse> AUTHENTICATE =
            request(AgentMethodsTable.AUTHENTICATE, "authenticate");

    /** Authenticates the user. Agents that list authentication methods have it. */
    @In(2)
    @Unstable
    public static final Method<AuthenticateRequest, AuthenticateResponse> LOGIN =
            request(AgentMethodsTable.LOGIN, "auth/login");

    /** Logs the user out. */
    @In(1)
    public static final Method<LogoutRequest, LogoutResponse> LOGOUT =
            request(AgentMethodsTable.LOGOUT, "logout", "auth.logout", "");

    /** Logs the user out. Agents that list authentication methods have it. */
    @In(2)
    @Unstable
    public static final Method<LogoutRequest, LogoutResponse> LOGOUT_V2 =
            request(AgentMethodsTable.LOGOUT_V2, "auth/logout");

    /** Creates a session. */
    public static final Method<NewSessionRequest, NewSessionResponse> NEW_SESSION =
            request(AgentMethodsTable.NEW_SESSION, "session/new");

    /** Loads a session and replays its conversation first. */
    @In(1)
    public static final Method<LoadSessionRequest, LoadSessionResponse> LOAD_SESSION =
            request(AgentMethodsTable.LOAD_SESSION, "session/load", "loadSession", "");

    /** Lists the sessions, page by page. */
    public static final Method<ListSessionsRequest, ListSessionsResponse> LIST_SESSIONS =
            request(AgentMethodsTable.LIST_SESSIONS, "session/list", "sessionCapabilities.list", "");

    /** Removes a session from the list. */
    public static final Method<DeleteSessionRequest, DeleteSessionResponse> DELETE_SESSION =
            request(AgentMethodsTable.DELETE_SESSION, "session/delete", "sessionCapabilities.delete", "session.delete");

    /** Resumes a session. In version 1 without a replay. */
    public static final Method<ResumeSessionRequest, ResumeSessionResponse> RESUME_SESSION =
            request(AgentMethodsTable.RESUME_SESSION, "session/resume", "sessionCapabilities.resume", "");

    /** Ends the work of a session and releases its resources. */
    public static final Method<CloseSessionRequest, CloseSessionResponse> CLOSE_SESSION =
            request(AgentMethodsTable.CLOSE_SESSION, "session/close", "sessionCapabilities.close", "");

    /** Sends a message of the user to the agent. The response ends the turn. */
    @In(1)
    public static final Method<PromptRequest, PromptResponse> PROMPT =
            request(AgentMethodsTable.PROMPT, "session/prompt");

    /** Sends a message of the user to the agent. Updates report the result. */
    @In(2)
    @Unstable
    public static final Method<PromptRequest, PromptResponseV2> PROMPT_V2 =
            request(AgentMethodsTable.PROMPT_V2, "session/prompt");

    /** Cancels the turn of a session. The prompt is still answered. */
    public static final Method<CancelNotification, Void> CANCEL =
            notification(AgentMethodsTable.CANCEL, "session/cancel");

    /** Sets the mode of a session. */
    @In(1)
    public static final Method<SetSessionModeRequest, SetSessionModeResponse> SET_MODE =
            request(AgentMethodsTable.SET_MODE, "session/set_mode");

    /** Sets the value of a setting of a session. */
    public static final Method<SetSessionConfigOptionRequest, SetSessionConfigOptionResponse> SET_CONFIG_OPTION =
            request(AgentMethodsTable.SET_CONFIG_OPTION, "session/set_config_option");

    /** Cancels one tool call, whose updates allow it. */
    @In(2)
    @Unstable
    public static final Method<CancelToolCallRequest, CancelToolCallResponse> CANCEL_TOOL_CALL =
            request(AgentMethodsTable.CANCEL_TOOL_CALL, "tool_call/cancel");

    /** Cancels one terminal of the agent, whose updates allow it. */
    @In(2)
    @Unstable
    public static final Method<CancelTerminalRequest, CancelTerminalResponse> CANCEL_TERMINAL =
            request(AgentMethodsTable.CANCEL_TERMINAL, "terminal/cancel");

    /** Creates a session from another one. */
    @Draft
    @Unstable
    public static final Method<ForkSessionRequest, ForkSessionResponse> FORK_SESSION =
            request(AgentMethodsTable.FORK_SESSION, "session/fork", "sessionCapabilities.fork", "session.fork");

    /** Archives a session. */
    @Draft
    @Unstable
    public static final Method<ArchiveSessionRequest, ArchiveSessionResponse> ARCHIVE_SESSION = request(
            AgentMethodsTable.ARCHIVE_SESSION, "session/archive", "sessionCapabilities.archive", "session.archive");

    /** Returns an archived session to ordinary lists. */
    @Draft
    @Unstable
    public static final Method<UnarchiveSessionRequest, UnarchiveSessionResponse> UNARCHIVE_SESSION = request(
            AgentMethodsTable.UNARCHIVE_SESSION, "session/unarchive", "sessionCapabilities.archive", "session.archive");

    /** Returns whether the agent has a session in memory. */
    @Draft
    @Unstable
    public static final Method<SessionStatusRequest, SessionStatusResponse> SESSION_STATUS =
            request(AgentMethodsTable.SESSION_STATUS, "session/status", "sessionCapabilities.status", "session.status");

    /** Sets the title of a session. */
    @Draft
    @Unstable
    public static final Method<SetSessionTitleRequest, SetSessionTitleResponse> SET_SESSION_TITLE = request(
            AgentMethodsTable.SET_SESSION_TITLE, "session/set_title", "sessionCapabilities.title", "session.title");

    /** Returns whether the user has to sign in. */
    @Draft
    @Unstable
    public static final Method<AuthStatusRequest, AuthStatusResponse> AUTH_STATUS =
            request(AgentMethodsTable.AUTH_STATUS, "auth/status", "auth.status", "auth.status");

    /** Lists the providers of models that can be configured. */
    @Draft
    @Unstable
    public static final Method<ListProvidersRequest, ListProvidersResponse> LIST_PROVIDERS =
            request(AgentMethodsTable.LIST_PROVIDERS, "providers/list", "providers", "providers");

    /** Configures a provider of models. */
    @Draft
    @Unstable
    public static final Method<SetProviderRequest, SetProviderResponse> SET_PROVIDER =
            request(AgentMethodsTable.SET_PROVIDER, "providers/set", "providers", "providers");

    /** Disables a provider of models. */
    @Draft
    @Unstable
    public static final Method<DisableProviderRequest, DisableProviderResponse> DISABLE_PROVIDER =
            request(AgentMethodsTable.DISABLE_PROVIDER, "providers/disable", "providers", "providers");

    /** Carries a notification of an MCP server that the client has. */
    @Draft
    @Unstable
    public static final Method<MessageMcpNotification, Void> MESSAGE_MCP =
            notification(AgentMethodsTable.MESSAGE_MCP, "mcp/message");

    private AgentMethods() {}

    private static <P, R> Method<P, R> request(int row, String name) {
        return request(row, name, "", "");
    }

    /** Adds a method that requires a capability; empty if it requires none, or if the version lacks the method. */
    private static <P, R> Method<P, R> request(int row, String name, String capability, String capabilityV2) {
        return Method.request(AgentMethodsTable.INSTANCE, row, name, Method.Side.AGENT, capability, capabilityV2);
    }

    private static <P> Method<P, Void> notification(int row, String name) {
        return Method.notification(AgentMethodsTable.INSTANCE, row, name, Method.Side.AGENT);
    }

    /** Returns the stable methods of version 1, in declaration order. */
    public static List<Method<?, ?>> all() {
        return all(Version.V1);
    }

    /** Returns the stable methods of a version, in declaration order. */
    public static List<Method<?, ?>> all(Version version) {
        return AgentMethodsTable.all(version);
    }

    /** Returns the methods that drafts of a version add, in declaration order. */
    @Unstable
    public static List<Method<?, ?>> drafts(Version version) {
        return AgentMethodsTable.drafts(version);
    }
}
