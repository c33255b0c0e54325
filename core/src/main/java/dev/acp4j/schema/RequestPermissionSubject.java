package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a permission is asked for. */
@Codable
@Tagged("type")
@In(2)
@Unstable
public sealed interface RequestPermissionSubject {
    /**
     * A tool call.
     *
     * @param toolCall the call
     * @param rest extension data, and members that are not known here
     */
    @Codable
    @Tag("tool_call")
    record ToolCall(ToolCallUpdate toolCall, Rest rest) implements RequestPermissionSubject, Extensible {
        @Evolving
        public ToolCall {
            Objects.requireNonNull(toolCall, "toolCall is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns one with these members. */
        public static ToolCall of(ToolCallUpdate toolCall) {
            return new ToolCall(toolCall, Rest.NONE);
        }

        /** Returns the same with other extension data. */
        public ToolCall withMeta(Meta meta) {
            return new ToolCall(toolCall, rest.withMeta(meta));
        }
    }

    /**
     * A command.
     *
     * @param command what would be run
     * @param cwd the folder that it would be run in, an absolute path
     * @param toolCallId the tool call it belongs to, or null when it does not say
     * @param terminalId the terminal it would be run in, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts one with the members it must have. */
        public static RequestPermissionSubjectCommandBuilder builder(String command, String cwd) {
            return new RequestPermissionSubjectCommandBuilder(command, cwd);
        }

        /** Returns a builder that starts from this. */
        public RequestPermissionSubjectCommandBuilder toBuilder() {
            return new RequestPermissionSubjectCommandBuilder(this);
        }
    }

    /**
     * A subject of a sort that this version of the library does not know.
     *
     * @param type what it calls itself
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String type, RawJson raw) implements RequestPermissionSubject {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
