package dev.acp4j.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The history of a session, as the updates that replay it. It is bounded: the oldest entries are removed if the size in
 * characters, and {@link #BESIDE} for each entry, exceeds {@link #MAX_CHARACTERS}.
 *
 * <p>The lock guards the entries; nothing is sent while holding it.
 */
final class History {
    static final long MAX_CHARACTERS = 4 << 20;

    /** What an entry takes beside its text. */
    static final int BESIDE = 100;

    private final long maxCharacters;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Deque<SessionUpdate> entries = new ArrayDeque<>();

    @GuardedBy("lock")
    private long characters;

    @GuardedBy("lock")
    private boolean cut;

    History() {
        this(MAX_CHARACTERS);
    }

    History(long maxCharacters) {
        this.maxCharacters = maxCharacters;
    }

    /** Adds an entry. A piece of the message that the last entry is part of is joined with it. */
    void add(SessionUpdate entry) {
        lock.lock();
        try {
            SessionUpdate last = entries.peekLast();
            SessionUpdate joined = last == null ? null : joined(last, entry);
            if (joined != null) {
                entries.removeLast();
                entries.addLast(joined);
            } else {
                entries.addLast(entry);
                characters += BESIDE;
            }
            characters += size(entry);
            while (characters > maxCharacters && entries.size() > 1) {
                characters -= BESIDE + size(entries.removeFirst());
                cut = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether entries were removed. */
    boolean isCut() {
        lock.lock();
        try {
            return cut;
        } finally {
            lock.unlock();
        }
    }

    List<SessionUpdate> entries() {
        lock.lock();
        try {
            return List.copyOf(entries);
        } finally {
            lock.unlock();
        }
    }

    private static @Nullable SessionUpdate joined(SessionUpdate last, SessionUpdate next) {
        if (last instanceof SessionUpdate.AgentMessageChunk a
                && next instanceof SessionUpdate.AgentMessageChunk b
                && a.messageId() != null
                && a.messageId().equals(b.messageId())
                && a.content() instanceof ContentBlock.Text first
                && b.content() instanceof ContentBlock.Text second) {
            return SessionUpdate.AgentMessageChunk.of(ContentBlock.text(first.text() + second.text()), a.messageId());
        }
        return null;
    }

    private static long size(SessionUpdate entry) {
        if (entry instanceof SessionUpdate.Chunk chunk) {
            return size(chunk.content());
        }
        if (entry instanceof ToolCall call) {
            long size = call.title().length() + size(call.rawInput()) + size(call.rawOutput());
            for (ToolCallContent content : call.content()) {
                size += size(content);
            }
            return size;
        }
        return 0;
    }

    private static long size(@Nullable RawJson json) {
        return json == null ? 0 : json.length();
    }

    private static long size(ToolCallContent content) {
        return switch (content) {
            case ToolCallContent.Content text -> size(text.content());
            case ToolCallContent.Diff diff ->
                diff.newText().length()
                        + (diff.oldText() == null ? 0 : diff.oldText().length());
            case ToolCallContent.Changes changes ->
                changes.patch() == null ? 0 : changes.patch().text().length();
            case ToolCallContent.Terminal terminal -> 0;
            case ToolCallContent.Unknown unknown -> unknown.raw().length();
        };
    }

    private static long size(ContentBlock block) {
        return switch (block) {
            case ContentBlock.Text text -> text.text().length();
            case ContentBlock.Image image -> image.data().length();
            case ContentBlock.Audio audio -> audio.data().length();
            case ContentBlock.ResourceLink link -> link.uri().length();
            case ContentBlock.Resource resource -> size(resource.resource());
            case ContentBlock.Unknown unknown -> unknown.raw().length();
        };
    }

    private static long size(ResourceContents contents) {
        return switch (contents) {
            case ResourceContents.Text text -> text.text().length();
            case ResourceContents.Blob blob -> blob.blob().length();
            case ResourceContents.Unknown unknown -> unknown.raw().length();
        };
    }
}
