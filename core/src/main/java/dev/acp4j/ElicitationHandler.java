package dev.acp4j;

import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationId;

/** Asks the user for input on behalf of an agent. */
@FunctionalInterface
public interface ElicitationHandler {
    /**
     * Returns what the user entered or decided. Runs on a thread of its own, which is interrupted when the turn is
     * cancelled or the agent withdraws its question; whatever is thrown then, the answer is <em>cancel</em>.
     *
     * @param request what to ask; URLs in it are the agent's, show them before opening them
     * @throws Exception is reported, and answers <em>cancel</em>
     */
    CreateElicitationResponse elicit(ElicitationRequest request) throws Exception;

    /**
     * Takes note that what the user was sent to a URL for is done. Does nothing unless overridden.
     *
     * @param agent the agent that says so
     * @param elicitation the id that the request had
     */
    default void completed(AgentConnection agent, ElicitationId elicitation) {}
}
