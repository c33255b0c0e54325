package dev.acp4j.http;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Where the frames of a stream go while a client reads it. Called by one thread at a time, without any lock. */
interface FrameSink {
    /**
     * Begins to write frames; frames with the number 0 have no cursor. Without frames, gives a sign of life.
     *
     * @param epoch the epoch of their cursors; empty when they have none
     * @param done told once, from any thread, when the sink takes more; with the failure when the client is gone
     */
    void write(String epoch, List<StreamLog.Frame> frames, Consumer<@Nullable Throwable> done);

    /**
     * Notes where the stream is while no message says it, so that a client that is cut before the next one goes on
     * there.
     */
    void place(Cursor cursor, Consumer<@Nullable Throwable> done);

    /**
     * A stream begins to use the sink. Called once, before everything else.
     *
     * @param progress run when the client has taken a part of what is being written
     * @param gone run when the client is gone
     */
    void begin(Runnable progress, Runnable gone);

    /**
     * Ends the response cleanly. Nothing is being written, and nothing will be.
     *
     * @param done run once, when the end is out or the client is gone
     */
    void end(Runnable done);

    /**
     * Ends the response cleanly, since frames that the client has not got were dropped. Otherwise like {@link #end}.
     */
    void expire(Runnable done);

    /** Ends the response at once, since the client takes nothing. */
    void abort();

    /** Returns whether silence needs a sign of life, and a client that takes nothing is to be dropped. */
    boolean isWatched();
}
