package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallBuilder;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What clients of version 1 were told in a session, as far as it takes that to tell them what only version 2 can say:
 * which tool calls they know and what these contain, and what the messages say whose ids the program gave.
 *
 * <p>The lock guards everything; no other is taken while it is held.
 */
final class ToldInVersion1 {
    /** Of how many messages it is known what they say. What became of older ones is a new message. */
    private static final int MOST_MESSAGES = 256;

    /** How much of a message is kept, in characters; what becomes of longer ones is a new message. */
    private static final int LONGEST = 1 << 20;

    private static final int MOST_CALLS = 100_000;

    /** Of how many tool calls it is known what they contain. */
    private static final int MOST_CONTENTS = 256;

    /** Version 1 has a piece of a tool call's content sent with all that came before, so not each piece at once. */
    private static final long EVERY = Duration.ofMillis(200).toNanos();

    private final Time time;
    private final Supplier<MessageId> newId;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<MessageId, Said> messages = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final Map<ToolCallId, Call> calls = new LinkedHashMap<>();

    /** The calls whose contents are known, the oldest first. */
    @GuardedBy("lock")
    private final ArrayDeque<Call> recent = new ArrayDeque<>();

    /** A message: its id at the clients, and what it says; null when that is not known any more. */
    private static final class Said {
        MessageId id;

        @Nullable
        StringBuilder text = new StringBuilder();

        Said(MessageId id) {
            this.id = id;
        }

        void add(ContentBlock block) {
            StringBuilder known = text;
            if (known == null) {
                return;
            }
            if (block instanceof ContentBlock.Text more
                    && known.length() + more.text().length() <= LONGEST) {
                known.append(more.text());
            } else {
                text = null;
            }
        }
    }

    /** A tool call: what it contains while it is open, whether the clients know that, and since when. */
    private static final class Call {
        List<ToolCallContent> content = List.of();
        boolean isPending;
        long told;
    }

    /** @param newId the id of a message that takes the place of another */
    ToldInVersion1(Time time, Supplier<MessageId> newId) {
        this.time = time;
        this.newId = newId;
    }

    /** Returns what clients of version 1 get of an update; null when that follows from the update alone. */
    @Nullable
    List<SessionUpdate> tell(SessionUpdate update) {
        lock.lock();
        try {
            return switch (update) {
                case SessionUpdate.Chunk piece -> piece(piece);
                case SessionUpdate.Message whole -> whole(whole);
                case ToolCall call -> {
                    call(call.toolCallId(), call.content());
                    yield null;
                }
                case ToolCallUpdate change -> change(change);
                case SessionUpdate.ToolCallContentChunk piece -> piece(piece);
                default -> null;
            };
        } finally {
            lock.unlock();
        }
    }

    /** Returns the contents of tool calls that clients have not been told yet. */
    List<SessionUpdate> rest() {
        lock.lock();
        try {
            List<SessionUpdate> rest = new ArrayList<>();
            calls.forEach((id, call) -> {
                if (call.isPending) {
                    rest.add(content(id, call));
                }
            });
            return rest;
        } finally {
            lock.unlock();
        }
    }

    // ---- messages

    @GuardedBy("lock")
    private Said said(MessageId id) {
        Said said = messages.get(id);
        if (said == null) {
            said = new Said(id);
            messages.put(id, said);
            if (messages.size() > MOST_MESSAGES) {
                MessageId eldest = messages.keySet().iterator().next();
                messages.remove(eldest);
            }
        }
        return said;
    }

    @GuardedBy("lock")
    private @Nullable List<SessionUpdate> piece(SessionUpdate.Chunk piece) {
        MessageId id = piece.messageId();
        if (id == null) {
            return null;
        }
        Said said = said(id);
        said.add(piece.content());
        return said.id.equals(id) ? null : List.of(chunk(piece, piece.content(), said.id));
    }

    /** Only what was added to a message can be told; what became of it otherwise is a new message. */
    @GuardedBy("lock")
    private List<SessionUpdate> whole(SessionUpdate.Message whole) {
        List<ContentBlock> content = whole.content().applyTo(null);
        boolean isKnown = messages.containsKey(whole.messageId());
        Said said = said(whole.messageId());
        if (content == null) {
            // It was cleared, or only its extension data changed.
            return List.of();
        }
        String text = text(content);
        String before = said.text == null ? null : said.text.toString();
        List<ContentBlock> more = content;
        if (text != null && before != null && text.startsWith(before)) {
            more = text.length() == before.length()
                    ? List.of()
                    : isKnown ? List.of(ContentBlock.text(text.substring(before.length()))) : content;
        } else if (isKnown) {
            said.id = newId.get();
            said.text = new StringBuilder();
        }
        List<SessionUpdate> pieces = new ArrayList<>(more.size());
        for (ContentBlock block : more) {
            said.add(block);
            pieces.add(chunk(whole, block, said.id));
        }
        return pieces;
    }

    private static @Nullable String text(List<ContentBlock> content) {
        StringBuilder text = new StringBuilder();
        for (ContentBlock block : content) {
            if (!(block instanceof ContentBlock.Text part)) {
                return null;
            }
            text.append(part.text());
        }
        return text.toString();
    }

    private static SessionUpdate chunk(SessionUpdate of, ContentBlock block, MessageId id) {
        return switch (of) {
            case SessionUpdate.UserMessageChunk piece -> new SessionUpdate.UserMessageChunk(block, id, piece.rest());
            case SessionUpdate.AgentThoughtChunk piece -> new SessionUpdate.AgentThoughtChunk(block, id, piece.rest());
            case SessionUpdate.UserMessage whole -> new SessionUpdate.UserMessageChunk(block, id, whole.rest());
            case SessionUpdate.AgentThought whole -> new SessionUpdate.AgentThoughtChunk(block, id, whole.rest());
            case SessionUpdate.AgentMessage whole -> new SessionUpdate.AgentMessageChunk(block, id, whole.rest());
            case SessionUpdate.AgentMessageChunk piece -> new SessionUpdate.AgentMessageChunk(block, id, piece.rest());
            default -> throw new AssertionError("no message: " + of);
        };
    }

    // ---- tool calls

    @GuardedBy("lock")
    private void call(ToolCallId id, @Nullable List<ToolCallContent> content) {
        Call call = calls.get(id);
        if (call == null) {
            call = new Call();
            calls.put(id, call);
            recent.add(call);
            if (recent.size() > MOST_CONTENTS) {
                recent.remove().content = List.of();
            }
            if (calls.size() > MOST_CALLS) {
                ToolCallId eldest = calls.keySet().iterator().next();
                calls.remove(eldest);
            }
        }
        if (content != null) {
            call.content = content;
            call.isPending = false;
        }
    }

    /** A change of a tool call that nobody was told of announces it. */
    @GuardedBy("lock")
    private @Nullable List<SessionUpdate> change(ToolCallUpdate change) {
        ToolCallId id = change.toolCallId();
        boolean isKnown = calls.containsKey(id);
        List<ToolCallContent> content = change.content().isKeep()
                ? null
                : Objects.requireNonNullElse(change.content().applyTo(null), List.of());
        Call call = calls.get(id);
        boolean isPending = call != null && call.isPending && content == null;
        List<ToolCallContent> pending = isPending && call != null ? call.content : null;
        call(id, content == null ? pending : content);
        if (!isKnown) {
            return List.of(announced(change));
        }
        return pending == null
                ? null
                : List.of(change.toBuilder().content(pending).build());
    }

    private static ToolCall announced(ToolCallUpdate change) {
        String title = change.title().applyTo(null);
        String name = change.name();
        ToolCallBuilder call = ToolCall.builder(
                        change.toolCallId(),
                        title != null
                                ? title
                                : name != null ? name : change.toolCallId().value())
                .name(name)
                .content(Objects.requireNonNullElse(change.content().applyTo(null), List.of()))
                .locations(Objects.requireNonNullElse(change.locations().applyTo(null), List.of()))
                .rawInput(change.rawInput().applyTo(null))
                .rawOutput(change.rawOutput().applyTo(null))
                .meta(change.meta());
        var kind = change.kind().applyTo(null);
        if (kind != null) {
            call.kind(kind);
        }
        ToolCallStatus status = change.status().applyTo(null);
        if (status != null) {
            call.status(status);
        }
        return call.build();
    }

    @GuardedBy("lock")
    private List<SessionUpdate> piece(SessionUpdate.ToolCallContentChunk piece) {
        ToolCallId id = piece.toolCallId();
        boolean isKnown = calls.containsKey(id);
        Call before = calls.get(id);
        List<ToolCallContent> all = new ArrayList<>(before == null ? List.of() : before.content);
        all.add(piece.content());
        boolean wasPending = before != null && before.isPending;
        call(id, List.copyOf(all));
        Call call = Objects.requireNonNull(calls.get(id));
        if (!isKnown) {
            call.told = time.nanoTime();
            return List.of(ToolCall.builder(id, id.value()).content(all).build());
        }
        if ((wasPending || call.told != 0) && time.nanoTime() - call.told < EVERY) {
            call.isPending = true;
            return List.of();
        }
        return List.of(content(id, call));
    }

    private SessionUpdate content(ToolCallId id, Call call) {
        call.isPending = false;
        call.told = time.nanoTime();
        return ToolCallUpdate.builder(id).content(call.content).build();
    }
}
