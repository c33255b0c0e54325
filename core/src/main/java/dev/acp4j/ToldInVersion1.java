package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutput;
import dev.acp4j.schema.TerminalOutputChunk;
import dev.acp4j.schema.TerminalUpdate;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What clients of version 1 were told in a session, as far as it takes that to tell them what only version 2 can say:
 * which tool calls they know and what these contain, what the messages say whose ids the program gave, and what the
 * agent's terminals show.
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

    /** The output of how many terminals is known, and how much of it, in characters. */
    private static final int MOST_TERMINALS = 64;

    private static final int LONGEST_OUTPUT = 64 << 10;

    /** What commands of the agent printed: version 1 has no terminals of the agent, so it is text at their end. */
    @GuardedBy("lock")
    private final Map<TerminalId, OutputTail> terminals = new LinkedHashMap<>();

    /** The terminals whose output clients have not been told. */
    @GuardedBy("lock")
    private final Set<TerminalId> untold = new LinkedHashSet<>();

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
        final ToolCallId id;
        List<ToolCallContent> content = new ArrayList<>();
        boolean isPending;
        long told;

        Call(ToolCallId id) {
            this.id = id;
        }
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
                    Call known = call(call.toolCallId(), call.content());
                    yield showsTerminal(known)
                            ? List.of(call.toBuilder().content(shown(known)).build())
                            : null;
                }
                case ToolCallUpdate change -> change(change);
                case SessionUpdate.ToolCallContentChunk piece -> piece(piece);
                case TerminalUpdate change -> terminal(change);
                case TerminalOutputChunk piece -> {
                    terminal(piece.terminalId()).add(piece.bytes());
                    untold.add(piece.terminalId());
                    yield List.of();
                }
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
            for (Call call : calls.values()) {
                if (call.isPending) {
                    rest.add(content(call));
                }
            }
            for (TerminalId terminal : List.copyOf(untold)) {
                rest.addAll(told(terminal));
            }
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
    private Call call(ToolCallId id, @Nullable List<ToolCallContent> content) {
        Call call = calls.get(id);
        if (call == null) {
            call = new Call(id);
            calls.put(id, call);
            recent.add(call);
            if (recent.size() > MOST_CONTENTS) {
                recent.remove().content = new ArrayList<>();
            }
            if (calls.size() > MOST_CALLS) {
                ToolCallId eldest = calls.keySet().iterator().next();
                calls.remove(eldest);
            }
        }
        if (content != null) {
            call.content = new ArrayList<>(content);
            call.isPending = false;
        }
        return call;
    }

    /** A change of a tool call that nobody was told of announces it. */
    @GuardedBy("lock")
    private @Nullable List<SessionUpdate> change(ToolCallUpdate change) {
        ToolCallId id = change.toolCallId();
        boolean isKnown = calls.containsKey(id);
        List<ToolCallContent> content = change.content().isKeep()
                ? null
                : Objects.requireNonNullElse(change.content().applyTo(null), List.of());
        Call call = call(id, content);
        boolean isTold = call.isPending || (content != null && showsTerminal(call));
        call.isPending = false;
        ToolCallUpdate told = isTold ? change.toBuilder().content(shown(call)).build() : change;
        if (!isKnown) {
            return List.of(announced(told));
        }
        return isTold ? List.of(told) : null;
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
        Call call = call(id, null);
        call.content.add(piece.content());
        if (!isKnown) {
            call.told = time.nanoTime();
            return List.of(ToolCall.builder(id, id.value()).content(shown(call)).build());
        }
        if (call.told != 0 && time.nanoTime() - call.told < EVERY) {
            call.isPending = true;
            return List.of();
        }
        return List.of(content(call));
    }

    @GuardedBy("lock")
    private SessionUpdate content(Call call) {
        call.isPending = false;
        call.told = time.nanoTime();
        return ToolCallUpdate.builder(call.id).content(shown(call)).build();
    }

    // ---- terminals

    @GuardedBy("lock")
    private OutputTail terminal(TerminalId id) {
        OutputTail output = terminals.computeIfAbsent(id, unknown -> new OutputTail(LONGEST_OUTPUT));
        if (terminals.size() > MOST_TERMINALS) {
            TerminalId eldest = terminals.keySet().iterator().next();
            terminals.remove(eldest);
            untold.remove(eldest);
        }
        return output;
    }

    @GuardedBy("lock")
    private List<SessionUpdate> terminal(TerminalUpdate change) {
        TerminalId id = change.terminalId();
        if (!change.output().isKeep()) {
            terminals.remove(id);
        }
        OutputTail known = terminal(id);
        TerminalOutput output = change.output().applyTo(null);
        if (output != null) {
            known.add(output.bytes());
        }
        untold.add(id);
        return change.exitStatus().applyTo(null) == null ? List.of() : told(id);
    }

    /** Returns the tool calls that show a terminal, with its output. */
    @GuardedBy("lock")
    private List<SessionUpdate> told(TerminalId id) {
        untold.remove(id);
        List<SessionUpdate> shown = new ArrayList<>();
        for (Call call : recent) {
            if (call.content.stream().anyMatch(one -> isTerminal(one, id))) {
                shown.add(content(call));
            }
        }
        return shown;
    }

    private static boolean isTerminal(ToolCallContent content, TerminalId id) {
        return content instanceof ToolCallContent.Terminal terminal
                && terminal.terminalId().equals(id);
    }

    @GuardedBy("lock")
    private boolean showsTerminal(Call call) {
        for (ToolCallContent one : call.content) {
            if (one instanceof ToolCallContent.Terminal terminal && terminals.containsKey(terminal.terminalId())) {
                return true;
            }
        }
        return false;
    }

    /** Returns what a tool call contains, with the output of the agent's terminals in their place. */
    @GuardedBy("lock")
    private List<ToolCallContent> shown(Call call) {
        List<ToolCallContent> shown = new ArrayList<>(call.content.size());
        for (ToolCallContent one : call.content) {
            OutputTail output =
                    one instanceof ToolCallContent.Terminal terminal ? terminals.get(terminal.terminalId()) : null;
            String text = output == null ? "" : AgentTerminal.block(output.toString());
            if (output == null) {
                shown.add(one);
            } else if (!text.isEmpty()) {
                shown.add(ToolCallContent.text(text));
            }
        }
        return shown;
    }
}
