package dev.acp4j;

import dev.acp4j.schema.SessionId;

/** Removes a stored session. */
@FunctionalInterface
public interface DeleteSessionHandler {
    /**
     * Deletes the session. If it is active, its turns have been cancelled before. Deleting what does not exist
     * succeeds.
     *
     * @param client who asks
     * @param session the session to delete
     * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
     */
    void delete(ClientConnection client, SessionId session) throws Exception;
}
