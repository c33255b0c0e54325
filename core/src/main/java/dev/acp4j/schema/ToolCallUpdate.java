package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * News of a tool call. What it leaves out stays as it was; lists are replaced as a whole.
 *
 * <p>Permission requests describe the call they are about with one of these, too.
 *
 * @param toolCallId the call
 * @param title what the tool is doing, for the user to read
 * @param name the name by which programs know the tool; null leaves the name as it was, too
 * @param kind the sort of work; cleared, it is {@link ToolKind#OTHER} again
 * @param status how far the call is; cleared, it is {@link ToolCallStatus#PENDING} again
 * @param content all there is to show; cleared or empty, nothing
 * @param locations all files the tool works on; cleared or empty, none
 * @param rawInput what the tool was called with, any JSON
 * @param rawOutput what the tool returned, any JSON
 * @param capabilities what the client can do with the call
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#updating">Updating</a>
 */
@Codable
@Tag("tool_call_update")
public record ToolCallUpdate(
        ToolCallId toolCallId,
        @DefaultOnError Change<String> title,
        @DefaultOnError @Nullable String name,
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
        Objects.requireNonNull(kind, "kind is null");
        Objects.requireNonNull(status, "status is null");
        content = Copies.of(content);
        locations = Copies.of(locations);
        Objects.requireNonNull(rawInput, "rawInput is null");
        Objects.requireNonNull(rawOutput, "rawOutput is null");
        Objects.requireNonNull(capabilities, "capabilities is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts an update that changes nothing. */
    public static ToolCallUpdateBuilder builder(ToolCallId toolCallId) {
        return new ToolCallUpdateBuilder(toolCallId);
    }

    /** Returns a builder that starts from this. */
    public ToolCallUpdateBuilder toBuilder() {
        return new ToolCallUpdateBuilder(this);
    }
}
