package dev.acp4j.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Agent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * All conversations of an agent, in memory. Beyond a thousand, the oldest one is removed.
 *
 * <p>The lock guards the map.
 */
final class Conversations implements Agent.ListSessionsHandler, Agent.DeleteSessionHandler {
    private static final int MAX = 1_000;
    private static final int PAGE = 50;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<SessionId, Conversation> byId = new LinkedHashMap<>();

    void add(Conversation conversation) {
        lock.lock();
        try {
            byId.put(conversation.id(), conversation);
            if (byId.size() > MAX) {
                byId.remove(byId.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    Conversation get(SessionId id) {
        lock.lock();
        try {
            return byId.get(id);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void delete(ConnectedClient client, SessionId id) {
        lock.lock();
        try {
            byId.remove(id);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns one page, the latest conversation first. The cursor is the id of the last one on the page before, so that
     * new conversations do not shift the pages.
     */
    @Override
    public ListSessionsResponse list(ConnectedClient client, ListSessionsRequest request) {
        List<Conversation> all = latestFirst(request.cwd());
        int from = request.cursor() == null ? 0 : after(all, request.cursor());
        int to = Math.min(all.size(), from + PAGE);
        List<SessionInfo> page = new ArrayList<>();
        for (Conversation conversation : all.subList(from, to)) {
            page.add(conversation.info());
        }
        var response = ListSessionsResponse.builder(page);
        if (to < all.size()) {
            response.nextCursor(all.get(to - 1).id().value());
        }
        return response.build();
    }

    private static int after(List<Conversation> all, String cursor) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).id().value().equals(cursor)) {
                return i + 1;
            }
        }
        throw RpcError.invalidParams("params.cursor: not a cursor of this list");
    }

    private List<Conversation> latestFirst(@Nullable String cwd) {
        List<Conversation> found = new ArrayList<>();
        lock.lock();
        try {
            for (Conversation conversation : byId.values()) {
                if (cwd == null || conversation.cwd().equals(Path.of(cwd))) {
                    found.addFirst(conversation);
                }
            }
        } finally {
            lock.unlock();
        }
        return found;
    }
}
