package dev.acp4j.schema;

import java.util.List;

/**
 * The methods that an agent handles, for a client to call.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/overview#agent">Overview</a>
 */
public final class AgentMethods {
    /** Agrees on the version of the protocol and on what each side can do. It comes before everything else. */
    public static final Method<InitializeRequest, InitializeResponse> INITIALIZE =
            Method.known("initialize", Method.Side.AGENT);

    /** Makes the user known to the agent. */
    public static final Method<AuthenticateRequest, AuthenticateResponse> AUTHENTICATE =
            Method.known("authenticate", Method.Side.AGENT);

    /** Makes the agent forget who the user is. */
    public static final Method<LogoutRequest, LogoutResponse> LOGOUT = Method.known("logout", Method.Side.AGENT);

    /** Starts a session. */
    public static final Method<NewSessionRequest, NewSessionResponse> NEW_SESSION =
            Method.known("session/new", Method.Side.AGENT);

    /** Goes on with a session, telling first what happened in it. */
    public static final Method<LoadSessionRequest, LoadSessionResponse> LOAD_SESSION =
            Method.known("session/load", Method.Side.AGENT);

    /** Lists the sessions there are, page by page. */
    public static final Method<ListSessionsRequest, ListSessionsResponse> LIST_SESSIONS =
            Method.known("session/list", Method.Side.AGENT);

    /** Removes a session from those that are listed. */
    public static final Method<DeleteSessionRequest, DeleteSessionResponse> DELETE_SESSION =
            Method.known("session/delete", Method.Side.AGENT);

    /** Goes on with a session without telling what happened in it. */
    public static final Method<ResumeSessionRequest, ResumeSessionResponse> RESUME_SESSION =
            Method.known("session/resume", Method.Side.AGENT);

    /** Ends work in a session and frees what it holds. */
    public static final Method<CloseSessionRequest, CloseSessionResponse> CLOSE_SESSION =
            Method.known("session/close", Method.Side.AGENT);

    /** Gives the agent a message of the user, and lasts as long as the turn. */
    public static final Method<PromptRequest, PromptResponse> PROMPT =
            Method.known("session/prompt", Method.Side.AGENT);

    /** Ends the turn that a session is in. The answer to the prompt follows all the same. */
    public static final Method<CancelNotification, Void> CANCEL =
            Method.knownNotification("session/cancel", Method.Side.AGENT);

    /** Puts a session into another mode. */
    public static final Method<SetSessionModeRequest, SetSessionModeResponse> SET_MODE =
            Method.known("session/set_mode", Method.Side.AGENT);

    /** Gives a setting of a session another value. */
    public static final Method<SetSessionConfigOptionRequest, SetSessionConfigOptionResponse> SET_CONFIG_OPTION =
            Method.known("session/set_config_option", Method.Side.AGENT);

    private static final List<Method<?, ?>> ALL = List.of(
            INITIALIZE,
            AUTHENTICATE,
            LOGOUT,
            NEW_SESSION,
            LOAD_SESSION,
            LIST_SESSIONS,
            DELETE_SESSION,
            RESUME_SESSION,
            CLOSE_SESSION,
            PROMPT,
            CANCEL,
            SET_MODE,
            SET_CONFIG_OPTION);

    private AgentMethods() {}

    /** Returns the methods above, in that order. */
    public static List<Method<?, ?>> all() {
        return ALL;
    }
}
