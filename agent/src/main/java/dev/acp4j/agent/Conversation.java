package dev.acp4j.agent;

import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.ToolCallId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The state of a session, kept after the session was closed, until it is deleted or the agent ends. Its parts are
 * thread-safe; turns of a session run one after another.
 */
final class Conversation {
    private static final int MAX_TITLE = 60;

    private final SessionId id;
    private final Path cwd;
    private final History history = new History();
    private final AtomicLong turns = new AtomicLong();
    private final AtomicLong toolCalls = new AtomicLong();
    private final Set<String> granted = ConcurrentHashMap.newKeySet();

    private volatile List<Path> additionalDirectories;
    private volatile Mode mode = Mode.ASK;
    private volatile @Nullable String title;
    private volatile Instant updatedAt = Instant.now();

    Conversation(SessionId id, Path cwd, List<Path> additionalDirectories) {
        this.id = id;
        this.cwd = cwd;
        this.additionalDirectories = List.copyOf(additionalDirectories);
    }

    SessionId id() {
        return id;
    }

    Path cwd() {
        return cwd;
    }

    History history() {
        return history;
    }

    Mode mode() {
        return mode;
    }

    void mode(Mode newMode) {
        mode = newMode;
    }

    Instant updatedAt() {
        return updatedAt;
    }

    /** Updates the time of the last activity. */
    void touch() {
        updatedAt = Instant.now();
    }

    void additionalDirectories(List<Path> directories) {
        additionalDirectories = List.copyOf(directories);
    }

    /** Returns the number of the turn that begins, from 1. */
    long nextTurn() {
        touch();
        return turns.incrementAndGet();
    }

    /**
     * Returns an id that no other tool call of this conversation has, those before a restart of the session included.
     */
    ToolCallId nextToolCall() {
        return ToolCallId.of("call-" + toolCalls.incrementAndGet());
    }

    /** Sets the title to the first words of the first prompt. Returns it, or null if there was one already. */
    @Nullable
    String titleFrom(String prompt) {
        if (title != null || prompt.isBlank()) {
            return null;
        }
        String line = prompt.strip().lines().findFirst().orElse("").strip();
        String shortened = line;
        if (line.length() > MAX_TITLE) {
            int space = line.lastIndexOf(' ', MAX_TITLE);
            shortened = line.substring(0, space > MAX_TITLE / 2 ? space : MAX_TITLE) + "…";
        }
        title = shortened;
        return shortened;
    }

    /** Returns whether {@code action} was allowed for the rest of the session. */
    boolean isGranted(String action) {
        return granted.contains(action);
    }

    void grant(String action) {
        granted.add(action);
    }

    SessionInfo info() {
        return SessionInfo.builder(id, cwd.toString())
                .additionalDirectories(
                        additionalDirectories.stream().map(Path::toString).toList())
                .title(title)
                .updatedAt(updatedAt.toString())
                .build();
    }
}
