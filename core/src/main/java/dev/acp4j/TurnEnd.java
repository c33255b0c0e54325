package dev.acp4j;

import dev.acp4j.schema.Meta;
import dev.acp4j.schema.StopReason;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The end of a turn. */
public final class TurnEnd extends Entry {
    private final @Nullable StopReason stopReason;
    private final @Nullable RuntimeException failure;

    private TurnEnd(Place place, Meta meta, @Nullable StopReason stopReason, @Nullable RuntimeException failure) {
        super(place, meta);
        this.stopReason = stopReason;
        this.failure = failure;
    }

    static TurnEnd of(Place place, TurnResult result) {
        return new TurnEnd(place, result.meta(), result.stopReason(), null);
    }

    static TurnEnd of(Place place, RuntimeException failure) {
        return new TurnEnd(place, Meta.EMPTY, null, failure);
    }

    /** Returns why the agent stopped; null when the turn failed. */
    public @Nullable StopReason stopReason() {
        return stopReason;
    }

    /** Returns the exception of {@link Turn#result()}; null when the turn did not fail. */
    public @Nullable RuntimeException failure() {
        return failure;
    }

    @Override
    List<@Nullable Object> says() {
        return Arrays.asList(stopReason, failure);
    }
}
