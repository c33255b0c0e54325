package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reports a tool call of the model, with its purpose and status. Later changes are sent as {@link ToolCallUpdate}.
 *
 * @param toolCallId the call, unique within the session
 * @param title a title for the user to read
 * @param name the name of the tool for programs, or null if not given
 * @param kind the kind of work; {@link ToolKind#OTHER} if not given
 * @param status the status of the call; {@link ToolCallStatus#PENDING} if not given
 * @param content the content to show so far, in order
 * @param locations the files the tool works on
 * @param rawInput the input of the tool, any JSON, or null if not given
 * @param rawOutput the output of the tool, any JSON, or null if there is none yet
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#creating">Creating</a>
 */
@Codable
@Tag("tool_call")
@In(1)
public record ToolCall(
        ToolCallId toolCallId,
        String title,
        @DefaultOnError @Nullable String name,
        @DefaultTo("OTHER") @DefaultOnError ToolKind kind,
        @DefaultTo("PENDING") @DefaultOnError ToolCallStatus status,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<ToolCallContent> content,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<ToolCallLocation> locations,
        @DefaultOnError @Nullable RawJson rawInput,
        @DefaultOnError @Nullable RawJson rawOutput,
        Rest rest)
        implements SessionUpdate, Extensible {
    @Evolving
    public ToolCall {
        Objects.requireNonNull(toolCallId, "toolCallId is null");
        Objects.requireNonNull(title, "title is null");
        Objects.requireNonNull(kind, "kind is null");
        Objects.requireNonNull(status, "status is null");
        content = List.copyOf(content);
        locations = List.copyOf(locations);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of a pending call of no particular kind. */
    public static ToolCallBuilder builder(ToolCallId toolCallId, String title) {
        return new ToolCallBuilder(toolCallId, title);
    }

    /** Returns a builder initialized from this record. */
    public ToolCallBuilder toBuilder() {
        return new ToolCallBuilder(this);
    }
}
