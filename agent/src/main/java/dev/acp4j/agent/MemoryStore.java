package dev.acp4j.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
 * Keeps conversations in memory, as long as the agent lives. Beyond a thousand, the oldest one is removed.
 *
 * <p>The lock guards the map.
 */
final class MemoryStore implements SessionStore {
    private static final int MAX = 1_000;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<SessionId, Conversation> byId = new LinkedHashMap<>();

    @Override
    public Conversation begin(SessionId id, Path cwd, List<Path> additionalDirectories) {
        Conversation conversation = new Conversation(id, cwd, additionalDirectories, Journal.NONE);
        lock.lock();
        try {
            byId.put(id, conversation);
            if (byId.size() > MAX) {
                byId.remove(byId.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
        return conversation;
    }

    @Override
    public @Nullable Conversation hold(SessionId id) {
        lock.lock();
        try {
            return byId.get(id);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void release(Conversation conversation) {}

    @Override
    public void delete(SessionId id) {
        lock.lock();
        try {
            byId.remove(id);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void check() {
        // There is nothing that could fail.
    }

    @Override
    public List<SessionInfo> list() {
        List<Conversation> latestFirst = new ArrayList<>();
        lock.lock();
        try {
            for (Conversation conversation : byId.values()) {
                latestFirst.addFirst(conversation);
            }
        } finally {
            lock.unlock();
        }
        latestFirst.sort((a, b) -> b.updatedAt().compareTo(a.updatedAt()));
        List<SessionInfo> infos = new ArrayList<>();
        for (Conversation conversation : latestFirst) {
            infos.add(conversation.info());
        }
        return infos;
    }
}
