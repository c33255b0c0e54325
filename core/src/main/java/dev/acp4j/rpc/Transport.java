package dev.acp4j.rpc;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The two directions of one connection: messages come from the {@link #reader() reader} and go to the {@link #writer()
 * writer}. Standard input and output, sockets, in-process pairs and remote transports are all alike behind it.
 *
 * <p>One thread reads and one thread writes, at the same time; neither waits for the other.
 */
public interface Transport extends AutoCloseable {

    /** Returns the incoming direction, the same object at every call. */
    Reader reader();

    /** Returns the outgoing direction, the same object at every call. */
    Writer writer();

    /**
     * Returns whether a blocked read or write occupies the carrier of a virtual thread, as on a pipe. Then a
     * {@link Connection} reads and writes on two platform threads of its own; otherwise on virtual threads, so that an
     * idle connection costs no thread of the operating system. Transports over pipes return true, which is the default;
     * a transport around another one returns what that one returns.
     */
    default boolean holdsCarrier() {
        return true;
    }

    /**
     * Returns the limits of the connection of an {@link dev.acp4j.Agent} over this transport. By default they are those
     * of the agent; a transport with a queue of its own, as that of a server, has little wait before it. A transport
     * that wraps another one must return the limits of that.
     *
     * @param limits those of the agent
     */
    default Limits limits(Limits limits) {
        return limits;
    }

    /**
     * Finds out why writing has failed, where more can be known than the failure says: that the process behind a broken
     * pipe has ended, for example. May wait for one or two seconds. A {@link Connection} asks on the thread that writes
     * and writes nothing afterwards. By default this is the failure; a transport around another one returns what that
     * one returns.
     *
     * @param failure what {@link Writer#write} or {@link Writer#flush} threw
     */
    default IOException explain(IOException failure) {
        return failure;
    }

    /**
     * Ends both directions and releases what they hold. What was written but not flushed is lost. A blocked
     * {@link Reader#read() read} returns null, as does every later one; a blocked or later {@link Writer#write write}
     * throws.
     *
     * <p>May be called from any thread, more than once. Closing the transport of a process waits until the process has
     * ended, for a bounded time.
     */
    @Override
    void close();

    /** The incoming direction of a {@link Transport}. Used by one thread. */
    interface Reader {

        /**
         * Waits for the next message. Everything that was read is handed out: text that is not JSON, the last half of a
         * message that was cut off, and, of a message over the limit, its beginning ({@link Message#oversized});
         * reading continues after it. The bytes of a message stay valid and are not written to again.
         *
         * <p>On a pipe this blocks the operating system's thread; see {@link Transport#holdsCarrier}.
         *
         * @return the message, or null when the other side has ended the stream or this side closed the transport
         * @throws IOException when reading fails, which is not the same as a clean end; the connection is over
         */
        @Nullable
        Message read() throws IOException, InterruptedException;

        /**
         * Returns whether {@link #read()} would return at once. A hint, by which work for several messages is done
         * together; false is always allowed.
         */
        default boolean isReady() {
            return false;
        }
    }

    /** The outgoing direction of a {@link Transport}. Used by one thread at a time. */
    interface Writer {

        /**
         * Writes one message, or keeps it until {@link #flush()}. Blocks while the other side does not read.
         *
         * @param message the message; it may be kept
         * @throws MessageTooLargeException when it exceeds the limit; nothing of it was written, and writing may go on
         * @throws IOException when writing fails; the connection is over
         */
        void write(Message message) throws IOException;

        /**
         * Returns whether a message could be written and flushed now without blocking. Then a thread that reads may
         * write what it passes on, instead of waking the thread that writes; the two never write at the same time. A
         * hint, as {@link Reader#isReady()} is; false, the default, is always allowed.
         *
         * @param bytes how many bytes the message has
         * @param unread how many bytes, at most, were written and have not been read by the other side
         */
        default boolean takes(int bytes, long unread) {
            return false;
        }

        /** Hands everything written so far to the other side. */
        void flush() throws IOException;

        /**
         * Flushes and ends this direction: the other side reads what was written and then the end of the stream. The
         * incoming direction stays open, so that answers still arrive. Does nothing the second time.
         */
        void close() throws IOException;
    }
}
