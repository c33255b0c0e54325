package dev.acp4j;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Meta;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An agent's question to the user.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#createelicitationrequest">Elicitation</a>
 */
public final class ElicitationQuestion {
    private final ConnectedAgent agent;
    private final @Nullable Session session;
    private final CreateElicitationRequest request;
    private final Message raw;

    ElicitationQuestion(
            ConnectedAgent agent, @Nullable Session session, CreateElicitationRequest request, Message raw) {
        this.agent = agent;
        this.session = session;
        this.request = request;
        this.raw = raw;
    }

    /** Returns the agent. */
    public ConnectedAgent agent() {
        return agent;
    }

    /** Returns the session that the question concerns; null outside of sessions, such as during authentication. */
    public @Nullable Session session() {
        return session;
    }

    /** Returns the question. */
    public CreateElicitationRequest request() {
        return request;
    }

    /** Returns the {@code _meta} of the request, empty when there is none. */
    public Meta meta() {
        return request instanceof Extensible known ? known.meta() : Meta.EMPTY;
    }

    /** Returns the request's message, including members that this library does not know. */
    public Optional<Message> raw() {
        return Optional.of(raw);
    }

    /**
     * Returns the answer that the user filled in the form.
     *
     * @param content what was filled in, by the names of the fields; null (JSON) counts as not filled in
     * @throws IllegalArgumentException when it does not fit the form: the message names the field and what it must be.
     *     Patterns and formats are not checked
     */
    public CreateElicitationResponse accept(Map<String, ElicitationContentValue> content) {
        Map<String, ElicitationContentValue> filledIn = FormAnswer.filledIn(content);
        if (request instanceof CreateElicitationRequest.Form form) {
            String problem = FormAnswer.problem(form.requestedSchema(), filledIn);
            if (problem != null) {
                throw new IllegalArgumentException(problem);
            }
        }
        return CreateElicitationResponse.Accept.builder().content(filledIn).build();
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

    @Override
    public String toString() {
        return request.toString();
    }
}
