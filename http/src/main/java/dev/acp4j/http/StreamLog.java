package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Unstable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one stream to a client, in order: those that no client was sent yet, and for a while those that one was
 * sent, since it may not have got them. Live delivery, late readers and replay read the same log. Thread-safe.
 *
 * <p>A frame that nobody was sent is never dropped. Of the others, the oldest are dropped as the log's bounds demand.
 */
@Unstable
public interface StreamLog {
    /**
     * A message to the client, as it is sent.
     *
     * @param number its number: frames of one connection are numbered in the order of their production, so those of one
     *     log ascend with gaps
     * @param json the message
     */
    record Frame(long number, RawJson json) {}

    /** Whether a log knows a place. */
    enum Place {
        /** All frames behind it are there. */
        KNOWN,
        /** There was such a frame, and frames behind it have been dropped. */
        EXPIRED,
        /** No frame of this log has this number. */
        UNKNOWN
    }

    /** Returns the epoch: a random word that no other log has, and that {@link #restart} changes. */
    String epoch();

    /** Adds a frame, whose number is larger than all before it. */
    void append(Frame frame);

    /**
     * Returns frames behind a number, from the first one on that was not dropped; {@link #find} says whether some were.
     *
     * @param after the number; 0 for the beginning
     * @param atMost the number of bytes after which no further frame is added; one frame is returned however large
     */
    List<Frame> read(long after, long atMost);

    /** Returns whether reading may continue behind the frame with this number. */
    Place find(long number);

    /** Notes that the frames up to this number were sent. */
    void sent(long number);

    /** Returns the number of the last frame that was sent; 0 when none was. */
    long lastSent();

    /** Returns the number of the last frame; 0 when there was none. */
    long last();

    /** Returns how many bytes of memory frames take that were not sent yet. */
    long unsentBytes();

    /** Returns how many bytes of memory frames take that were sent and are kept. */
    long keptBytes();

    /** Drops frames that were sent and are older than the log keeps them. */
    void trim();

    /**
     * Returns since when the oldest frame that was sent is kept, in nanoseconds of the server's clock; null for none.
     */
    @Nullable
    Long oldest();

    /** Drops the oldest frame that was sent, if there is one. */
    void dropOldest();

    /** Begins a new epoch: drops all frames. */
    void restart();
}
