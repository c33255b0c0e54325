package dev.acp4j;

import dev.acp4j.schema.AgentAuthCapabilities;
import dev.acp4j.schema.AgentCapabilities;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthStatusCapabilities;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.LogoutCapabilities;
import dev.acp4j.schema.McpCapabilities;
import dev.acp4j.schema.PromptCapabilities;
import dev.acp4j.schema.ProvidersCapabilities;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionAdditionalDirectoriesCapabilities;
import dev.acp4j.schema.SessionArchiveCapabilities;
import dev.acp4j.schema.SessionCapabilities;
import dev.acp4j.schema.SessionCloseCapabilities;
import dev.acp4j.schema.SessionDeleteCapabilities;
import dev.acp4j.schema.SessionForkCapabilities;
import dev.acp4j.schema.SessionListCapabilities;
import dev.acp4j.schema.SessionResumeCapabilities;
import dev.acp4j.schema.SessionStatusCapabilities;
import dev.acp4j.schema.SessionSystemPromptCapabilities;
import dev.acp4j.schema.SessionSystemPromptModeCapabilities;
import dev.acp4j.schema.SessionSystemPromptOverrideCapabilities;
import dev.acp4j.schema.SessionTitleCapabilities;
import dev.acp4j.schema.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an agent advertises: exactly what it has handlers for. */
final class AgentCapabilitiesOf {
    private AgentCapabilitiesOf() {}

    // Without the builders of these records: they are four classes on the way to the first answer.

    static InitializeResponse response(Agent.Builder agent, List<AuthMethod> logins, Rest unknown) {
        AgentCapabilities capabilities = new AgentCapabilities(
                agent.handles(agent.onLoadSession, AgentMethods.LOAD_SESSION),
                prompts(agent),
                mcp(agent),
                sessions(agent),
                auth(agent),
                providers(agent),
                unknown);
        return InitializeResponse.builder(Version.V1.number())
                .agentCapabilities(capabilities)
                .authMethods(logins)
                .agentInfo(agent.info())
                .meta(agent.meta)
                .build();
    }

    private static PromptCapabilities prompts(Agent.Builder agent) {
        return new PromptCapabilities(
                agent.supported.contains(Feature.PROMPT_IMAGES),
                agent.supported.contains(Feature.PROMPT_AUDIO),
                agent.supported.contains(Feature.PROMPT_RESOURCES),
                Rest.NONE);
    }

    private static McpCapabilities mcp(Agent.Builder agent) {
        return new McpCapabilities(
                agent.supported.contains(Feature.MCP_HTTP),
                agent.supported.contains(Feature.MCP_SSE),
                agent.supported.contains(Feature.MCP_ACP),
                Rest.NONE);
    }

    /** Leaves out logging in through a terminal for clients that have none for that. */
    private static SessionCapabilities sessions(Agent.Builder agent) {
        return new SessionCapabilities(
                agent.handles(agent.onListSessions, AgentMethods.LIST_SESSIONS) ? SessionListCapabilities.of() : null,
                agent.handles(agent.onDeleteSession, AgentMethods.DELETE_SESSION)
                        ? SessionDeleteCapabilities.of()
                        : null,
                agent.supported.contains(Feature.ADDITIONAL_DIRECTORIES)
                        ? SessionAdditionalDirectoriesCapabilities.of()
                        : null,
                agent.handles(agent.onResumeSession, AgentMethods.RESUME_SESSION)
                        ? SessionResumeCapabilities.of()
                        : null,
                agent.handles(agent.onCloseSession, AgentMethods.CLOSE_SESSION) ? SessionCloseCapabilities.of() : null,
                archive(agent),
                fork(agent),
                status(agent),
                systemPrompt(agent),
                title(agent),
                Rest.NONE);
    }

    private static AgentAuthCapabilities auth(Agent.Builder agent) {
        boolean logsOut = agent.handles(agent.onLogout, AgentMethods.LOGOUT);
        AuthStatusCapabilities status = authStatus(agent);
        return logsOut || status != null
                ? new AgentAuthCapabilities(logsOut ? LogoutCapabilities.of() : null, status, Rest.NONE)
                : AgentAuthCapabilities.NONE;
    }

    // ---- drafts, in both versions

    static @Nullable SessionArchiveCapabilities archive(Agent.Builder agent) {
        return agent.handles(agent.onArchiveSession, AgentMethods.ARCHIVE_SESSION)
                ? SessionArchiveCapabilities.of()
                : null;
    }

    static @Nullable SessionForkCapabilities fork(Agent.Builder agent) {
        return agent.handles(agent.onForkSession, AgentMethods.FORK_SESSION) ? SessionForkCapabilities.of() : null;
    }

    static @Nullable SessionStatusCapabilities status(Agent.Builder agent) {
        return agent.handles(agent.onSessionStatus, AgentMethods.SESSION_STATUS)
                ? SessionStatusCapabilities.of()
                : null;
    }

    static @Nullable SessionTitleCapabilities title(Agent.Builder agent) {
        return agent.handles(agent.onSetTitle, AgentMethods.SET_SESSION_TITLE) ? SessionTitleCapabilities.of() : null;
    }

    static @Nullable SessionSystemPromptCapabilities systemPrompt(Agent.Builder agent) {
        if (!agent.supported.contains(Feature.SYSTEM_PROMPT)) {
            return null;
        }
        return new SessionSystemPromptCapabilities(
                agent.supported.contains(Feature.SYSTEM_PROMPT_OVERRIDE)
                        ? new SessionSystemPromptModeCapabilities(
                                SessionSystemPromptOverrideCapabilities.of(), Rest.NONE)
                        : null,
                Rest.NONE);
    }

    static @Nullable ProvidersCapabilities providers(Agent.Builder agent) {
        return agent.handles(agent.onProviders, AgentMethods.LIST_PROVIDERS) ? ProvidersCapabilities.of() : null;
    }

    static @Nullable AuthStatusCapabilities authStatus(Agent.Builder agent) {
        return agent.handles(agent.onAuthStatus, AgentMethods.AUTH_STATUS) ? AuthStatusCapabilities.of() : null;
    }
}
