package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.CompactionId;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.SubagentSessionCapabilities;
import dev.acp4j.schema.SubagentUpdate;
import dev.acp4j.schema.TerminalCapabilities;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalSize;
import dev.acp4j.schema.TerminalUpdate;
import dev.acp4j.schema.ToolCallCapabilities;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Unstable;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a session's {@link Timeline}, as it was at a revision. An entry is immutable; when it changes, the
 * timeline has a new one with the same number. Two entries are equal when their kind and content are equal, whatever
 * their numbers.
 *
 * <p>More kinds may be added: a switch over entries needs a default branch.
 */
public abstract sealed class Entry {
    /** Where an entry stands: what names it in its timeline, and since when it is as it is. */
    record Place(long number, long revision) {
        /** The place of what stands in no timeline. */
        static final Place NONE = new Place(0, 0);
    }

    private final Place place;
    private final Meta meta;

    Entry(Place place, Meta meta) {
        this.place = place;
        this.meta = meta;
    }

    /**
     * Returns the number of the entry in its timeline. It never changes. Numbers begin with 1 and give the order of the
     * entries; an entry that is in no timeline has the number 0.
     */
    public final long number() {
        return place.number();
    }

    /** Returns the revision of the timeline in which the entry got this content. */
    public final long revision() {
        return place.revision();
    }

    /** Returns the latest extension data of the entry; empty when there is none. */
    public final Meta meta() {
        return meta;
    }

    /**
     * Returns whether the beginning of the content was dropped: the entry alone takes more memory than
     * {@link dev.acp4j.rpc.Limits#viewBytes()}.
     */
    public boolean isCut() {
        return false;
    }

    final Place place() {
        return place;
    }

    /** Returns all that the entry says, beside extension data. */
    abstract List<@Nullable Object> says();

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof Entry entry
                && getClass() == entry.getClass()
                && meta.equals(entry.meta)
                && says().equals(entry.says());
    }

    @Override
    public final int hashCode() {
        return says().hashCode();
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + says();
    }

    /** A message or prompt of a conversation, with the pieces that have arrived so far. */
    public static final class Message extends Entry {
        /** The author of a message. */
        public enum Author {
            /** The user. */
            USER,
            /** The agent. */
            AGENT,
            /** The agent, as a thought. */
            THOUGHT
        }

        private final Author author;
        private final @Nullable MessageId id;
        private final GrowingContent.Content content;

        Message(Place place, Meta meta, Author author, @Nullable MessageId id, GrowingContent.Content content) {
            super(place, meta);
            this.author = author;
            this.id = id;
            this.content = content;
        }

        /** Returns a message that stands in no timeline. */
        static Message of(Author author, @Nullable MessageId id, List<ContentBlock> blocks, Meta meta) {
            GrowingContent content = new GrowingContent(new ReentrantLock());
            content.replace(blocks, 0);
            return new Message(Place.NONE, meta, author, id, content.snapshot());
        }

        /** Returns the author. */
        public Author author() {
            return author;
        }

        /** Returns the agent's id of the message, or null when the agent gives none. */
        public @Nullable MessageId id() {
            return id;
        }

        /** Returns the content; neighbouring pieces of text are joined. */
        public List<ContentBlock> content() {
            return content.blocks();
        }

        /** Returns the text of the message, without content of other kinds. */
        public String text() {
            return content.text();
        }

        @Override
        public boolean isCut() {
            return content.isCut();
        }

        @Override
        List<@Nullable Object> says() {
            return Arrays.asList(author, id, content());
        }
    }

    /**
     * A tool call with all its updates merged.
     *
     * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls">Tool calls</a>
     */
    public static final class ToolCall extends Entry {
        /** All but the content. */
        private final dev.acp4j.schema.ToolCall call;

        private final List<ToolCallContent> content;
        private final boolean cut;
        private final boolean cancellable;

        private ToolCall(Place place, dev.acp4j.schema.ToolCall call, boolean cut, boolean cancellable) {
            super(place, call.meta());
            this.call = DocumentedForms.ofSchema(call);
            this.content = this.call.content();
            this.cut = cut;
            this.cancellable = cancellable;
        }

        private ToolCall(Place place, ToolCall other, Meta meta, List<ToolCallContent> content, boolean cut) {
            super(place, meta);
            this.call = other.call.content().isEmpty()
                    ? other.call
                    : other.call.toBuilder().content(List.of()).build();
            this.content = content;
            this.cut = cut;
            this.cancellable = other.cancellable;
        }

        /** Returns a tool call made of one update; it is in no timeline. */
        public static ToolCall of(ToolCallUpdate update) {
            return unknown(update.toolCallId()).with(update, update.meta(), Place.NONE);
        }

        static ToolCall of(dev.acp4j.schema.ToolCall begun) {
            return new ToolCall(Place.NONE, begun, false, false);
        }

        static ToolCall unknown(ToolCallId id) {
            return new ToolCall(
                    Place.NONE,
                    dev.acp4j.schema.ToolCall.builder(id, id.value()).build(),
                    false,
                    false);
        }

        /** Returns its id. */
        public ToolCallId id() {
            return call.toolCallId();
        }

        /** Returns the title, for people; the id when the agent has given none. */
        public String title() {
            return call.title();
        }

        /** Returns the tool's name for programs, or null. */
        public @Nullable String name() {
            return call.name();
        }

        /** Returns the kind of the tool. */
        public ToolKind kind() {
            return call.kind();
        }

        /**
         * Returns the status. If its turn is cancelled before the tool call has ended, the status is
         * {@link ToolCallStatus#CANCELLED} until the agent reports another one.
         */
        public ToolCallStatus status() {
            return call.status();
        }

        /** Returns the content that it produced. */
        public List<ToolCallContent> content() {
            return content;
        }

        /** Returns the files that it works on. */
        public List<ToolCallLocation> locations() {
            return call.locations();
        }

        /** Returns the input of the tool, or null. */
        public @Nullable RawJson rawInput() {
            return call.rawInput();
        }

        /** Returns the output of the tool, or null. */
        public @Nullable RawJson rawOutput() {
            return call.rawOutput();
        }

        @Override
        public boolean isCut() {
            return cut;
        }

        /** Returns the tool call without the first half of its content. */
        ToolCall withoutFirstHalf(Place place) {
            List<ToolCallContent> half = List.copyOf(content.subList((content.size() + 1) / 2, content.size()));
            return new ToolCall(place, this, meta(), half, true);
        }

        /** Returns whether it can be cancelled alone now; see {@link Session#cancel(ToolCallId)}. */
        public boolean isCancellable() {
            return cancellable && isOpen();
        }

        /** Returns whether it goes on. */
        boolean isOpen() {
            ToolCallStatus status = call.status();
            return !status.equals(ToolCallStatus.COMPLETED)
                    && !status.equals(ToolCallStatus.FAILED)
                    && !status.equals(ToolCallStatus.CANCELLED);
        }

        /** Returns the tool call as it begins, or begins anew. */
        ToolCall with(dev.acp4j.schema.ToolCall begun, Meta meta, Place place) {
            return new ToolCall(place, begun.toBuilder().meta(meta).build(), false, cancellable);
        }

        ToolCall cancelled(Place place) {
            dev.acp4j.schema.ToolCall ended = call.toBuilder()
                    .status(ToolCallStatus.CANCELLED)
                    .content(content)
                    .meta(meta())
                    .build();
            return new ToolCall(place, ended, cut, false);
        }

        /**
         * Returns the tool call after a change: what it does not mention stays, what it clears goes back to its
         * default.
         */
        ToolCall with(ToolCallUpdate change, Meta meta, Place place) {
            ToolCallCapabilities capabilities = change.capabilities().applyTo(null);
            String title =
                    change.title().applyTo(call.title(), call.toolCallId().value());
            return new ToolCall(
                    place,
                    dev.acp4j.schema.ToolCall.builder(call.toolCallId(), title)
                            .name(change.name().applyTo(call.name()))
                            .kind(change.kind().applyTo(call.kind(), ToolKind.OTHER))
                            .status(change.status().applyTo(call.status(), ToolCallStatus.PENDING))
                            .content(change.content().applyTo(content, List.of()))
                            .locations(change.locations().applyTo(call.locations(), List.of()))
                            .rawInput(change.rawInput().applyTo(call.rawInput()))
                            .rawOutput(change.rawOutput().applyTo(call.rawOutput()))
                            .meta(meta)
                            .build(),
                    cut && change.content().isKeep(),
                    change.capabilities().isKeep()
                            ? cancellable
                            : capabilities != null && capabilities.cancel() != null);
        }

        /** Returns the tool call with one more piece of what it shows. */
        ToolCall with(ToolCallContent piece, Meta meta, Place place) {
            return new ToolCall(place, this, meta, Appended.to(content, piece), cut);
        }

        @Override
        List<@Nullable Object> says() {
            return Arrays.asList(
                    id(), title(), name(), kind(), status(), content(), locations(), rawInput(), rawOutput());
        }
    }

    /**
     * The plan of an agent.
     *
     * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan">Agent plan</a>
     */
    public static final class Plan extends Entry {
        private final @Nullable String id;
        private final List<PlanEntry> entries;
        private final @Nullable String uri;
        private final @Nullable String markdown;

        Plan(
                Place place,
                Meta meta,
                @Nullable String id,
                List<PlanEntry> entries,
                @Nullable String uri,
                @Nullable String markdown) {
            super(place, meta);
            this.id = id;
            this.entries = List.copyOf(entries);
            this.uri = uri;
            this.markdown = markdown;
        }

        /** Returns a plan with these tasks, which is in no timeline. */
        public static Plan of(List<PlanEntry> entries) {
            return new Plan(Place.NONE, Meta.EMPTY, null, entries, null, null);
        }

        /**
         * Returns the agent's id of the plan; null for the one plan that a session of version 1 has unless the client
         * supports {@link Feature#PLANS}.
         */
        public @Nullable String id() {
            return id;
        }

        /** Returns all tasks, in order; none for a plan that is a file or a text. */
        public List<PlanEntry> entries() {
            return entries;
        }

        /** Returns the address of the file that is the plan; null for another plan. */
        @Unstable
        public @Nullable String uri() {
            return uri;
        }

        /** Returns the text that is the plan, in markdown; null for another plan. */
        @Unstable
        public @Nullable String markdown() {
            return markdown;
        }

        @Override
        List<@Nullable Object> says() {
            return Arrays.asList(id, entries, uri, markdown);
        }
    }

    /**
     * A terminal in which the agent runs a command by itself; commands that it runs in terminals of the client are not
     * here. Tool calls name it in their content, as {@link ToolCallContent.Terminal}: a user interface draws it there.
     * In version 1 of the protocol such terminals are a dialect; see {@link Client.Builder#agentTerminals}.
     */
    public static final class Terminal extends Entry {
        private final TerminalId id;
        private final About about;
        private final GrowingContent.Content output;

        /** What is known of a terminal beside its output. */
        record About(
                @Nullable String command,
                @Nullable String cwd,
                @Nullable TerminalExitStatus exitStatus,
                @Nullable TerminalSize size,
                boolean isCancellable,
                Meta meta) {
            static final About NOTHING = new About(null, null, null, null, false, Meta.EMPTY);

            About with(@Nullable String newCwd, @Nullable TerminalExitStatus newStatus) {
                return new About(
                        command,
                        newCwd == null ? cwd : newCwd,
                        newStatus == null ? exitStatus : newStatus,
                        size,
                        isCancellable,
                        meta);
            }

            About with(TerminalUpdate change, Meta newMeta) {
                TerminalCapabilities capabilities = change.capabilities().applyTo(null);
                return new About(
                        change.command().applyTo(command),
                        change.cwd().applyTo(cwd),
                        change.exitStatus().applyTo(exitStatus),
                        change.size().applyTo(size),
                        change.capabilities().isKeep()
                                ? isCancellable
                                : capabilities != null && capabilities.cancel() != null,
                        newMeta);
            }
        }

        Terminal(Place place, TerminalId id, About about, GrowingContent.Content output) {
            super(place, about.meta());
            this.id = id;
            this.about = about;
            this.output = output;
        }

        About about() {
            return about;
        }

        /** Returns its id. */
        public TerminalId id() {
            return id;
        }

        /** Returns the command that runs in it; null when the agent does not say. */
        public @Nullable String command() {
            return about.command();
        }

        /** Returns the folder in which the command runs; null when the agent does not say. */
        public @Nullable String cwd() {
            return about.cwd();
        }

        /** Returns its width and height in characters; null when the agent does not say. */
        @Unstable
        public @Nullable TerminalSize size() {
            return about.size();
        }

        /** Returns whether its command can be ended now; see {@link Session#cancel(TerminalId)}. */
        public boolean isCancellable() {
            return about.isCancellable() && about.exitStatus() == null;
        }

        /** Returns what the command wrote so far, with its control characters. */
        public String output() {
            return output.text();
        }

        /**
         * Returns the end of what the command wrote so far, without copying all of it.
         *
         * @param most how many characters at most
         * @throws IllegalArgumentException when it is negative
         */
        public String output(int most) {
            if (most < 0) {
                throw new IllegalArgumentException("a number of characters must not be negative: " + most);
            }
            return output.end(most);
        }

        /** Returns how the command ended; null while it runs. Both parts may be unknown then. */
        public @Nullable TerminalExitStatus exitStatus() {
            return about.exitStatus();
        }

        @Override
        public boolean isCut() {
            return output.isCut();
        }

        @Override
        List<@Nullable Object> says() {
            return Arrays.asList(id, about, output());
        }
    }

    /**
     * A subagent: a session that belongs to this one, which the client has not opened. Its conversation is that of one
     * of {@link Session#subagents()}.
     */
    @Unstable
    public static final class Subagent extends Entry {
        /** A subagent of which only the id is known. */
        static Subagent unknown(SessionId id) {
            return new Subagent(Place.NONE, Meta.EMPTY, id, null, null, null, false, null, null);
        }

        private final SessionId id;
        private final @Nullable String title;
        private final @Nullable String description;
        private final SessionEvent.StateChanged.@Nullable State state;
        private final boolean cancellable;
        private final @Nullable String cwd;
        private final @Nullable List<String> additionalDirectories;

        private Subagent(
                Place place,
                Meta meta,
                SessionId id,
                @Nullable String title,
                @Nullable String description,
                SessionEvent.StateChanged.@Nullable State state,
                boolean cancellable,
                @Nullable String cwd,
                @Nullable List<String> additionalDirectories) {
            super(place, meta);
            this.id = id;
            this.title = title;
            this.description = description;
            this.state = state;
            this.cancellable = cancellable;
            this.cwd = cwd;
            this.additionalDirectories = additionalDirectories;
        }

        /** Returns the subagent after a change: what it does not mention stays. */
        Subagent with(
                SubagentUpdate change, Change<SessionEvent.StateChanged.State> newState, Meta newMeta, Place place) {
            SubagentSessionCapabilities offered = change.capabilities().applyTo(null);
            return new Subagent(
                    place,
                    newMeta,
                    id,
                    change.title().applyTo(title),
                    change.description().applyTo(description),
                    newState.applyTo(state),
                    change.capabilities().isKeep() ? cancellable : offered != null && offered.cancel() != null,
                    change.cwd().applyTo(cwd),
                    change.additionalDirectories().applyTo(additionalDirectories));
        }

        /** Returns the id of its session. */
        public SessionId id() {
            return id;
        }

        /** Returns its title, for people; null when it has none. */
        public @Nullable String title() {
            return title;
        }

        /** Returns what it is for, for people; null when the agent does not say. */
        public @Nullable String description() {
            return description;
        }

        /** Returns what it is doing; null when that is not known. */
        public SessionEvent.StateChanged.@Nullable State state() {
            return state;
        }

        /** Returns whether {@link Session#cancel()} of its session cancels its work. */
        public boolean isCancellable() {
            return cancellable;
        }

        @Nullable
        String cwd() {
            return cwd;
        }

        @Nullable
        List<String> additionalDirectories() {
            return additionalDirectories;
        }

        @Override
        List<@Nullable Object> says() {
            return Arrays.asList(id, title, description, state, cancellable, cwd, additionalDirectories);
        }
    }

    /** A message from one session to another, as one of them has it. */
    @Unstable
    public static final class SessionMessage extends Entry {
        private final MessageId id;
        private final Parties parties;
        private final GrowingContent.Content content;

        /** Who says it to whom. */
        record Parties(
                @Nullable SessionId sender,
                @Nullable SessionId recipient,
                @Nullable MessageId senderMessage,
                @Nullable MessageId recipientMessage) {
            static final Parties NOBODY = new Parties(null, null, null, null);

            Parties with(dev.acp4j.schema.SessionMessage change) {
                return new Parties(
                        change.senderSessionId().applyTo(sender),
                        change.recipientSessionId().applyTo(recipient),
                        change.senderMessageId().applyTo(senderMessage),
                        change.recipientMessageId().applyTo(recipientMessage));
            }
        }

        SessionMessage(Place place, Meta meta, MessageId id, Parties parties, GrowingContent.Content content) {
            super(place, meta);
            this.id = id;
            this.parties = parties;
            this.content = content;
        }

        Parties parties() {
            return parties;
        }

        /** Returns its id in this session. */
        public MessageId id() {
            return id;
        }

        /** Returns the session that says it; null when that is not known. */
        public @Nullable SessionId sender() {
            return parties.sender();
        }

        /** Returns the session that it is for; null when that is not known. */
        public @Nullable SessionId recipient() {
            return parties.recipient();
        }

        /** Returns its id in the session that says it; null when that is not known. */
        public @Nullable MessageId senderMessage() {
            return parties.senderMessage();
        }

        /** Returns its id in the session that it is for; null when that is not known. */
        public @Nullable MessageId recipientMessage() {
            return parties.recipientMessage();
        }

        /** Returns the content; neighbouring pieces of text are joined. */
        public List<ContentBlock> content() {
            return content.blocks();
        }

        /** Returns the text of the message, without content of other kinds. */
        public String text() {
            return content.text();
        }

        @Override
        public boolean isCut() {
            return content.isCut();
        }

        @Override
        List<@Nullable Object> says() {
            return Arrays.asList(id, parties, content());
        }
    }

    /** A notice of the agent to the user, which is not part of the conversation. */
    public static final class Notice extends Entry {
        private final dev.acp4j.schema.Notice notice;

        Notice(Place place, dev.acp4j.schema.Notice notice) {
            super(place, notice.meta());
            this.notice = notice;
        }

        /** Returns the notice. */
        public dev.acp4j.schema.Notice notice() {
            return notice;
        }

        @Override
        List<@Nullable Object> says() {
            return Arrays.asList(notice);
        }
    }

    /**
     * A compaction of an agent's context with all its updates merged.
     *
     * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactionupdate">Compaction</a>
     */
    public static final class Compaction extends Entry {
        private final CompactionId id;
        private final CompactionStatus status;
        private final GrowingContent.Content summary;
        private final @Nullable String error;

        Compaction(
                Place place,
                Meta meta,
                CompactionId id,
                CompactionStatus status,
                GrowingContent.Content summary,
                @Nullable String error) {
            super(place, meta);
            this.id = id;
            this.status = status;
            this.summary = summary;
            this.error = error;
        }

        /** Returns its id. */
        public CompactionId id() {
            return id;
        }

        /** Returns the status. */
        public CompactionStatus status() {
            return status;
        }

        /**
         * Returns the summary of the context, for the user to read; it may still grow. Neighbouring pieces of text are
         * joined.
         */
        public List<ContentBlock> summary() {
            return summary.blocks();
        }

        /** Returns the error, for the user to read, or null. */
        public @Nullable String error() {
            return error;
        }

        @Override
        public boolean isCut() {
            return summary.isCut();
        }

        @Override
        List<@Nullable Object> says() {
            return Arrays.asList(id, status, summary(), error);
        }
    }

    /** A question of the agent to the user: a permission request or an elicitation. */
    public static final class Question extends Entry {
        /** The kind of a question. */
        public enum Kind {
            /** A permission request; see {@link Client.Builder#onPermission}. */
            PERMISSION,
            /** A request for input; see {@link Client.Builder#onElicitation}. */
            ELICITATION
        }

        /** The state of a question. */
        public enum State {
            /** The client's handler has not answered yet. */
            OPEN,
            /** The handler has answered, also if its answer is <em>cancelled</em>. */
            ANSWERED,
            /** No answer is needed any more: the turn or the question was cancelled, or the handler failed. */
            WITHDRAWN
        }

        private final Kind kind;
        private final String title;
        private final @Nullable ToolCallId toolCall;
        private final @Nullable TerminalId terminal;
        private final List<PermissionOption> options;
        private final State state;
        private final @Nullable PermissionOption choice;

        private Question(Question like, Place place, State state, @Nullable PermissionOption choice) {
            super(place, like.meta());
            this.kind = like.kind;
            this.title = like.title;
            this.toolCall = like.toolCall;
            this.terminal = like.terminal;
            this.options = like.options;
            this.state = state;
            this.choice = choice;
        }

        Question(
                Kind kind,
                Meta meta,
                String title,
                @Nullable ToolCallId toolCall,
                @Nullable TerminalId terminal,
                List<PermissionOption> options) {
            super(Place.NONE, meta);
            this.kind = kind;
            this.title = title;
            this.toolCall = toolCall;
            this.terminal = terminal;
            this.options = List.copyOf(options);
            this.state = State.OPEN;
            this.choice = null;
        }

        boolean isFor(List<BackgroundWork> works) {
            return isFor(works, toolCall, terminal);
        }

        /** Returns whether a question about this tool call or terminal is asked for one of these. */
        static boolean isFor(List<BackgroundWork> works, @Nullable ToolCallId toolCall, @Nullable TerminalId terminal) {
            for (BackgroundWork work : works) {
                if (work instanceof BackgroundWork.ToolCall call
                        && call.toolCallId().equals(toolCall)) {
                    return true;
                }
                if (work instanceof BackgroundWork.Terminal command
                        && command.terminalId().equals(terminal)) {
                    return true;
                }
            }
            return false;
        }

        Question at(Place place) {
            return new Question(this, place, state, choice);
        }

        Question ended(Place place, State how, @Nullable PermissionOptionId chosen) {
            for (PermissionOption option : options) {
                if (option.optionId().equals(chosen)) {
                    return new Question(this, place, how, option);
                }
            }
            return new Question(this, place, how, null);
        }

        /** Returns the kind. */
        public Kind kind() {
            return kind;
        }

        /** Returns the text of the question, for people. */
        public String title() {
            return title;
        }

        /** Returns the id of the tool call that the question is about, or null. */
        public @Nullable ToolCallId toolCall() {
            return toolCall;
        }

        /** Returns the options of a permission request; empty for an elicitation. */
        public List<PermissionOption> options() {
            return options;
        }

        /** Returns the state. */
        public State state() {
            return state;
        }

        /** Returns the chosen option, or null. */
        public @Nullable PermissionOption choice() {
            return choice;
        }

        @Override
        List<@Nullable Object> says() {
            return Arrays.asList(kind, title, toolCall, options, state, choice);
        }
    }

    /** The end of a turn. */
    public static final class TurnEnd extends Entry {
        private final @Nullable StopReason stopReason;
        private final @Nullable RuntimeException failure;

        private TurnEnd(Place place, Meta meta, @Nullable StopReason stopReason, @Nullable RuntimeException failure) {
            super(place, meta);
            this.stopReason = stopReason;
            this.failure = failure;
        }

        static TurnEnd of(Place place, TurnResult result) {
            return new TurnEnd(place, result.meta(), result.stopReason(), null);
        }

        static TurnEnd of(Place place, RuntimeException failure) {
            return new TurnEnd(place, Meta.EMPTY, null, failure);
        }

        /** Returns why the agent stopped; null when the turn failed. */
        public @Nullable StopReason stopReason() {
            return stopReason;
        }

        /** Returns the exception of {@link Turn#result()}; null when the turn did not fail. */
        public @Nullable RuntimeException failure() {
            return failure;
        }

        @Override
        List<@Nullable Object> says() {
            return Arrays.asList(stopReason, failure);
        }
    }
}
