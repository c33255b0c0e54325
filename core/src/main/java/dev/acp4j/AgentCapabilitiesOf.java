package dev.acp4j;

import dev.acp4j.schema.AgentAuthCapabilities;
import dev.acp4j.schema.AgentCapabilities;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.ClientCapabilities;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.LogoutCapabilities;
import dev.acp4j.schema.SessionAdditionalDirectoriesCapabilities;
import dev.acp4j.schema.SessionCapabilities;
import dev.acp4j.schema.SessionCapabilitiesBuilder;
import dev.acp4j.schema.SessionCloseCapabilities;
import dev.acp4j.schema.SessionDeleteCapabilities;
import dev.acp4j.schema.SessionListCapabilities;
import dev.acp4j.schema.SessionResumeCapabilities;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an agent advertises: exactly what it has handlers for. */
final class AgentCapabilitiesOf {
    private AgentCapabilitiesOf() {}

    static InitializeResponse response(Agent.Builder agent, ClientCapabilities client) {
        AgentCapabilities capabilities = AgentCapabilities.builder()
                .loadSession(agent.onLoadSession != null)
                .promptCapabilities(agent.promptCapabilities)
                .mcpCapabilities(agent.mcpCapabilities)
                .sessionCapabilities(sessions(agent))
                .auth(auth(agent))
                .build();
        return InitializeResponse.builder(Protocol.NEWEST)
                .agentCapabilities(capabilities)
                .authMethods(offered(agent.authMethods, client))
                .agentInfo(agent.info())
                .build();
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
        SessionCapabilitiesBuilder sessions = SessionCapabilities.builder();
        if (agent.onListSessions != null) {
            sessions.list(SessionListCapabilities.of());
        }
        if (agent.onDeleteSession != null) {
            sessions.delete(SessionDeleteCapabilities.of());
        }
        if (agent.additionalDirectories) {
            sessions.additionalDirectories(SessionAdditionalDirectoriesCapabilities.of());
        }
        if (agent.onResumeSession != null) {
            sessions.resume(SessionResumeCapabilities.of());
        }
        if (agent.onCloseSession != null) {
            sessions.close(SessionCloseCapabilities.of());
        }
        return sessions.build();
    }

    private static AgentAuthCapabilities auth(Agent.Builder agent) {
        return agent.onLogout == null
                ? AgentAuthCapabilities.NONE
                : AgentAuthCapabilities.builder()
                        .logout(LogoutCapabilities.of())
                        .build();
    }

    static @Nullable AuthMethodId idOf(AuthMethod method) {
        if (method instanceof AuthMethod.Agent agent) {
            return agent.id();
        }
        return method instanceof AuthMethod.Terminal terminal ? terminal.id() : null;
    }
}
