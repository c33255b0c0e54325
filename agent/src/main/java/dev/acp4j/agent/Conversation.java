package dev.acp4j.agent;

import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCallId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a session, which can be loaded again after the session was closed: every change is kept in the journal.
 * Its parts are thread-safe; turns of a session run one after another.
 */
final class Conversation {
    private static final int MAX_TITLE = 60;

    private final SessionId id;
    private final Path cwd;
    private final Journal journal;
    private final History history = new History();
    private final AtomicLong turns = new AtomicLong();
    private final AtomicLong toolCalls = new AtomicLong();
    private final Set<String> granted = ConcurrentHashMap.newKeySet();

    private volatile List<Path> additionalDirectories;
    private volatile Mode mode = Mode.ASK;
    private volatile @Nullable String title;
    private volatile Instant updatedAt = Instant.now();

    /** @param journal keeps what happens from now on */
    Conversation(SessionId id, Path cwd, List<Path> additionalDirectories, Journal journal) {
        this.id = id;
        this.cwd = cwd;
        this.additionalDirectories = List.copyOf(additionalDirectories);
        this.journal = journal;
    }

    /** Restores a record that the journal has kept, the first one first. */
    void restore(SessionRecord record) {
        apply(record);
    }

    /** Returns why the conversation could not be kept or read, once for each problem; null if it could. */
    @Nullable
    String takeProblem() {
        return journal.takeProblem();
    }

    private void happened(SessionRecord record) {
        apply(record);
        journal.add(record);
    }

    private void apply(SessionRecord record) {
        switch (record) {
            case SessionRecord.Begun begun -> additionalDirectories = begun.additionalDirectories();
            case SessionRecord.TurnBegun turn -> turns.set(turn.number());
            case SessionRecord.Update update -> history.add(update.update());
            case SessionRecord.Titled titled -> title = titled.title();
            case SessionRecord.ModeSet set -> mode = set.mode();
        }
    }

    SessionId id() {
        return id;
    }

    Path cwd() {
        return cwd;
    }

    /** Replays the whole conversation; without a journal, as much of its end as the history has. */
    void replay(Consumer<SessionUpdate> to) {
        if (!history.isCut() || !journal.replay(to)) {
            history.entries().forEach(to);
        }
    }

    Mode mode() {
        return mode;
    }

    void mode(Mode newMode) {
        happened(new SessionRecord.ModeSet(newMode));
    }

    /** Adds an update to the history. */
    void add(SessionUpdate update) {
        happened(new SessionRecord.Update(id, update));
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
        long number = turns.get() + 1;
        toolCalls.set(0);
        happened(new SessionRecord.TurnBegun(number));
        return number;
    }

    /**
     * Returns an id that no other tool call of this conversation has, those included that a killed process has begun.
     */
    ToolCallId nextToolCall() {
        return ToolCallId.of("call-" + turns.get() + "-" + toolCalls.incrementAndGet());
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
        happened(new SessionRecord.Titled(shortened));
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
