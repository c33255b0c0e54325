package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import java.util.List;
import java.util.Objects;

/**
 * An update of a tool call. Absent members are kept; lists are replaced as a whole.
 *
 * <p>Permission requests also describe their tool call with one of these.
 *
 * @param toolCallId the call
 * @param title a title for the user to read
 * @param name the name of the tool for programs
 * @param kind the kind of work; if cleared, {@link ToolKind#OTHER}
 * @param status the status of the call; if cleared, {@link ToolCallStatus#PENDING}
 * @param content the whole content; none if cleared or empty
 * @param locations all files the tool works on; none if cleared or empty
 * @param rawInput the input of the tool, any JSON
 * @param rawOutput the output of the tool, any JSON
 * @param capabilities the capabilities of the client for the call
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#updating">Updating</a>
 */
@Codable
@Tag("tool_call_update")
public record ToolCallUpdate(
        ToolCallId toolCallId,
        @DefaultOnError Change<String> title,
        @DefaultOnError Change<String> name,
        @DefaultOnError Change<ToolKind> kind,
        @DefaultOnError Change<ToolCallStatus> status,
        @DefaultOnError @SkipInvalidItems Change<List<ToolCallContent>> content,
        @DefaultOnError @SkipInvalidItems Change<List<ToolCallLocation>> locations,
        @DefaultOnError Change<RawJson> rawInput,
        @DefaultOnError Change<RawJson> rawOutput,
        @Unstable @In(2) @DefaultOnError Change<ToolCallCapabilities> capabilities,
        Rest rest)
        implements SessionUpdate, Extensible {
    @Evolving
    @Unstable
    public ToolCallUpdate {
        Objects.requireNonNull(toolCallId, "toolCallId is null");
        Objects.requireNonNull(title, "title is null");
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(kind, "kind is null");
        Objects.requireNonNull(status, "status is null");
        content = Copies.of(content);
        locations = Copies.of(locations);
        Objects.requireNonNull(rawInput, "rawInput is null");
        Objects.requireNonNull(rawOutput, "rawOutput is null");
        Objects.requireNonNull(capabilities, "capabilities is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of an update without changes. */
    public static ToolCallUpdateBuilder builder(ToolCallId toolCallId) {
        return new ToolCallUpdateBuilder(toolCallId);
    }

    /** Returns a builder initialized from this record. */
    public ToolCallUpdateBuilder toBuilder() {
        return new ToolCallUpdateBuilder(this);
    }
}
