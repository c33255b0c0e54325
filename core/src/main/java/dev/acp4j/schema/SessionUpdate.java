package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
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
 * An update of a session: messages, thoughts and actions of the agent, and changes of the session itself. Updates are
 * ordered; most are sent during a turn, some outside of any.
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
                TerminalUpdate,
                TerminalOutputChunk,
                SessionUpdate.Plan,
                SessionUpdate.PlanUpdate,
                SessionUpdate.PlanRemoved,
                SessionUpdate.AvailableCommandsUpdate,
                SessionUpdate.CurrentModeUpdate,
                SessionUpdate.ConfigOptionUpdate,
                SessionUpdate.SessionInfoUpdate,
                UsageUpdate,
                Notice,
                CompactionUpdate,
                CompactionSummaryChunk,
                SubagentUpdate,
                SessionMessage,
                SessionMessageChunk,
                SessionUpdate.Unknown {
    /** A chunk of a message. The chunks of one message follow each other; the receiver concatenates them. */
    sealed interface Chunk extends SessionUpdate, Extensible {
        /** Returns the content of the chunk. */
        ContentBlock content();

        /**
         * Returns the message of the chunk, or null if not given: then it belongs to the previous message, if that is
         * of the same kind.
         */
        @Nullable
        MessageId messageId();
    }

    /**
     * A chunk of a message of the user, sent when a session is loaded.
     *
     * @param content the content of the chunk
     * @param messageId the message of the chunk, or null if not given
     * @param rest extension data and unknown members
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

        /** Returns a chunk of a message with this id, or without id. */
        public static UserMessageChunk of(ContentBlock content, @Nullable MessageId messageId) {
            return new UserMessageChunk(content, messageId, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public UserMessageChunk withMeta(Meta meta) {
            return new UserMessageChunk(content, messageId, rest.withMeta(meta));
        }
    }

    /**
     * A chunk of a message of the agent.
     *
     * @param content the content of the chunk
     * @param messageId the message of the chunk, or null if not given
     * @param rest extension data and unknown members
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

        /** Returns a chunk of a message with this id, or without id. */
        public static AgentMessageChunk of(ContentBlock content, @Nullable MessageId messageId) {
            return new AgentMessageChunk(content, messageId, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public AgentMessageChunk withMeta(Meta meta) {
            return new AgentMessageChunk(content, messageId, rest.withMeta(meta));
        }
    }

    /**
     * A chunk of a thought of the agent.
     *
     * @param content the content of the chunk
     * @param messageId the thought of the chunk, or null if not given
     * @param rest extension data and unknown members
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

        /** Returns a chunk of a thought with this id, or without id. */
        public static AgentThoughtChunk of(ContentBlock content, @Nullable MessageId messageId) {
            return new AgentThoughtChunk(content, messageId, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public AgentThoughtChunk withMeta(Meta meta) {
            return new AgentThoughtChunk(content, messageId, rest.withMeta(meta));
        }
    }

    /**
     * The plan of the agent. Each plan replaces the previous one.
     *
     * @param entries all tasks, in order
     * @param rest extension data and unknown members
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

        /** Returns a copy with other extension data. */
        public Plan withMeta(Meta meta) {
            return new Plan(entries, rest.withMeta(meta));
        }
    }

    /**
     * The commands that a user can enter now.
     *
     * @param availableCommands all commands, replacing the previous ones
     * @param rest extension data and unknown members
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

        /** Returns a copy with other extension data. */
        public AvailableCommandsUpdate withMeta(Meta meta) {
            return new AvailableCommandsUpdate(availableCommands, rest.withMeta(meta));
        }
    }

    /**
     * The mode of the session has changed.
     *
     * @param currentModeId the current mode
     * @param rest extension data and unknown members
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

        /** Returns a copy with other extension data. */
        public CurrentModeUpdate withMeta(Meta meta) {
            return new CurrentModeUpdate(currentModeId, rest.withMeta(meta));
        }
    }

    /**
     * The settings of the session have changed.
     *
     * @param configOptions all settings, replacing the previous ones
     * @param rest extension data and unknown members
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

        /** Returns a copy with other extension data. */
        public ConfigOptionUpdate withMeta(Meta meta) {
            return new ConfigOptionUpdate(configOptions, rest.withMeta(meta));
        }
    }

    /**
     * The entry of this session in the list of sessions has changed.
     *
     * @param title the title to show to users
     * @param updatedAt the time of its last activity, as ISO 8601 text; {@link #updatedInstant()} reads it
     * @param rest extension data and unknown members
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

        /** Returns a builder of an update without changes. */
        public static SessionUpdateSessionInfoUpdateBuilder builder() {
            return new SessionUpdateSessionInfoUpdateBuilder();
        }

        /** Returns the new time, or empty if it is kept, cleared or malformed. */
        public Optional<Instant> updatedInstant() {
            return Timestamps.parse(updatedAt.applyTo(null));
        }

        /** Returns a builder initialized from this record. */
        public SessionUpdateSessionInfoUpdateBuilder toBuilder() {
            return new SessionUpdateSessionInfoUpdateBuilder(this);
        }
    }

    /** A whole message, which creates or replaces it. Version 2 has these in addition to chunks. */
    @In(2)
    @Unstable
    sealed interface Message extends SessionUpdate, Extensible {
        /** Returns the message. */
        MessageId messageId();

        /** Returns the change of the whole content of the message. */
        Change<List<ContentBlock>> content();
    }

    /**
     * A message of the user.
     *
     * @param messageId the message
     * @param content the whole content of the message
     * @param rest extension data and unknown members
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

        /** Returns a builder with the required members. */
        public static SessionUpdateUserMessageBuilder builder(MessageId messageId) {
            return new SessionUpdateUserMessageBuilder(messageId);
        }

        /** Returns a builder initialized from this record. */
        public SessionUpdateUserMessageBuilder toBuilder() {
            return new SessionUpdateUserMessageBuilder(this);
        }
    }

    /**
     * A message of the agent.
     *
     * @param messageId the message
     * @param content the whole content of the message
     * @param rest extension data and unknown members
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

        /** Returns a builder with the required members. */
        public static SessionUpdateAgentMessageBuilder builder(MessageId messageId) {
            return new SessionUpdateAgentMessageBuilder(messageId);
        }

        /** Returns a builder initialized from this record. */
        public SessionUpdateAgentMessageBuilder toBuilder() {
            return new SessionUpdateAgentMessageBuilder(this);
        }
    }

    /**
     * A thought of the agent.
     *
     * @param messageId the message
     * @param content the whole content of the message
     * @param rest extension data and unknown members
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

        /** Returns a builder with the required members. */
        public static SessionUpdateAgentThoughtBuilder builder(MessageId messageId) {
            return new SessionUpdateAgentThoughtBuilder(messageId);
        }

        /** Returns a builder initialized from this record. */
        public SessionUpdateAgentThoughtBuilder toBuilder() {
            return new SessionUpdateAgentThoughtBuilder(this);
        }
    }

    /**
     * A chunk of the content of a tool call.
     *
     * @param toolCallId the call
     * @param content the appended content
     * @param rest extension data and unknown members
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

        /** Returns an instance with these members. */
        public static ToolCallContentChunk of(ToolCallId toolCallId, ToolCallContent content) {
            return new ToolCallContentChunk(toolCallId, content, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public ToolCallContentChunk withMeta(Meta meta) {
            return new ToolCallContentChunk(toolCallId, content, rest.withMeta(meta));
        }
    }

    /**
     * A plan, replacing its previous content. In version 1 a draft, only for clients with
     * {@link ClientCapabilities#plan()}.
     *
     * @param plan the plan
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("plan_update")
    @Draft(1)
    @Unstable
    record PlanUpdate(PlanUpdateContent plan, Rest rest) implements SessionUpdate, Extensible {
        @Evolving
        public PlanUpdate {
            Objects.requireNonNull(plan, "plan is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns an instance with these members. */
        public static PlanUpdate of(PlanUpdateContent plan) {
            return new PlanUpdate(plan, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public PlanUpdate withMeta(Meta meta) {
            return new PlanUpdate(plan, rest.withMeta(meta));
        }
    }

    /**
     * A plan is no longer pursued.
     *
     * @param planId the plan
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/rfds/plan-operations">Plan operations</a>
     */
    @Codable
    @Tag("plan_removed")
    @Draft
    @Unstable
    record PlanRemoved(PlanId planId, Rest rest) implements SessionUpdate, Extensible {
        @Evolving
        public PlanRemoved {
            Objects.requireNonNull(planId, "planId is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the update with these members. */
        public static PlanRemoved of(PlanId planId) {
            return new PlanRemoved(planId, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public PlanRemoved withMeta(Meta meta) {
            return new PlanRemoved(planId, rest.withMeta(meta));
        }
    }

    /**
     * An update of a type unknown to this version of the library.
     *
     * @param sessionUpdate the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String sessionUpdate, RawJson raw) implements SessionUpdate {
        public Unknown {
            Objects.requireNonNull(sessionUpdate, "sessionUpdate is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
