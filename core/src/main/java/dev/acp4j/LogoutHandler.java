package dev.acp4j;

/** Ends the user's authentication. */
@FunctionalInterface
public interface LogoutHandler {
    /**
     * Forgets who the user is.
     *
     * @param client who logs out
     * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
     */
    void logout(ClientConnection client) throws Exception;
}
