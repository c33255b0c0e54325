package dev.acp4j;

import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import org.jspecify.annotations.Nullable;

/**
 * An agent's question to the user.
 *
 * @param agent the agent that asks
 * @param session the session that it concerns, or null when it concerns a request outside of any, such as
 *     authentication
 * @param request what to ask
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#createelicitationrequest">Elicitation</a>
 */
public record ElicitationRequest(
        AgentConnection agent, @Nullable Session session, CreateElicitationRequest request) {
    /** Returns the answer that the user decided nothing. */
    public CreateElicitationResponse cancel() {
        return CreateElicitationResponse.Cancel.of();
    }

    /** Returns the answer that the user does not want to answer. */
    public CreateElicitationResponse decline() {
        return CreateElicitationResponse.Decline.of();
    }
}
