package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** One request and its answer, as {@link Endpoint} sees them: nothing of it knows the server that reads and writes. */
interface Exchange extends Credentials {
    String method();

    String path();

    /** Returns the query; empty when there is none. */
    String query();

    /** Returns the host and port that the client means, as it names them; empty when it names none. */
    String authority();

    /** Returns whether the client, or a trusted proxy before it, uses TLS. */
    boolean isSecure();

    /**
     * Returns whether the request comes from this machine, whatever a proxy says of the client; not when a trusted
     * proxy on this machine says that it has come to it in clear text from another one.
     */
    boolean isLocal();

    /** Returns whether the client asks for a WebSocket. */
    boolean isUpgrade();

    /**
     * Reads the body.
     *
     * @param limit the most bytes
     * @param counted told of each part before it is kept; may refuse it
     * @throws Refusal when it is larger, or comes too slowly
     * @throws IOException when the client has left
     */
    RawJson body(int limit, IntConsumer counted) throws IOException;

    /** Notes who sends the request. */
    void caller(Principal principal);

    /** Returns who sends the request; null before that is known. */
    @Nullable
    Principal caller();

    /** Has something run when the client leaves before its answer; at once if it has left. */
    void onGone(Runnable action);

    /** Answers the request. */
    void answer(Answer answer);

    /** Ends the request at once, without an answer or in the middle of one. Does nothing when it has ended. */
    void abort();

    /** Answers the request with a stream of events. */
    Events events(Map<String, String> headers);

    /** Answers the request by making it a WebSocket. */
    void upgrade(Map<String, String> headers, SocketSession session);

    /** An answer that does not end by itself. */
    interface Events {
        /** Begins to write; one write at a time. */
        void write(ByteBuffer bytes, Consumer<@Nullable Throwable> done);

        /**
         * Ends the answer cleanly.
         *
         * @param done run when the end is out or the client is gone
         */
        void end(Runnable done);

        /** Ends the answer at once, also when its end is being written. */
        void abort();

        /** Has something run when the client leaves; at once if it has left. */
        void onGone(Runnable action);
    }

    /** A WebSocket. */
    interface Link {
        /**
         * Begins to send a text; one at a time.
         *
         * @param progress run when the client has taken a part of it
         */
        void send(RawJson text, Runnable progress, Consumer<@Nullable Throwable> done);

        /** Asks for a sign of life, which names the number again. */
        void ping(long number);

        void close(int code, String reason);

        /** Ends the socket at once. */
        void abort();
    }
}
