package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The subject of a permission request. */
@Codable
@Tagged("type")
@In(2)
@Unstable
public sealed interface RequestPermissionSubject {
    /**
     * A tool call.
     *
     * @param toolCall the call
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("tool_call")
    record ToolCall(ToolCallUpdate toolCall, Rest rest) implements RequestPermissionSubject, Extensible {
        @Evolving
        public ToolCall {
            Objects.requireNonNull(toolCall, "toolCall is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns an instance with these members. */
        public static ToolCall of(ToolCallUpdate toolCall) {
            return new ToolCall(toolCall, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public ToolCall withMeta(Meta meta) {
            return new ToolCall(toolCall, rest.withMeta(meta));
        }
    }

    /**
     * A command.
     *
     * @param command the command to run
     * @param cwd its working directory, an absolute path
     * @param toolCallId the tool call it belongs to, or null if not given
     * @param terminalId the terminal to run it in, or null if not given
     * @param rest extension data and unknown members
     */
    @Codable
    @Tag("command")
    record Command(
            String command,
            String cwd,
            @DefaultOnError @Nullable ToolCallId toolCallId,
            @DefaultOnError @Nullable TerminalId terminalId,
            Rest rest)
            implements RequestPermissionSubject, Extensible {
        @Evolving
        public Command {
            Objects.requireNonNull(command, "command is null");
            Objects.requireNonNull(cwd, "cwd is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static RequestPermissionSubjectCommandBuilder builder(String command, String cwd) {
            return new RequestPermissionSubjectCommandBuilder(command, cwd);
        }

        /** Returns a builder initialized from this record. */
        public RequestPermissionSubjectCommandBuilder toBuilder() {
            return new RequestPermissionSubjectCommandBuilder(this);
        }
    }

    /**
     * A subject of a type unknown to this version of the library.
     *
     * @param type the unknown value of this member
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String type, RawJson raw) implements RequestPermissionSubject {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
