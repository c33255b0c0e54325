package dev.acp4j;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.StopReason;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a turn ended. */
public final class TurnResult {
    /** A prompt that was cancelled before the agent took it. */
    static final TurnResult CANCELLED = new TurnResult(StopReason.CANCELLED, Meta.EMPTY, null, null);

    private final StopReason stopReason;
    private final Meta meta;
    private final @Nullable TokenUsage usage;
    private final @Nullable Message answer;

    TurnResult(StopReason stopReason, Meta meta, @Nullable TokenUsage usage, @Nullable Message answer) {
        this.stopReason = stopReason;
        this.meta = meta;
        this.usage = usage;
        this.answer = answer;
    }

    /** Returns why the agent stopped. */
    public StopReason stopReason() {
        return stopReason;
    }

    /** Returns the agent's extension data, empty when there is none. */
    public Meta meta() {
        return meta;
    }

    /** Returns how many tokens the agent has used, if it reports that. */
    public Optional<TokenUsage> usage() {
        return Optional.ofNullable(usage);
    }

    /** Returns why the agent could not go on, if it reports that; see {@link Client.Builder#sessionFailures}. */
    public Optional<SessionFailure> failure() {
        return SessionFailure.in(meta);
    }

    /**
     * Returns the message that ended the turn, with all members that this library does not know. Empty when the prompt
     * was cancelled before it was sent.
     */
    public Optional<Message> raw() {
        return Optional.ofNullable(answer);
    }

    @Override
    public String toString() {
        return stopReason.toString();
    }
}
