package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.UsageUpdate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A change in a session, which the {@link SessionView} already includes.
 *
 * <p>More kinds may be added: a switch over events needs a default branch.
 */
public sealed interface SessionEvent {
    /** Returns the message that the event came in, and its extension data. */
    Origin origin();

    /** Returns the extension data of the update, empty when there is none. */
    default Meta meta() {
        return origin().meta();
    }

    /**
     * Returns the message that the event came in, including members that this library does not know. Empty for an event
     * that no message caused.
     */
    default Optional<dev.acp4j.rpc.Message> raw() {
        return Optional.ofNullable(origin().message);
    }

    /** A piece of a message of the agent, of its thoughts, or of the user's message. */
    sealed interface Chunk extends SessionEvent {
        /** Returns the piece. */
        ContentBlock content();

        /** Returns the id of the message that the piece belongs to, or null when the agent gives none. */
        @Nullable
        MessageId messageId();

        /** Returns true when the piece begins a message, false when it continues one. */
        boolean isFirst();

        /** Returns the text of the piece; empty when it is not text. */
        default String text() {
            return content() instanceof ContentBlock.Text text ? text.text() : "";
        }
    }

    /**
     * A piece of the agent's message.
     *
     * @param content the piece
     * @param messageId the id of the message, or null
     * @param isFirst whether it begins the message
     * @param origin the message that the event came in
     */
    record Message(ContentBlock content, @Nullable MessageId messageId, boolean isFirst, Origin origin)
            implements Chunk {}

    /**
     * A piece of the agent's thoughts.
     *
     * @param content the piece
     * @param messageId the id of the message, or null
     * @param isFirst whether it begins the message
     * @param origin the message that the event came in
     */
    record Thought(ContentBlock content, @Nullable MessageId messageId, boolean isFirst, Origin origin)
            implements Chunk {}

    /**
     * A piece of the user's message, as the agent replays or repeats it.
     *
     * @param content the piece
     * @param messageId the id of the message, or null
     * @param isFirst whether it begins the message
     * @param origin the message that the event came in
     */
    record UserMessage(ContentBlock content, @Nullable MessageId messageId, boolean isFirst, Origin origin)
            implements Chunk {}

    /**
     * A complete message arrived, or the content of a message was replaced. Only in version 2 of the protocol.
     *
     * @param message the message now
     * @param before the message before; null when it is new, or when the client does not keep messages
     * @param origin the message that the event came in
     */
    record MessageChanged(Entry.Message message, Entry.@Nullable Message before, Origin origin)
            implements SessionEvent {}

    /**
     * The agent begins or ends its work, or waits for the user. Only in version 2 of the protocol; in version 1, the
     * end of a {@link Turn} is known instead.
     *
     * @param state the state now
     * @param origin the message that the event came in
     */
    record StateChanged(State state, Origin origin) implements SessionEvent {
        /** The state of an agent in a session. */
        public enum State {
            /** It waits for a prompt. */
            IDLE,
            /** It works. */
            RUNNING,
            /** It waits for the user. */
            REQUIRES_ACTION
        }
    }

    /**
     * A tool call began or changed.
     *
     * @param call the tool call now, with all updates merged
     * @param before the tool call before; null when it is new
     * @param origin the message that the event came in
     */
    record ToolCallChanged(Entry.ToolCall call, Entry.@Nullable ToolCall before, Origin origin)
            implements SessionEvent {
        /** Returns true when the tool call is new. */
        public boolean isNew() {
            return before == null;
        }
    }

    /**
     * A terminal in which the agent runs a command by itself began, printed or ended.
     *
     * @param terminal the terminal now
     * @param output what it printed since the event before; empty when nothing
     * @param origin the message that the event came in
     */
    record TerminalChanged(Entry.Terminal terminal, String output, Origin origin) implements SessionEvent {}

    /**
     * There is a new plan, or a plan changed.
     *
     * @param plan the plan now
     * @param origin the message that the event came in
     */
    record PlanChanged(Entry.Plan plan, Origin origin) implements SessionEvent {}

    /**
     * A plan was removed.
     *
     * @param plan the plan before
     * @param origin the message that the event came in
     */
    @Unstable
    record PlanRemoved(Entry.Plan plan, Origin origin) implements SessionEvent {}

    /**
     * A subagent was announced, or something about it changed. What it says are events of its own session, one of
     * {@link Session#subagents()}.
     *
     * @param subagent the subagent now
     * @param before the subagent before; null when it is new
     * @param origin the message that the event came in
     */
    @Unstable
    record SubagentChanged(Entry.Subagent subagent, Entry.@Nullable Subagent before, Origin origin)
            implements SessionEvent {}

    /**
     * A message from one session to another began, grew or changed.
     *
     * @param message the message now
     * @param before the message before; null when it is new
     * @param origin the message that the event came in
     */
    @Unstable
    record SessionMessageChanged(Entry.SessionMessage message, Entry.@Nullable SessionMessage before, Origin origin)
            implements SessionEvent {}

    /**
     * The commands that the user may call changed.
     *
     * @param commands all of them
     * @param origin the message that the event came in
     */
    record CommandsChanged(List<AvailableCommand> commands, Origin origin) implements SessionEvent {}

    /**
     * The session's config options changed, its mode among them.
     *
     * @param options all of them
     * @param before all of them before
     * @param origin the message that the event came in
     */
    record ConfigChanged(List<SessionConfigOption> options, List<SessionConfigOption> before, Origin origin)
            implements SessionEvent {}

    /**
     * The session's title, time of last activity or extension data changed. {@link Origin#meta()} is what came of the
     * last: empty when it is kept, {@link Meta#NULL} when it is cleared, else the new one.
     *
     * @param title the title now, or null when there is none
     * @param updatedAt the time now, in ISO 8601, or null when it is not known
     * @param origin the message that the event came in
     */
    record InfoChanged(@Nullable String title, @Nullable String updatedAt, Origin origin) implements SessionEvent {}

    /**
     * The agent reports the size of its context and the cost.
     *
     * @param usage the report
     * @param origin the message that the event came in
     */
    record UsageChanged(UsageUpdate usage, Origin origin) implements SessionEvent {}

    /**
     * The agent sends a notice that is not part of the conversation.
     *
     * @param notice the notice
     * @param origin the message that the event came in
     */
    record Noticed(Notice notice, Origin origin) implements SessionEvent {}

    /**
     * A compaction of the agent's context began or changed.
     *
     * @param compaction the compaction now, with all updates merged
     * @param before the compaction before; null when it is new
     * @param origin the message that the event came in
     */
    record CompactionChanged(Entry.Compaction compaction, Entry.@Nullable Compaction before, Origin origin)
            implements SessionEvent {}

    /**
     * Events of a turn were discarded because more were unread than are kept; see {@link Turn}.
     *
     * @param count the number of discarded events
     * @param origin the message that the event came in
     */
    record Missed(long count, Origin origin) implements SessionEvent {}

    /**
     * An update that this version of the library does not know.
     *
     * @param kind its name on the wire
     * @param update the update, unchanged
     * @param origin the message that the event came in
     */
    record Other(String kind, RawJson update, Origin origin) implements SessionEvent {}

    /** The message that an event came in, and its extension data. */
    final class Origin {
        /** The origin of an event that no message of the agent caused. */
        public static final Origin HERE = new Origin(Meta.EMPTY, Meta.EMPTY, null);

        private final Meta meta;
        private final Meta messageMeta;
        private final dev.acp4j.rpc.@Nullable Message message;

        /** @param message the message; null when it is not known */
        Origin(Meta meta, Meta messageMeta, dev.acp4j.rpc.@Nullable Message message) {
            this.meta = meta;
            this.messageMeta = messageMeta;
            this.message = message;
        }

        /** Returns the extension data of the update, empty when there is none. */
        public Meta meta() {
            return meta;
        }

        /**
         * Returns the extension data beside the update: in the {@code params} of the message, or in the result of a
         * request. Empty when there is none.
         */
        public Meta messageMeta() {
            return messageMeta;
        }

        dev.acp4j.rpc.@Nullable Message message() {
            return message;
        }

        /** Returns how many bytes the message has that is kept here. */
        int bytes() {
            return message == null ? 0 : message.length();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Origin origin
                    && meta.equals(origin.meta)
                    && messageMeta.equals(origin.messageMeta)
                    && Objects.equals(message, origin.message);
        }

        @Override
        public int hashCode() {
            return Objects.hash(meta, messageMeta, message);
        }

        /** Returns the names of the parts that are there. Their contents may be secrets. */
        @Override
        public String toString() {
            return message == null ? "here" : message.length() + " bytes";
        }
    }
}
