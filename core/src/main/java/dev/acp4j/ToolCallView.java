package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tool call with all its updates merged.
 *
 * @param id its id
 * @param title what it does, for people; the id when the agent has not said
 * @param name the tool's name for programs, or null
 * @param kind what kind of tool it is
 * @param status how far it is
 * @param content what it produced
 * @param locations the files that it works on
 * @param rawInput with what it was called, or null
 * @param rawOutput what it returned, or null
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls">Tool calls</a>
 */
public record ToolCallView(
        ToolCallId id,
        String title,
        @Nullable String name,
        ToolKind kind,
        ToolCallStatus status,
        List<ToolCallContent> content,
        List<ToolCallLocation> locations,
        @Nullable RawJson rawInput,
        @Nullable RawJson rawOutput) {
    /** Copies the lists. */
    public ToolCallView {
        content = List.copyOf(content);
        locations = List.copyOf(locations);
    }

    static ToolCallView unknown(ToolCallId id) {
        return new ToolCallView(
                id, id.value(), null, ToolKind.OTHER, ToolCallStatus.PENDING, List.of(), List.of(), null, null);
    }

    static ToolCallView of(ToolCall call) {
        return new ToolCallView(
                call.toolCallId(),
                call.title(),
                call.name(),
                call.kind(),
                call.status(),
                call.content(),
                call.locations(),
                call.rawInput(),
                call.rawOutput());
    }

    /**
     * Returns the tool call after a change: what it does not mention stays, what it clears goes back to its default.
     */
    public ToolCallView with(ToolCallUpdate change) {
        return new ToolCallView(
                id,
                or(change.title(), title, id.value()),
                change.name() == null ? name : change.name(),
                or(change.kind(), kind, ToolKind.OTHER),
                or(change.status(), status, ToolCallStatus.PENDING),
                or(change.content(), content, List.of()),
                or(change.locations(), locations, List.of()),
                change.rawInput().applyTo(rawInput),
                change.rawOutput().applyTo(rawOutput));
    }

    private static <T> T or(Change<T> change, T current, T cleared) {
        T value = change.applyTo(current);
        return value == null ? cleared : value;
    }
}
