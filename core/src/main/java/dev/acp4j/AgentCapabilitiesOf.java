package dev.acp4j;

import dev.acp4j.schema.AgentAuthCapabilities;
import dev.acp4j.schema.AgentCapabilities;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.ClientCapabilities;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.LogoutCapabilities;
import dev.acp4j.schema.McpCapabilities;
import dev.acp4j.schema.PromptCapabilities;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionAdditionalDirectoriesCapabilities;
import dev.acp4j.schema.SessionCapabilities;
import dev.acp4j.schema.SessionCloseCapabilities;
import dev.acp4j.schema.SessionDeleteCapabilities;
import dev.acp4j.schema.SessionListCapabilities;
import dev.acp4j.schema.SessionResumeCapabilities;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;

/** What an agent advertises: exactly what it has handlers for. */
final class AgentCapabilitiesOf {
    private AgentCapabilitiesOf() {}

    // Without the builders of these records: they are four classes on the way to the first answer.

    static InitializeResponse response(Agent.Builder agent, ClientCapabilities client, Rest unknown) {
        AgentCapabilities capabilities = new AgentCapabilities(
                agent.handles(agent.onLoadSession, AgentMethods.LOAD_SESSION),
                prompts(agent),
                mcp(agent),
                sessions(agent),
                auth(agent),
                null,
                unknown);
        List<AuthMethod> methods = offered(agent.authMethods, client);
        return InitializeResponse.builder(Version.V1.number())
                .agentCapabilities(capabilities)
                .authMethods(methods)
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
                false,
                Rest.NONE);
    }

    /** Leaves out logging in through a terminal for clients that have none for that. */
    private static List<AuthMethod> offered(List<AuthMethod> methods, ClientCapabilities client) {
        List<AuthMethod> offered = new ArrayList<>();
        for (AuthMethod method : methods) {
            if (client.auth().terminal() || !(method instanceof AuthMethod.Terminal)) {
                offered.add(method);
            }
        }
        return offered;
    }

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
                null,
                null,
                null,
                null,
                null,
                Rest.NONE);
    }

    private static AgentAuthCapabilities auth(Agent.Builder agent) {
        return agent.handles(agent.onLogout, AgentMethods.LOGOUT)
                ? AgentAuthCapabilities.builder()
                        .logout(LogoutCapabilities.of())
                        .build()
                : AgentAuthCapabilities.NONE;
    }
}
