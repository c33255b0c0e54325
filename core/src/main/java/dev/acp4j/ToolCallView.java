package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallLocation;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tool call with all its updates merged.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls">Tool calls</a>
 */
public final class ToolCallView extends Entry {
    private final ToolCall call;

    private ToolCallView(Place place, ToolCall call) {
        super(place, call.meta());
        this.call = call;
    }

    /** Returns a tool call made of one update; it is in no timeline. */
    public static ToolCallView of(ToolCallUpdate update) {
        return unknown(update.toolCallId()).with(update, Place.NONE);
    }

    static ToolCallView of(ToolCall begun) {
        return new ToolCallView(Place.NONE, begun);
    }

    static ToolCallView unknown(ToolCallId id) {
        return new ToolCallView(Place.NONE, ToolCall.builder(id, id.value()).build());
    }

    /** Returns its id. */
    public ToolCallId id() {
        return call.toolCallId();
    }

    /** Returns the title, for people; the id when the agent has given none. */
    public String title() {
        return call.title();
    }

    /** Returns the tool's name for programs, or null. */
    public @Nullable String name() {
        return call.name();
    }

    /** Returns the kind of the tool. */
    public ToolKind kind() {
        return call.kind();
    }

    /**
     * Returns the status. If its turn is cancelled before the tool call has ended, the status is
     * {@link ToolCallStatus#CANCELLED} until the agent reports another one.
     */
    public ToolCallStatus status() {
        return call.status();
    }

    /** Returns the content that it produced. */
    public List<ToolCallContent> content() {
        return call.content();
    }

    /** Returns the files that it works on. */
    public List<ToolCallLocation> locations() {
        return call.locations();
    }

    /** Returns the input of the tool, or null. */
    public @Nullable RawJson rawInput() {
        return call.rawInput();
    }

    /** Returns the output of the tool, or null. */
    public @Nullable RawJson rawOutput() {
        return call.rawOutput();
    }

    /** Returns whether it goes on. */
    boolean isOpen() {
        ToolCallStatus status = call.status();
        return status.equals(ToolCallStatus.PENDING) || status.equals(ToolCallStatus.IN_PROGRESS);
    }

    /** Returns the tool call as it begins, or begins anew. */
    ToolCallView with(ToolCall begun, Place place) {
        Meta meta = begun.meta().isEmpty() ? meta() : begun.meta();
        return new ToolCallView(place, begun.toBuilder().meta(meta).build());
    }

    ToolCallView cancelled(Place place) {
        return new ToolCallView(
                place, call.toBuilder().status(ToolCallStatus.CANCELLED).build());
    }

    /**
     * Returns the tool call after a change: what it does not mention stays, what it clears goes back to its default.
     */
    ToolCallView with(ToolCallUpdate change, Place place) {
        String title = change.title().applyTo(call.title(), call.toolCallId().value());
        return new ToolCallView(
                place,
                ToolCall.builder(call.toolCallId(), title)
                        .name(change.name() == null ? call.name() : change.name())
                        .kind(change.kind().applyTo(call.kind(), ToolKind.OTHER))
                        .status(change.status().applyTo(call.status(), ToolCallStatus.PENDING))
                        .content(change.content().applyTo(call.content(), List.of()))
                        .locations(change.locations().applyTo(call.locations(), List.of()))
                        .rawInput(change.rawInput().applyTo(call.rawInput()))
                        .rawOutput(change.rawOutput().applyTo(call.rawOutput()))
                        .meta(change.meta().isEmpty() ? call.meta() : change.meta())
                        .build());
    }

    /** Returns the tool call with one more piece of what it shows. */
    ToolCallView with(ToolCallContent piece, Meta meta, Place place) {
        List<ToolCallContent> all = new ArrayList<>(call.content());
        all.add(piece);
        return new ToolCallView(
                place,
                call.toBuilder()
                        .content(all)
                        .meta(meta.isEmpty() ? call.meta() : meta)
                        .build());
    }

    @Override
    List<@Nullable Object> says() {
        return Arrays.asList(id(), title(), name(), kind(), status(), content(), locations(), rawInput(), rawOutput());
    }
}
