package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/**
 * The methods that an agent handles, for a client to call.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/overview#agent">Overview</a>
 */
@Methods
public final class AgentMethods {
    /** Agrees on the version of the protocol and on what each side can do. It comes before everything else. */
    public static final Method<InitializeRequest, InitializeResponse> INITIALIZE =
            request(AgentMethodsTable.INITIALIZE, "initialize");

    /** Makes the user known to the agent. */
    @In(1)
    public static final Method<AuthenticateRequest, AuthenticateResponse> AUTHENTICATE =
            request(AgentMethodsTable.AUTHENTICATE, "authenticate");

    /** Makes the agent forget who the user is. */
    @In(1)
    public static final Method<LogoutRequest, LogoutResponse> LOGOUT =
            request(AgentMethodsTable.LOGOUT, "logout", "auth.logout", "");

    /** Starts a session. */
    public static final Method<NewSessionRequest, NewSessionResponse> NEW_SESSION =
            request(AgentMethodsTable.NEW_SESSION, "session/new");

    /** Goes on with a session, telling first what happened in it. */
    @In(1)
    public static final Method<LoadSessionRequest, LoadSessionResponse> LOAD_SESSION =
            request(AgentMethodsTable.LOAD_SESSION, "session/load", "loadSession", "");

    /** Lists the sessions there are, page by page. */
    @In(1)
    public static final Method<ListSessionsRequest, ListSessionsResponse> LIST_SESSIONS =
            request(AgentMethodsTable.LIST_SESSIONS, "session/list", "sessionCapabilities.list", "");

    /** Removes a session from those that are listed. */
    public static final Method<DeleteSessionRequest, DeleteSessionResponse> DELETE_SESSION =
            request(AgentMethodsTable.DELETE_SESSION, "session/delete", "sessionCapabilities.delete", "session.delete");

    /** Goes on with a session without telling what happened in it. */
    @In(1)
    public static final Method<ResumeSessionRequest, ResumeSessionResponse> RESUME_SESSION =
            request(AgentMethodsTable.RESUME_SESSION, "session/resume", "sessionCapabilities.resume", "");

    /** Ends work in a session and frees what it holds. */
    public static final Method<CloseSessionRequest, CloseSessionResponse> CLOSE_SESSION =
            request(AgentMethodsTable.CLOSE_SESSION, "session/close", "sessionCapabilities.close", "");

    /** Gives the agent a message of the user, and lasts as long as the turn. */
    @In(1)
    public static final Method<PromptRequest, PromptResponse> PROMPT =
            request(AgentMethodsTable.PROMPT, "session/prompt");

    /** Gives the agent a message of the user. Updates tell what comes of it. */
    @In(2)
    @Unstable
    public static final Method<PromptRequest, PromptResponseV2> PROMPT_V2 =
            request(AgentMethodsTable.PROMPT_V2, "session/prompt");

    /** Ends the turn that a session is in. The answer to the prompt follows all the same. */
    public static final Method<CancelNotification, Void> CANCEL =
            notification(AgentMethodsTable.CANCEL, "session/cancel");

    /** Puts a session into another mode. */
    @In(1)
    public static final Method<SetSessionModeRequest, SetSessionModeResponse> SET_MODE =
            request(AgentMethodsTable.SET_MODE, "session/set_mode");

    /** Gives a setting of a session another value. */
    public static final Method<SetSessionConfigOptionRequest, SetSessionConfigOptionResponse> SET_CONFIG_OPTION =
            request(AgentMethodsTable.SET_CONFIG_OPTION, "session/set_config_option");

    private AgentMethods() {}

    private static <P, R> Method<P, R> request(int row, String name) {
        return request(row, name, "", "");
    }

    /** Adds a method that only those have whose capabilities say so; empty for none, or for no such method. */
    private static <P, R> Method<P, R> request(int row, String name, String capability, String capabilityV2) {
        return Method.request(AgentMethodsTable.INSTANCE, row, name, Method.Side.AGENT, capability, capabilityV2);
    }

    private static <P> Method<P, Void> notification(int row, String name) {
        return Method.notification(AgentMethodsTable.INSTANCE, row, name, Method.Side.AGENT);
    }

    /** Returns the methods above that version 1 has, in that order. */
    public static List<Method<?, ?>> all() {
        return all(Version.V1);
    }

    /** Returns the methods above that a version has, in that order. */
    public static List<Method<?, ?>> all(Version version) {
        return AgentMethodsTable.all(version);
    }
}
