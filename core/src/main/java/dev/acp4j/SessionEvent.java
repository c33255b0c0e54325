package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.UsageUpdate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in a session. Each event also changed the session's {@link SessionView}.
 *
 * <p>The kinds are those of every version of the protocol that this library speaks, and there will be more: give a
 * switch over them a default branch.
 */
public sealed interface SessionEvent {
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
     */
    record Message(ContentBlock content, @Nullable MessageId messageId, boolean isFirst) implements Chunk {}

    /**
     * A piece of what the agent thinks.
     *
     * @param content the piece
     * @param messageId the message, or null
     * @param isFirst whether it begins the message
     */
    record Thought(ContentBlock content, @Nullable MessageId messageId, boolean isFirst) implements Chunk {}

    /**
     * A piece of what the user said, as the agent replays or confirms it.
     *
     * @param content the piece
     * @param messageId the message, or null
     * @param isFirst whether it begins the message
     */
    record UserMessage(ContentBlock content, @Nullable MessageId messageId, boolean isFirst) implements Chunk {}

    /**
     * A tool call began or changed.
     *
     * @param call all that is known of it now
     * @param before what was known of it before; null when it is new
     */
    record ToolCallChanged(ToolCallView call, @Nullable ToolCallView before) implements SessionEvent {
        /** Returns true when the tool call was not known before. */
        public boolean isNew() {
            return before == null;
        }
    }

    /**
     * There is a new plan, or a plan changed.
     *
     * @param plan the plan now
     */
    record PlanChanged(PlanView plan) implements SessionEvent {}

    /**
     * The commands that the user may call changed.
     *
     * @param commands all of them
     */
    record CommandsChanged(List<AvailableCommand> commands) implements SessionEvent {}

    /**
     * The session's mode changed.
     *
     * @param mode the current mode
     */
    record ModeChanged(SessionModeId mode) implements SessionEvent {}

    /**
     * The session's config options changed.
     *
     * @param options all of them
     */
    record ConfigChanged(List<SessionConfigOption> options) implements SessionEvent {}

    /**
     * The session's title or time of last activity changed.
     *
     * @param title the title now, or null when there is none
     * @param updatedAt the time now, in ISO 8601, or null when it is not known
     */
    record InfoChanged(@Nullable String title, @Nullable String updatedAt) implements SessionEvent {}

    /**
     * The agent tells how full its context is and what was spent.
     *
     * @param usage what it tells
     */
    record UsageChanged(UsageUpdate usage) implements SessionEvent {}

    /**
     * The agent has something for the user to notice that is not part of the conversation.
     *
     * @param notice the notice
     */
    record Noticed(Notice notice) implements SessionEvent {}

    /**
     * A compaction of the agent's context began or went on.
     *
     * @param compaction all that is known of it now
     * @param before what was known of it before; null when it is new
     */
    record CompactionChanged(
            CompactionView compaction, @Nullable CompactionView before) implements SessionEvent {}

    /**
     * Events of a turn were discarded before anybody read them: more than may be kept unread.
     *
     * @param count how many
     */
    record Missed(long count) implements SessionEvent {}

    /**
     * Something that this version of the library does not know.
     *
     * @param kind its name on the wire
     * @param update the update as it came
     */
    record Other(String kind, RawJson update) implements SessionEvent {}
}
