package dev.acp4j;

import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;

/** Lists the sessions that an agent can load or resume. */
@FunctionalInterface
public interface ListSessionsHandler {
    /**
     * Returns one page of sessions.
     *
     * @param client who asks
     * @param request the folder to list for, and the cursor of the page
     * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
     */
    ListSessionsResponse list(ClientConnection client, ListSessionsRequest request) throws Exception;
}
