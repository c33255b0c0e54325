package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Time;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The text of a WebSocket whose parts arrive: bounded in bytes, in time, and in what its principal may have in memory
 * at once. There is one at a time, and none between two messages. The parts come on one thread after another.
 */
final class ArrivingText {
    private final BodyBudget.Share share;
    private final Time time;
    private volatile @Nullable ByteArrayOutputStream bytes;
    private volatile long since;

    ArrivingText(BodyBudget.Share share, Time time) {
        this.share = share;
        this.time = time;
    }

    boolean isArriving() {
        return bytes != null;
    }

    /** Returns whether the parts come too slowly, also when none comes any more. */
    boolean isTooSlow() {
        ByteArrayOutputStream parts = bytes;
        return parts != null && Body.isTooSlow(time.nanoTime() - since, parts.size());
    }

    /**
     * Adds a part.
     *
     * @param limit the most bytes of all parts
     * @throws Refusal when there are more, when they come too slowly, or when there is no room for them now
     */
    void add(byte[] part, int limit) {
        ByteArrayOutputStream parts = bytes;
        if (parts == null) {
            parts = new ByteArrayOutputStream(Math.max(256, part.length));
            since = time.nanoTime();
            bytes = parts;
        }
        share.add(part.length);
        parts.write(part, 0, part.length);
        if (parts.size() > limit) {
            throw Body.tooLarge(limit);
        }
        if (Body.isTooSlow(time.nanoTime() - since, parts.size())) {
            throw Body.tooSlow();
        }
    }

    /** Returns the whole text, which counts here no more. */
    RawJson take() {
        ByteArrayOutputStream parts = bytes;
        byte[] all = parts == null ? new byte[0] : parts.toByteArray();
        release();
        return RawJson.wrap(all, 0, all.length);
    }

    /** Forgets the parts. */
    void release() {
        bytes = null;
        share.close();
    }
}
