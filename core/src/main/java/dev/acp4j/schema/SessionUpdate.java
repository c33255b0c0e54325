package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Required;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something new about a session: what the agent says, thinks and does, and what has changed about the session itself.
 * Updates come in order, most of them during a turn, some outside of any.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output">Agent reports
 *     output</a>
 */
@Codable
@Tagged("sessionUpdate")
public sealed interface SessionUpdate
        permits SessionUpdate.Chunk,
                ToolCall,
                ToolCallUpdate,
                SessionUpdate.Message,
                StateUpdate,
                SessionUpdate.ToolCallContentChunk,
                SessionUpdate.Plan,
                SessionUpdate.PlanUpdate,
                SessionUpdate.AvailableCommandsUpdate,
                SessionUpdate.CurrentModeUpdate,
                SessionUpdate.ConfigOptionUpdate,
                SessionUpdate.SessionInfoUpdate,
                UsageUpdate,
                Notice,
                CompactionUpdate,
                CompactionSummaryChunk,
                SessionUpdate.Unknown {
    /** A part of a message. Parts of one message follow each other and are put together by the receiver. */
    sealed interface Chunk extends SessionUpdate, Extensible {
        /** Returns the content this adds to the message. */
        ContentBlock content();

        /**
         * Returns the message this belongs to, or null when it does not say: then to the one before, if it is alike.
         */
        @Nullable
        MessageId messageId();
    }

    /**
     * A part of what the user has said, sent when a session is loaded.
     *
     * @param content the content this adds to the message
     * @param messageId the message this belongs to, or null when it does not say
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("user_message_chunk")
    record UserMessageChunk(
            ContentBlock content,
            @DefaultOnError(1) @Required(2) @Nullable MessageId messageId,
            Rest rest) implements Chunk {
        @Evolving
        public UserMessageChunk {
            Objects.requireNonNull(content, "content is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a part of a message that has this id, or none. */
        public static UserMessageChunk of(ContentBlock content, @Nullable MessageId messageId) {
            return new UserMessageChunk(content, messageId, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public UserMessageChunk withMeta(Meta meta) {
            return new UserMessageChunk(content, messageId, rest.withMeta(meta));
        }
    }

    /**
     * A part of what the agent says.
     *
     * @param content the content this adds to the message
     * @param messageId the message this belongs to, or null when it does not say
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("agent_message_chunk")
    record AgentMessageChunk(
            ContentBlock content,
            @DefaultOnError(1) @Required(2) @Nullable MessageId messageId,
            Rest rest) implements Chunk {
        @Evolving
        public AgentMessageChunk {
            Objects.requireNonNull(content, "content is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a part of a message that has this id, or none. */
        public static AgentMessageChunk of(ContentBlock content, @Nullable MessageId messageId) {
            return new AgentMessageChunk(content, messageId, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public AgentMessageChunk withMeta(Meta meta) {
            return new AgentMessageChunk(content, messageId, rest.withMeta(meta));
        }
    }

    /**
     * A part of what the agent thinks on its way to an answer.
     *
     * @param content the content this adds to the thought
     * @param messageId the thought this belongs to, or null when it does not say
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("agent_thought_chunk")
    record AgentThoughtChunk(
            ContentBlock content,
            @DefaultOnError(1) @Required(2) @Nullable MessageId messageId,
            Rest rest) implements Chunk {
        @Evolving
        public AgentThoughtChunk {
            Objects.requireNonNull(content, "content is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a part of a thought that has this id, or none. */
        public static AgentThoughtChunk of(ContentBlock content, @Nullable MessageId messageId) {
            return new AgentThoughtChunk(content, messageId, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public AgentThoughtChunk withMeta(Meta meta) {
            return new AgentThoughtChunk(content, messageId, rest.withMeta(meta));
        }
    }

    /**
     * What the agent intends to do. Each plan takes the place of the one before.
     *
     * @param entries all tasks, in order
     * @param rest extension data, and members that are not known here
     * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan">Agent plan</a>
     */
    @Codable
    @Tag("plan")
    @In(1)
    record Plan(@DefaultOnError @SkipInvalidItems List<PlanEntry> entries, Rest rest)
            implements SessionUpdate, Extensible {
        @Evolving
        public Plan {
            entries = List.copyOf(entries);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the plan with these members. */
        public static Plan of(List<PlanEntry> entries) {
            return new Plan(entries, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public Plan withMeta(Meta meta) {
            return new Plan(entries, rest.withMeta(meta));
        }
    }

    /**
     * The commands a user can give by now.
     *
     * @param availableCommands all commands, in place of those before
     * @param rest extension data, and members that are not known here
     * @see <a href="https://agentclientprotocol.com/protocol/v1/slash-commands#advertising-commands">Advertising
     *     commands</a>
     */
    @Codable
    @Tag("available_commands_update")
    record AvailableCommandsUpdate(
            @DefaultOnError(1) @SkipInvalidItems List<AvailableCommand> availableCommands, Rest rest)
            implements SessionUpdate, Extensible {
        @Evolving
        public AvailableCommandsUpdate {
            availableCommands = List.copyOf(availableCommands);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the update to these commands. */
        public static AvailableCommandsUpdate of(List<AvailableCommand> availableCommands) {
            return new AvailableCommandsUpdate(availableCommands, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public AvailableCommandsUpdate withMeta(Meta meta) {
            return new AvailableCommandsUpdate(availableCommands, rest.withMeta(meta));
        }
    }

    /**
     * The session is in another mode now.
     *
     * @param currentModeId the mode it is in
     * @param rest extension data, and members that are not known here
     * @see <a href="https://agentclientprotocol.com/protocol/v1/session-modes#from-the-agent">Session modes</a>
     */
    @Codable
    @Tag("current_mode_update")
    @In(1)
    record CurrentModeUpdate(SessionModeId currentModeId, Rest rest) implements SessionUpdate, Extensible {
        @Evolving
        public CurrentModeUpdate {
            Objects.requireNonNull(currentModeId, "currentModeId is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the update to this mode. */
        public static CurrentModeUpdate of(SessionModeId currentModeId) {
            return new CurrentModeUpdate(currentModeId, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public CurrentModeUpdate withMeta(Meta meta) {
            return new CurrentModeUpdate(currentModeId, rest.withMeta(meta));
        }
    }

    /**
     * The settings of the session have changed.
     *
     * @param configOptions all settings, in place of those before
     * @param rest extension data, and members that are not known here
     * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#from-the-agent">Session config
     *     options</a>
     */
    @Codable
    @Tag("config_option_update")
    record ConfigOptionUpdate(
            @DefaultOnError(1) @SkipInvalidItems List<SessionConfigOption> configOptions, Rest rest)
            implements SessionUpdate, Extensible {
        @Evolving
        public ConfigOptionUpdate {
            configOptions = List.copyOf(configOptions);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the update to these settings. */
        public static ConfigOptionUpdate of(List<SessionConfigOption> configOptions) {
            return new ConfigOptionUpdate(configOptions, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public ConfigOptionUpdate withMeta(Meta meta) {
            return new ConfigOptionUpdate(configOptions, rest.withMeta(meta));
        }
    }

    /**
     * What the list of sessions says of this one has changed.
     *
     * @param title what to call the session in front of a user
     * @param updatedAt when something last happened in it, as ISO 8601 text; {@link #updatedInstant()} reads it
     * @param rest extension data, and members that are not known here
     * @see <a href="https://agentclientprotocol.com/protocol/v1/session-list#updating-session-metadata">Updating
     *     session metadata</a>
     */
    @Codable
    @Tag("session_info_update")
    record SessionInfoUpdate(
            @DefaultOnError Change<String> title,
            @DefaultOnError Change<String> updatedAt,
            Rest rest) implements SessionUpdate, Extensible {
        @Evolving
        public SessionInfoUpdate {
            Objects.requireNonNull(title, "title is null");
            Objects.requireNonNull(updatedAt, "updatedAt is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts an update that changes nothing. */
        public static SessionUpdateSessionInfoUpdateBuilder builder() {
            return new SessionUpdateSessionInfoUpdateBuilder();
        }

        /** Returns the new time, or nothing when that stays, is cleared or is not readable. */
        public Optional<Instant> updatedInstant() {
            return Timestamps.parse(updatedAt.applyTo(null));
        }

        /** Returns a builder that starts from this. */
        public SessionUpdateSessionInfoUpdateBuilder toBuilder() {
            return new SessionUpdateSessionInfoUpdateBuilder(this);
        }
    }

    /** A whole message, or a change of one, in the place of what it said before. Version 2 has these beside chunks. */
    @In(2)
    @Unstable
    sealed interface Message extends SessionUpdate, Extensible {
        /** Returns the message. */
        MessageId messageId();

        /** Returns all that the message says now; kept, it says what it said before. */
        Change<List<ContentBlock>> content();
    }

    /**
     * What the user has said.
     *
     * @param messageId the message
     * @param content all that the message says now
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("user_message")
    @In(2)
    @Unstable
    record UserMessage(
            MessageId messageId,
            @DefaultOnError @SkipInvalidItems Change<List<ContentBlock>> content,
            Rest rest) implements Message {
        @Evolving
        public UserMessage {
            Objects.requireNonNull(messageId, "messageId is null");
            content = Copies.of(content);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts one with the members it must have. */
        public static SessionUpdateUserMessageBuilder builder(MessageId messageId) {
            return new SessionUpdateUserMessageBuilder(messageId);
        }

        /** Returns a builder that starts from this. */
        public SessionUpdateUserMessageBuilder toBuilder() {
            return new SessionUpdateUserMessageBuilder(this);
        }
    }

    /**
     * What the agent says.
     *
     * @param messageId the message
     * @param content all that the message says now
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("agent_message")
    @In(2)
    @Unstable
    record AgentMessage(
            MessageId messageId,
            @DefaultOnError @SkipInvalidItems Change<List<ContentBlock>> content,
            Rest rest) implements Message {
        @Evolving
        public AgentMessage {
            Objects.requireNonNull(messageId, "messageId is null");
            content = Copies.of(content);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts one with the members it must have. */
        public static SessionUpdateAgentMessageBuilder builder(MessageId messageId) {
            return new SessionUpdateAgentMessageBuilder(messageId);
        }

        /** Returns a builder that starts from this. */
        public SessionUpdateAgentMessageBuilder toBuilder() {
            return new SessionUpdateAgentMessageBuilder(this);
        }
    }

    /**
     * What the agent thinks.
     *
     * @param messageId the message
     * @param content all that the message says now
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("agent_thought")
    @In(2)
    @Unstable
    record AgentThought(
            MessageId messageId,
            @DefaultOnError @SkipInvalidItems Change<List<ContentBlock>> content,
            Rest rest) implements Message {
        @Evolving
        public AgentThought {
            Objects.requireNonNull(messageId, "messageId is null");
            content = Copies.of(content);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts one with the members it must have. */
        public static SessionUpdateAgentThoughtBuilder builder(MessageId messageId) {
            return new SessionUpdateAgentThoughtBuilder(messageId);
        }

        /** Returns a builder that starts from this. */
        public SessionUpdateAgentThoughtBuilder toBuilder() {
            return new SessionUpdateAgentThoughtBuilder(this);
        }
    }

    /**
     * A part more of what a tool call has to show.
     *
     * @param toolCallId the call
     * @param content the part, which comes behind those before
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("tool_call_content_chunk")
    @In(2)
    @Unstable
    record ToolCallContentChunk(ToolCallId toolCallId, ToolCallContent content, Rest rest)
            implements SessionUpdate, Extensible {
        @Evolving
        public ToolCallContentChunk {
            Objects.requireNonNull(toolCallId, "toolCallId is null");
            Objects.requireNonNull(content, "content is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns one with these members. */
        public static ToolCallContentChunk of(ToolCallId toolCallId, ToolCallContent content) {
            return new ToolCallContentChunk(toolCallId, content, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public ToolCallContentChunk withMeta(Meta meta) {
            return new ToolCallContentChunk(toolCallId, content, rest.withMeta(meta));
        }
    }

    /**
     * A plan, in the place of what it was before.
     *
     * @param plan the plan
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("plan_update")
    @In(2)
    @Unstable
    record PlanUpdate(PlanUpdateContent plan, Rest rest) implements SessionUpdate, Extensible {
        @Evolving
        public PlanUpdate {
            Objects.requireNonNull(plan, "plan is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns one with these members. */
        public static PlanUpdate of(PlanUpdateContent plan) {
            return new PlanUpdate(plan, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public PlanUpdate withMeta(Meta meta) {
            return new PlanUpdate(plan, rest.withMeta(meta));
        }
    }

    /**
     * An update of a sort that this version of the library does not know.
     *
     * @param sessionUpdate what it calls itself
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String sessionUpdate, RawJson raw) implements SessionUpdate {
        public Unknown {
            Objects.requireNonNull(sessionUpdate, "sessionUpdate is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
