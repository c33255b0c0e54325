package dev.acp4j.http;

import dev.acp4j.rpc.Message;
import java.time.Duration;
import java.util.List;

/**
 * One connection of the server, over one of the ways. It goes on when a stream or a socket is cut and the server can
 * resume; when the server does not, it is lost, and another line may take its place.
 */
sealed interface Line permits EventsLine, SocketLine, TransportLine {
    int MOST_WAITING_BYTES = 8 * 1024 * 1024;

    /** How long the answer to {@code initialize} may take: agents may have much to start. */
    Duration ANSWER_TIME = Duration.ofMinutes(2);

    /** How long the end of a connection may take. */
    Duration FAREWELL_TIME = Duration.ofSeconds(2);

    /** Hears what arrives and what fails. Called on threads of the line. */
    interface Owner {
        /**
         * A message has arrived. Blocks while nobody reads.
         *
         * @param stream the session whose stream it came on, or empty for the stream of the connection
         */
        void arrived(Message message, String stream) throws InterruptedException;

        /** Like {@link #arrived(Message, String)}, but never blocks: runs the action when the next one has room. */
        void arrived(Message message, String stream, Runnable whenRoom);

        /** A message could not be delivered; if it was a request, it has no answer. */
        void undelivered(Message message, HttpFailure why);

        /** What has arrived on a stream is taken, and its position is behind it. */
        void landed(String stream);

        /** The stream of a session has ended: what was asked there has no answer. */
        void sessionLost(String session, HttpFailure why);

        /**
         * Returns whether exactly one request about a session has no answer, and asks for its history. A stream of the
         * session that has begun anew then has all that is missing.
         */
        boolean awaitsOnlyHistory(String session);

        /** The server does not answer, or answers again. */
        void isDown(boolean isDown);

        /** Something that does not end the connection. */
        void problem(String detail, Throwable cause);

        /** The line is over. */
        void lost(HttpFailure why);

        /** The line has ended because this side or the server wanted it. */
        void ended();
    }

    /**
     * Sends {@code initialize} and waits for the answer.
     *
     * @throws HttpFailure when there is no answer; the line is over
     */
    Message initialize(Message request) throws HttpFailure, InterruptedException;

    /**
     * Queues a message. Those of a session are sent one after another, in their order; answers and cancellations pass
     * what waits.
     *
     * @return whether it was taken; false when too much waits and it is a request
     */
    boolean send(Message message);

    /**
     * The session exists from now on, so what the agent says there is listened to.
     *
     * @return whether nobody listened before; {@link Owner#landed} is called when somebody does
     */
    boolean opened(String session);

    /** The session is gone: nothing more comes from it. */
    void closed(String session);

    /** Returns whether the message at this position has arrived on the stream. */
    boolean hasPassed(String stream, String cursor);

    /** Returns whether the stream was cut and is being opened again. */
    boolean isCut(String stream);

    /**
     * Returns what the server has certainly not taken, those of a session in their order, and does not send it any
     * more. Nothing more is queued then.
     */
    List<Message> untaken();

    /** Returns whether the line was lost or closed. */
    boolean isOver();

    /**
     * Sends what waits, and then ends the connection at the server, for which it waits a short time. What still comes
     * is heard. Blocks.
     */
    void finish() throws InterruptedException;

    /** Ends the line at once; at the server, too, if {@code farewell}, for which it waits a short time. */
    void close(boolean farewell);
}
