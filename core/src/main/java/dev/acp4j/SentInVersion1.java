package dev.acp4j;

import dev.acp4j.rpc.Time;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.TerminalExitStatus;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What was sent to clients of version 1 in a session, as far as that is needed to express what only version 2 can say:
 * which tool calls they know and what these contain, what the messages say whose ids the program gave, and what
 * commands of the agent have printed in its terminals. These are a dialect of version 1; clients that do not know it
 * get the last part of the output as text in the tool call, five times a second and at the end.
 *
 * <p>The lock of {@link AgentSessionState} guards everything.
 */
final class SentInVersion1 {
    /** Of how many messages it is known what they say. What became of older ones is a new message. */
    private static final int MOST_MESSAGES = 256;

    /** How much of all messages is kept, in characters. */
    private static final int LONGEST = 1 << 20;

    private static final int MOST_CALLS = 100_000;

    /** Of how many tool calls it is known what they contain. */
    private static final int MOST_CONTENTS = 256;

    /** Version 1 has a piece of a tool call's content sent with all that came before, so not each piece at once. */
    private static final long EVERY = Duration.ofMillis(200).toNanos();

    /** Of how many terminals the output is kept. */
    private static final int MOST_TERMINALS = 64;

    /** How much of the output of a terminal is kept, and shown as text at its end, in characters. */
    private static final int KEPT = 64 << 10;

    /** How much of it is shown as text while the command runs. */
    private static final int SHOWN_LIVE = 8 << 10;

    /** Clears a terminal with all that was scrolled out of it. */
    private static final String CLEAR = "\u001b[2J\u001b[3J\u001b[H";

    private final Time time;
    private final Supplier<MessageId> newId;
    private final boolean isTranslator;

    /** The message that was not said for longest first. */
    private final Map<MessageId, Said> messages = new LinkedHashMap<>(16, 0.75f, true);

    /** How long all that is kept of messages is, in characters. */
    private long kept;

    /** Whether it is not known any more what some messages say. */
    private boolean hasForgotten;

    private final Map<ToolCallId, Call> calls = new LinkedHashMap<>();

    /** The calls of which something waits to be sent. */
    private final Map<ToolCallId, Call> waiting = new LinkedHashMap<>(0);

    private boolean hasRest;

    private final Map<TerminalId, Terminal> terminals = new LinkedHashMap<>(16, 0.75f, true);

    /** The calls whose contents are known; the one that was not mentioned for longest first. */
    private final Map<ToolCallId, Call> recent = new LinkedHashMap<>(16, 0.75f, true);

    /** A message: its id at the clients, and what it says; null when that is not known any more. */
    private static final class Said {
        MessageId id;

        @Nullable
        StringBuilder text = new StringBuilder();

        Said(MessageId id) {
            this.id = id;
        }
    }

    /** A tool call. */
    private static final class Call {
        /** What it contains; null when that is not known any more. */
        @Nullable
        List<ToolCallContent> content;

        /** While it waits: whether clients do not know what it contains, else what its terminals have printed. */
        boolean isPending;

        /** When its contents were last sent. */
        @Nullable
        Long sent;
    }

    /** A terminal of the agent. */
    private static final class Terminal {
        OutputTail output = new OutputTail(KEPT);

        @Nullable
        String cwd;

        @Nullable
        TerminalExitStatus exitStatus;

        /** The tool call that shows it; null before there is one. */
        @Nullable
        ToolCallId call;

        String text(boolean hasEnded) {
            return hasEnded ? output.toString() : output.end(SHOWN_LIVE);
        }

        /** Takes other output for all before. Returns what to print so that clients show it. */
        String replace(byte[] bytes) {
            OutputTail before = output;
            output = new OutputTail(KEPT);
            String whole = output.add(bytes);
            return !before.isTruncated() && whole.startsWith(before.raw())
                    ? whole.substring(before.raw().length())
                    : CLEAR + whole;
        }
    }

    /**
     * What clients of version 1 get of an update.
     *
     * @param withTerminals those that show terminals of agents
     * @param withText those that get the output of terminals as text of the tool call
     */
    record InVersion1(List<SessionUpdate> withTerminals, List<SessionUpdate> withText) {
        static final InVersion1 NOTHING = of(List.of());

        static InVersion1 of(List<SessionUpdate> both) {
            return new InVersion1(both, both);
        }

        static InVersion1 of(SessionUpdate both) {
            return of(List.of(both));
        }

        List<SessionUpdate> get(AgentDialect client) {
            return client.supports(Feature.AGENT_TERMINALS) ? withTerminals : withText;
        }
    }

    /**
     * @param newId the id of a message that takes the place of another
     * @param isTranslator whether all terminals in tool calls are the agent's own
     * @param hasForgotten whether messages may have been said before that are not known here
     */
    SentInVersion1(Time time, Supplier<MessageId> newId, boolean isTranslator, boolean hasForgotten) {
        this.hasForgotten = hasForgotten;
        this.time = time;
        this.newId = newId;
        this.isTranslator = isTranslator;
    }

    /** Returns what clients of version 1 get of an update; null when that follows from the update alone. */
    @Nullable
    InVersion1 send(SessionUpdate update) {
        return switch (update) {
            case SessionUpdate.Chunk piece -> piece(piece);
            case SessionUpdate.Message whole -> InVersion1.of(whole(whole));
            case ToolCall call -> announced(call);
            case ToolCallUpdate change -> changed(change);
            case SessionUpdate.ToolCallContentChunk piece -> piece(piece);
            case TerminalUpdate change -> changed(change);
            case TerminalOutputChunk piece -> printed(piece);
            default -> null;
        };
    }

    /** An update was not sent, since it is larger than messages may be: forgets what it said. */
    void unsent(SessionUpdate update) {
        switch (update) {
            case SessionUpdate.Chunk piece -> unsent(piece.messageId());
            case SessionUpdate.Message whole -> unsent(whole.messageId());
            case SessionUpdate.ToolCallContentChunk piece -> {
                Call call = calls.get(piece.toolCallId());
                if (call != null && call.content != null) {
                    call.content.removeLast();
                    call.isPending = true;
                    waits(piece.toolCallId(), call);
                }
            }
            default -> {}
        }
    }

    /** What the message says to clients is not known any more. */
    private void unsent(@Nullable MessageId id) {
        Said said = id == null ? null : messages.get(id);
        if (said != null) {
            kept -= length(said);
            said.text = null;
        }
    }

    /** Returns whether there are contents of tool calls that have not been sent yet. */
    boolean hasRest() {
        return hasRest;
    }

    /** Returns for how many nanoseconds nothing of the rest is to be sent. */
    long untilRest() {
        long wait = EVERY;
        for (Call call : waiting.values()) {
            wait = Math.min(wait, call.sent == null ? 0 : call.sent + EVERY - now());
        }
        return Math.max(0, wait);
    }

    /**
     * Returns the contents of tool calls that have not been sent yet.
     *
     * @param isEnd whether the turn has ended; else only what has waited long enough
     */
    List<InVersion1> rest(boolean isEnd) {
        List<InVersion1> rest = new ArrayList<>(0);
        for (Map.Entry<ToolCallId, Call> each : List.copyOf(waiting.entrySet())) {
            ToolCallId id = each.getKey();
            Call call = each.getValue();
            boolean isDue = isEnd || call.sent == null || now() - call.sent >= EVERY;
            if (isDue) {
                rest.add(call.isPending ? content(id, call) : new InVersion1(List.of(), text(id, call)));
            }
        }
        return rest;
    }

    // ---- messages

    private Said said(MessageId id) {
        Said said = messages.get(id);
        if (said == null) {
            // One that is forgotten may have said something under its id.
            said = new Said(hasForgotten ? newId.get() : id);
            messages.put(id, said);
            if (messages.size() > MOST_MESSAGES) {
                forgetEldest();
            }
        }
        return said;
    }

    private void forgetEldest() {
        MessageId eldest = messages.keySet().iterator().next();
        kept -= length(messages.remove(eldest));
        hasForgotten = true;
    }

    private static int length(@Nullable Said said) {
        return said == null || said.text == null ? 0 : said.text.length();
    }

    /** Adds to what a message says. */
    private void add(Said said, ContentBlock block) {
        StringBuilder known = said.text;
        if (known == null) {
            return;
        }
        boolean isText = block instanceof ContentBlock.Text;
        int more = block instanceof ContentBlock.Text text ? text.text().length() : 0;
        while (isText && kept + more > LONGEST && messages.size() > 1) {
            forgetEldest();
        }
        if (block instanceof ContentBlock.Text text && kept + more <= LONGEST) {
            known.append(text.text());
            kept += more;
        } else {
            kept -= known.length();
            said.text = null;
        }
    }

    /** A changed message can be sent as a new one only. */
    private void begin(Said said) {
        kept -= length(said);
        said.id = newId.get();
        said.text = new StringBuilder();
    }

    private @Nullable InVersion1 piece(SessionUpdate.Chunk piece) {
        MessageId id = piece.messageId();
        if (id == null) {
            return null;
        }
        Said said = said(id);
        add(said, piece.content());
        return said.id.equals(id) ? null : InVersion1.of(chunk(piece, piece.content(), said.id));
    }

    /** Only additions to a message can be sent; any other change is a new message. */
    private List<SessionUpdate> whole(SessionUpdate.Message whole) {
        if (whole.content().isKeep()) {
            // Only its extension data changed.
            return List.of();
        }
        List<ContentBlock> content = Objects.requireNonNullElse(whole.content().applyTo(null), List.of());
        boolean isKnown = messages.containsKey(whole.messageId());
        Said said = said(whole.messageId());
        String text = text(content);
        String before = said.text == null ? null : said.text.toString();
        List<ContentBlock> more = content;
        if (text != null && before != null && text.startsWith(before)) {
            more = text.length() == before.length()
                    ? List.of()
                    : isKnown ? List.of(ContentBlock.text(text.substring(before.length()))) : content;
        } else if (isKnown) {
            begin(said);
        }
        List<SessionUpdate> pieces = new ArrayList<>(more.size());
        for (ContentBlock block : more) {
            add(said, block);
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

    /** Takes what a tool call contains; null when that is not said. */
    private Call call(ToolCallId id, @Nullable List<ToolCallContent> content) {
        Call call = calls.get(id);
        if (call == null) {
            call = new Call();
            calls.put(id, call);
            if (calls.size() > MOST_CALLS) {
                ToolCallId eldest = calls.keySet().iterator().next();
                calls.remove(eldest);
            }
        }
        recent.put(id, call);
        if (recent.size() > MOST_CONTENTS) {
            ToolCallId eldest = recent.keySet().iterator().next();
            Objects.requireNonNull(recent.remove(eldest)).content = null;
        }
        if (content != null) {
            call.content = new ArrayList<>(content);
            sent(id, call);
        }
        return call;
    }

    private @Nullable InVersion1 announced(ToolCall call) {
        Call unused = call(call.toolCallId(), call.content());
        return shown(call, call.toolCallId(), call.meta(), call.content());
    }

    /** A change of a tool call that was not announced announces it. */
    private @Nullable InVersion1 changed(ToolCallUpdate change) {
        ToolCallId id = change.toolCallId();
        boolean isNew = !calls.containsKey(id);
        Change<List<ToolCallContent>> changed = change.content();
        Call before = calls.get(id);
        List<ToolCallContent> pending = changed.isKeep() && before != null && before.isPending ? before.content : null;
        List<ToolCallContent> content =
                changed.isKeep() ? pending : Objects.requireNonNullElse(changed.applyTo(null), List.of());
        Call unused = call(id, content == null && isNew ? List.of() : content);
        if (isNew) {
            ToolCall call = made(change);
            InVersion1 shown = shown(call, id, call.meta(), call.content());
            return shown == null ? InVersion1.of(call) : shown;
        }
        if (content == null) {
            return null;
        }
        ToolCallUpdate whole =
                pending == null ? change : change.toBuilder().content(content).build();
        InVersion1 shown = shown(whole, id, change.meta(), content);
        return shown == null && pending != null ? InVersion1.of(whole) : shown;
    }

    /** Returns what announces the tool call of a change. */
    static ToolCall made(ToolCallUpdate change) {
        String title = change.title().applyTo(null);
        String name = change.name().applyTo(null);
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

    private InVersion1 piece(SessionUpdate.ToolCallContentChunk piece) {
        ToolCallId id = piece.toolCallId();
        boolean isNew = !calls.containsKey(id);
        Call call = call(id, null);
        if (call.content == null) {
            call.content = new ArrayList<>();
        }
        call.content.add(piece.content());
        if (isNew) {
            call.sent = now();
            ToolCall announced =
                    ToolCall.builder(id, id.value()).content(call.content).build();
            InVersion1 shown = shown(announced, id, Meta.EMPTY, call.content);
            return shown == null ? InVersion1.of(announced) : shown;
        }
        boolean isSoon = call.sent != null && now() - call.sent < EVERY;
        if (isSoon && !(piece.content() instanceof ToolCallContent.Terminal)) {
            call.isPending = true;
            waits(id, call);
            return InVersion1.NOTHING;
        }
        return content(id, call);
    }

    private void waits(ToolCallId id, Call call) {
        waiting.put(id, call);
        hasRest = true;
    }

    /** Clients know what the tool call contains. */
    private void sent(ToolCallId id, Call call) {
        call.isPending = false;
        if (waiting.remove(id) != null) {
            hasRest = !waiting.isEmpty();
        }
    }

    private long now() {
        return time.nanoTime();
    }

    /** Returns the whole content of a tool call. */
    private InVersion1 content(ToolCallId id, Call call) {
        sent(id, call);
        call.sent = now();
        List<ToolCallContent> content = List.copyOf(Objects.requireNonNullElse(call.content, List.of()));
        ToolCallUpdate whole = ToolCallUpdate.builder(id).content(content).build();
        InVersion1 shown = shown(whole, id, Meta.EMPTY, content);
        return shown == null ? InVersion1.of(whole) : shown;
    }

    // ---- terminals of the agent

    private Terminal terminal(TerminalId id) {
        Terminal terminal = terminals.get(id);
        if (terminal == null) {
            terminal = new Terminal();
            terminals.put(id, terminal);
            if (terminals.size() > MOST_TERMINALS) {
                forgetTerminal();
            }
        }
        return terminal;
    }

    /** Forgets a terminal: of those whose command has ended, if there are any, the one not used for longest. */
    private void forgetTerminal() {
        TerminalId forgotten = terminals.entrySet().stream()
                .filter(each -> each.getValue().exitStatus != null)
                .findFirst()
                .map(Map.Entry::getKey)
                .orElseGet(() -> terminals.keySet().iterator().next());
        terminals.remove(forgotten);
    }

    /**
     * Returns what clients get of a tool call whose content has terminals of the agent: their output as text, or what
     * begins to show them. Null when it has none.
     *
     * @param update the tool call, or a change of it, with all of its content
     * @param meta its extension data
     */
    private @Nullable InVersion1 shown(SessionUpdate update, ToolCallId id, Meta meta, List<ToolCallContent> content) {
        Meta begins = meta;
        List<SessionUpdate> more = new ArrayList<>(0);
        List<ToolCallContent> asText = null;
        for (int i = 0; i < content.size(); i++) {
            ToolCallContent one = content.get(i);
            Terminal terminal =
                    one instanceof ToolCallContent.Terminal shown ? terminals.get(shown.terminalId()) : null;
            boolean isOwn = terminal != null || (isTranslator && one instanceof ToolCallContent.Terminal);
            if (isOwn && asText == null) {
                asText = new ArrayList<>(content.subList(0, i));
            }
            if (!isOwn && asText != null) {
                asText.add(one);
            }
            if (terminal != null && asText != null) {
                TerminalId shown = ((ToolCallContent.Terminal) one).terminalId();
                String text = block(terminal.text(terminal.exitStatus != null));
                if (!text.isEmpty()) {
                    asText.add(ToolCallContent.text(text));
                }
                if (terminal.call == null) {
                    begins = VendorDialect.terminalInfo(begins, shown, terminal.cwd);
                    more.addAll(printed(id, shown, terminal.output.raw()));
                    more.addAll(ended(id, shown, terminal.exitStatus));
                }
                terminal.call = id;
            }
        }
        if (asText == null) {
            return null;
        }
        List<SessionUpdate> withTerminals = new ArrayList<>(1 + more.size());
        withTerminals.add(
                switch (update) {
                    case ToolCall call -> call.toBuilder().meta(begins).build();
                    case ToolCallUpdate change ->
                        change.toBuilder().meta(begins).build();
                    default -> throw new AssertionError("no tool call: " + update);
                });
        withTerminals.addAll(more);
        SessionUpdate withText = switch (update) {
            case ToolCall call -> call.toBuilder().content(asText).build();
            case ToolCallUpdate change -> change.toBuilder().content(asText).build();
            default -> throw new AssertionError("no tool call: " + update);
        };
        return new InVersion1(withTerminals, List.of(withText));
    }

    private InVersion1 changed(TerminalUpdate change) {
        TerminalId id = change.terminalId();
        Terminal terminal = terminal(id);
        terminal.cwd = change.cwd().applyTo(terminal.cwd);
        String more = "";
        if (!change.output().isKeep()) {
            TerminalOutput output = change.output().applyTo(null);
            more = terminal.replace(output == null ? new byte[0] : output.bytes());
        }
        TerminalExitStatus before = terminal.exitStatus;
        terminal.exitStatus = change.exitStatus().applyTo(before);
        return sent(id, terminal, more, before == null ? terminal.exitStatus : null);
    }

    private InVersion1 printed(TerminalOutputChunk piece) {
        Terminal terminal = terminal(piece.terminalId());
        return sent(piece.terminalId(), terminal, terminal.output.add(piece.bytes()), null);
    }

    /** Returns what clients get of more output, and of the end, of a terminal that a tool call shows. */
    private InVersion1 sent(TerminalId id, Terminal terminal, String more, @Nullable TerminalExitStatus ended) {
        ToolCallId shownBy = terminal.call;
        if (shownBy == null || (more.isEmpty() && ended == null)) {
            return InVersion1.NOTHING;
        }
        List<SessionUpdate> withTerminals = new ArrayList<>(2);
        withTerminals.addAll(printed(shownBy, id, more));
        withTerminals.addAll(ended(shownBy, id, ended));
        Call call = calls.get(shownBy);
        if (call == null || call.content == null) {
            return new InVersion1(withTerminals, List.of());
        }
        boolean isSoon = call.sent != null && now() - call.sent < EVERY;
        if (ended == null && isSoon) {
            waits(shownBy, call);
            return new InVersion1(withTerminals, List.of());
        }
        return new InVersion1(withTerminals, text(shownBy, call));
    }

    /** Returns the content of a tool call with the output of its terminals as text. */
    private List<SessionUpdate> text(ToolCallId id, Call call) {
        sent(id, call);
        call.sent = now();
        List<ToolCallContent> content = List.copyOf(Objects.requireNonNullElse(call.content, List.of()));
        InVersion1 shown = shown(ToolCallUpdate.builder(id).content(content).build(), id, Meta.EMPTY, content);
        return shown == null ? List.of() : shown.withText();
    }

    private static List<SessionUpdate> printed(ToolCallId call, TerminalId id, String output) {
        return output.isEmpty()
                ? List.of()
                : List.of(ToolCallUpdate.builder(call)
                        .meta(VendorDialect.terminalOutput(id, output))
                        .build());
    }

    private static List<SessionUpdate> ended(ToolCallId call, TerminalId id, @Nullable TerminalExitStatus status) {
        return status == null
                ? List.of()
                : List.of(ToolCallUpdate.builder(call)
                        .meta(VendorDialect.terminalExit(id, status))
                        .build());
    }

    /** Returns text as a block of code in Markdown; empty text as it is. */
    private static String block(String text) {
        if (text.isEmpty()) {
            return "";
        }
        String fence = "```";
        while (text.contains(fence)) {
            fence += "`";
        }
        return fence + "\n" + text + (text.endsWith("\n") ? "" : "\n") + fence + "\n";
    }
}
