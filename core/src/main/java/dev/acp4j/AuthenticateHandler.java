package dev.acp4j;

import dev.acp4j.schema.AuthMethodId;

/** Authenticates the user, or forgets who it was. */
@FunctionalInterface
public interface AuthenticateHandler {
    /**
     * Authenticates with one of the methods that the agent offers. May take as long as a person needs.
     *
     * @param client who is to be authenticated
     * @param method the chosen method
     * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
     */
    void authenticate(ClientConnection client, AuthMethodId method) throws Exception;
}
