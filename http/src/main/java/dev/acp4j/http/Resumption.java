package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the server has promised about cut streams, in its answer to {@code initialize}.
 *
 * @param isOffered whether a stream goes on behind a cursor
 * @param retention for how long; zero if it does not say
 * @param keepAlive how often it gives a sign of life; zero if it does not say
 * @param takesKeys whether it recognizes a message that comes twice by its key
 * @param beginning the position of the beginning of each stream; empty if it has no word for that
 */
record Resumption(boolean isOffered, Duration retention, Duration keepAlive, boolean takesKeys, String beginning) {
    static final Resumption NONE = new Resumption(false, Duration.ZERO, Duration.ZERO, false, "");

    static Resumption of(@Nullable RawJson result) {
        RawJson offer = Raw.member(result, "agentCapabilities", Wire.TRANSPORT, Wire.RESUMABLE);
        if (offer == null) {
            offer = Raw.member(result, "capabilities", Wire.TRANSPORT, Wire.RESUMABLE);
        }
        if (!Raw.isOffered(offer)) {
            return NONE;
        }
        RawJson more = Raw.member(offer, "_meta");
        return new Resumption(
                true,
                seconds(Raw.number(offer, 0, Wire.RETENTION_SECONDS)),
                seconds(Raw.number(more, 0, Wire.KEEP_ALIVE_SECONDS)),
                Raw.isOffered(more, Wire.IDEMPOTENCY),
                Raw.text(more, Wire.FROM_BEGINNING));
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(Math.clamp(seconds, 0, 7 * 24 * 3600));
    }

    /** Returns after how long without any byte a stream counts as dead. */
    Duration silence(Duration otherwise) {
        return keepAlive.isZero() ? otherwise : keepAlive.multipliedBy(5);
    }
}
