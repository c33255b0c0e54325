package dev.acp4j;

import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.UsageUpdate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that happened in a session. Each event also changed the session's {@link SessionView}. */
public sealed interface SessionEvent {
    /** A piece of a message: of the agent, of its thoughts, or of the user. */
    sealed interface Chunk extends SessionEvent {
        /** Returns the piece. */
        ContentBlock content();

        /** Returns the id of the message that the piece belongs to, or null when the agent gives none. */
        @Nullable
        MessageId messageId();

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
     */
    record Message(ContentBlock content, @Nullable MessageId messageId) implements Chunk {}

    /**
     * A piece of what the agent thinks.
     *
     * @param content the piece
     * @param messageId the message, or null
     */
    record Thought(ContentBlock content, @Nullable MessageId messageId) implements Chunk {}

    /**
     * A piece of what the user said, as the agent replays or confirms it.
     *
     * @param content the piece
     * @param messageId the message, or null
     */
    record UserMessage(ContentBlock content, @Nullable MessageId messageId) implements Chunk {}

    /**
     * A tool call began or changed.
     *
     * @param call all that is known of it now
     * @param change what changed; null when the agent announced the whole tool call
     * @param isNew whether it was not known before
     */
    record ToolCallChanged(ToolCallView call, @Nullable ToolCallUpdate change, boolean isNew) implements SessionEvent {}

    /**
     * There is a new plan.
     *
     * @param entries the whole plan
     */
    record PlanChanged(List<PlanEntry> entries) implements SessionEvent {}

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
     * @param update the update as it came: a {@link dev.acp4j.schema.CompactionUpdate} or a
     *     {@link dev.acp4j.schema.CompactionSummaryChunk}
     */
    record CompactionChanged(SessionUpdate update) implements SessionEvent {}

    /**
     * Something that this version of the library does not know.
     *
     * @param update the update as it came
     */
    record Other(SessionUpdate.Unknown update) implements SessionEvent {}
}
