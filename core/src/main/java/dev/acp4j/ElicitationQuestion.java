package dev.acp4j;

import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import java.util.Map;
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
public record ElicitationQuestion(
        ConnectedAgent agent, @Nullable Session session, CreateElicitationRequest request) {
    /**
     * Returns the answer that the user filled in the form.
     *
     * @param content what was filled in, by the names of the fields
     * @throws IllegalArgumentException when it does not fit the form: it says which field, and what it is to be.
     *     Patterns and formats are not looked at
     */
    public CreateElicitationResponse accept(Map<String, ElicitationContentValue> content) {
        if (request instanceof CreateElicitationRequest.Form form) {
            String problem = FormAnswer.problem(form.requestedSchema(), content);
            if (problem != null) {
                throw new IllegalArgumentException(problem);
            }
        }
        return CreateElicitationResponse.Accept.builder().content(content).build();
    }

    /** Returns the answer that the user agreed to go to the URL. */
    public CreateElicitationResponse accept() {
        return accept(Map.of());
    }

    /** Returns the answer that the user decided nothing. */
    public CreateElicitationResponse cancel() {
        return CreateElicitationResponse.Cancel.of();
    }

    /** Returns the answer that the user does not want to answer. */
    public CreateElicitationResponse decline() {
        return CreateElicitationResponse.Decline.of();
    }
}
