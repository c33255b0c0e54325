package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;

/** Background work of a session. */
@Codable
@Tagged("type")
@In(2)
@Unstable
public sealed interface BackgroundWork {
    /**
     * A command in a terminal.
     *
     * @param terminalId the terminal
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("terminal")
    record Terminal(TerminalId terminalId, Rest rest) implements BackgroundWork, Extensible {
        @Evolving
        public Terminal {
            Objects.requireNonNull(terminalId, "terminalId is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns an instance with these members. */
        public static Terminal of(TerminalId terminalId) {
            return new Terminal(terminalId, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Terminal withMeta(Meta meta) {
            return new Terminal(terminalId, rest.withMeta(meta));
        }
    }

    /**
     * A tool call.
     *
     * @param toolCallId the call
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("tool_call")
    record ToolCall(ToolCallId toolCallId, Rest rest) implements BackgroundWork, Extensible {
        @Evolving
        public ToolCall {
            Objects.requireNonNull(toolCallId, "toolCallId is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns an instance with these members. */
        public static ToolCall of(ToolCallId toolCallId) {
            return new ToolCall(toolCallId, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public ToolCall withMeta(Meta meta) {
            return new ToolCall(toolCallId, rest.withMeta(meta));
        }
    }

    /**
     * A subagent.
     *
     * @param sessionId its session
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/rfds/subagents">Subagents</a>
     */
    @Codable
    @Tag("subagent")
    @Draft
    @Unstable
    record Subagent(SessionId sessionId, Rest rest) implements BackgroundWork, Extensible {
        @Evolving
        public Subagent {
            Objects.requireNonNull(sessionId, "sessionId is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the work with these members. */
        public static Subagent of(SessionId sessionId) {
            return new Subagent(sessionId, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Subagent withMeta(Meta meta) {
            return new Subagent(sessionId, rest.withMeta(meta));
        }
    }

    /**
     * Work of a type unknown to this version of the library.
     *
     * @param type the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String type, RawJson raw) implements BackgroundWork {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
