package dev.acp4j;

import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;

/** Asks the user for input on behalf of an agent. */
@FunctionalInterface
public interface ElicitationHandler {
    /**
     * Returns what the user entered or decided. Runs on a virtual thread of its own, which is interrupted when the
     * agent withdraws its question; whatever is thrown then, the answer is <em>cancel</em>.
     *
     * @param request what to ask; URLs in it are the agent's, show them before opening them
     * @throws Exception is reported, and answers <em>cancel</em>
     */
    CreateElicitationResponse elicit(CreateElicitationRequest request) throws Exception;
}
