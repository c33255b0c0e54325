package dev.acp4j.agent;

import dev.acp4j.Agent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Lists and deletes the conversations of a store. */
final class StoredSessions implements Agent.ListSessionsHandler, Agent.DeleteSessionHandler {
    private static final int PAGE = 50;

    private final SessionStore store;

    StoredSessions(SessionStore store) {
        this.store = store;
    }

    @Override
    public void delete(ConnectedClient client, SessionId id) {
        store.delete(id);
    }

    /**
     * Returns one page, the conversation used last first. The cursor is the id of the last one on the page before, so
     * that new conversations do not shift the pages.
     */
    @Override
    public ListSessionsResponse list(ConnectedClient client, ListSessionsRequest request) {
        List<SessionInfo> all = new ArrayList<>();
        for (SessionInfo info : store.list()) {
            if (request.cwd() == null || Path.of(info.cwd()).equals(Path.of(request.cwd()))) {
                all.add(info);
            }
        }
        int from = request.cursor() == null ? 0 : after(all, request.cursor());
        int to = Math.min(all.size(), from + PAGE);
        var response = ListSessionsResponse.builder(all.subList(from, to));
        if (to < all.size()) {
            response.nextCursor(all.get(to - 1).sessionId().value());
        }
        return response.build();
    }

    private static int after(List<SessionInfo> all, String cursor) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).sessionId().value().equals(cursor)) {
                return i + 1;
            }
        }
        throw RpcError.invalidParams("params.cursor: not a cursor of this list");
    }
}
