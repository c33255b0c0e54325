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
 * Says that the model has called a tool: what for, and how far that is. Later news of the same call come as
 * {@link ToolCallUpdate}.
 *
 * @param toolCallId the call, unique within the session
 * @param title what the tool is doing, for the user to read
 * @param name the name by which programs know the tool, or null when it does not say
 * @param kind the sort of work; {@link ToolKind#OTHER} when it does not say
 * @param status how far the call is; {@link ToolCallStatus#PENDING} when it does not say
 * @param content what there is to show so far, in order
 * @param locations the files the tool works on
 * @param rawInput what the tool was called with, any JSON, or null when it does not say
 * @param rawOutput what the tool returned, any JSON, or null when there is nothing yet
 * @param rest extension data, and members that are not known here
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

    /** Starts a call that is pending and of no particular kind. */
    public static ToolCallBuilder builder(ToolCallId toolCallId, String title) {
        return new ToolCallBuilder(toolCallId, title);
    }

    /** Returns a builder that starts from this. */
    public ToolCallBuilder toBuilder() {
        return new ToolCallBuilder(this);
    }
}
