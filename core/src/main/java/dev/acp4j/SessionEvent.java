package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.UsageUpdate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in a session. Each event also changed the session's {@link SessionView}.
 *
 * <p>The kinds are those of every version of the protocol that this library speaks, and there will be more: give a
 * switch over them a default branch.
 */
public sealed interface SessionEvent {
    /** Returns where the event came from. */
    Origin origin();

    /** Returns the extension data of the update, empty when there is none. */
    default Meta meta() {
        return origin().meta();
    }

    /**
     * Returns the message that the event came in, with all members that this library does not know. Empty for an event
     * that was made here.
     */
    default Optional<dev.acp4j.rpc.Message> raw() {
        return Optional.ofNullable(origin().message);
    }

    /** A piece of a message: of the agent, of its thoughts, or of the user. */
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
     * @param messageId the message, or null
     * @param isFirst whether it begins the message
     * @param origin where the event came from
     */
    record Message(ContentBlock content, @Nullable MessageId messageId, boolean isFirst, Origin origin)
            implements Chunk {}

    /**
     * A piece of what the agent thinks.
     *
     * @param content the piece
     * @param messageId the message, or null
     * @param isFirst whether it begins the message
     * @param origin where the event came from
     */
    record Thought(ContentBlock content, @Nullable MessageId messageId, boolean isFirst, Origin origin)
            implements Chunk {}

    /**
     * A piece of what the user said, as the agent replays or confirms it.
     *
     * @param content the piece
     * @param messageId the message, or null
     * @param isFirst whether it begins the message
     * @param origin where the event came from
     */
    record UserMessage(ContentBlock content, @Nullable MessageId messageId, boolean isFirst, Origin origin)
            implements Chunk {}

    /**
     * A whole message came, or other content in the place of what a message said before. Version 2 has these beside
     * pieces.
     *
     * @param message the message now
     * @param before the message before; null when it is new, or when the client does not keep messages
     * @param origin where the event came from
     */
    record MessageChanged(MessageView message, @Nullable MessageView before, Origin origin) implements SessionEvent {}

    /**
     * The agent begins or ends to work, or waits for the user. Version 2 says so; in version 1 the end of a
     * {@link Turn} is all that is known.
     *
     * @param state what it does now
     * @param origin where the event came from
     */
    record StateChanged(State state, Origin origin) implements SessionEvent {
        /** What an agent does in a session. */
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
     * @param call all that is known of it now
     * @param before what was known of it before; null when it is new
     * @param origin where the event came from
     */
    record ToolCallChanged(ToolCallView call, @Nullable ToolCallView before, Origin origin) implements SessionEvent {
        /** Returns true when the tool call was not known before. */
        public boolean isNew() {
            return before == null;
        }
    }

    /**
     * There is a new plan, or a plan changed.
     *
     * @param plan the plan now
     * @param origin where the event came from
     */
    record PlanChanged(PlanView plan, Origin origin) implements SessionEvent {}

    /**
     * The commands that the user may call changed.
     *
     * @param commands all of them
     * @param origin where the event came from
     */
    record CommandsChanged(List<AvailableCommand> commands, Origin origin) implements SessionEvent {}

    /**
     * The session's config options changed, its mode among them.
     *
     * @param options all of them
     * @param before all of them before
     * @param origin where the event came from
     */
    record ConfigChanged(List<SessionConfigOption> options, List<SessionConfigOption> before, Origin origin)
            implements SessionEvent {}

    /**
     * The session's title or time of last activity changed.
     *
     * @param title the title now, or null when there is none
     * @param updatedAt the time now, in ISO 8601, or null when it is not known
     * @param origin where the event came from
     */
    record InfoChanged(@Nullable String title, @Nullable String updatedAt, Origin origin) implements SessionEvent {}

    /**
     * The agent tells how full its context is and what was spent.
     *
     * @param usage what it tells
     * @param origin where the event came from
     */
    record UsageChanged(UsageUpdate usage, Origin origin) implements SessionEvent {}

    /**
     * The agent has something for the user to notice that is not part of the conversation.
     *
     * @param notice the notice
     * @param origin where the event came from
     */
    record Noticed(Notice notice, Origin origin) implements SessionEvent {}

    /**
     * A compaction of the agent's context began or went on.
     *
     * @param compaction all that is known of it now
     * @param before what was known of it before; null when it is new
     * @param origin where the event came from
     */
    record CompactionChanged(
            CompactionView compaction, @Nullable CompactionView before, Origin origin) implements SessionEvent {}

    /**
     * Events of a turn were discarded before anybody read them: more than may be kept unread.
     *
     * @param count how many
     * @param origin where the event came from
     */
    record Missed(long count, Origin origin) implements SessionEvent {}

    /**
     * Something that this version of the library does not know.
     *
     * @param kind its name on the wire
     * @param update the update as it came
     * @param origin where the event came from
     */
    record Other(String kind, RawJson update, Origin origin) implements SessionEvent {}

    /** Where an event came from: the message it came in, and the extension data there. */
    final class Origin {
        /** The origin of what no message of the agent brought. */
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
         * Returns the extension data of the message itself, which stand beside the update: in its {@code params}, or in
         * the result of a request. Empty when there are none.
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
