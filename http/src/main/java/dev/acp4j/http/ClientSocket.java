package dev.acp4j.http;

import dev.acp4j.rpc.Message;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One WebSocket of a client, or a line that is used like one: messages and frames of control in both directions, until
 * it is cut. One thread sends.
 */
sealed interface ClientSocket permits HttpSocket, TransportSocket {
    /** How long the server's end is waited for: most of the two seconds that a goodbye may take. */
    Duration CLOSE_TIME = Duration.ofMillis(1500);

    /** Hears what comes. Called on threads of the socket, one after another, which must not be held up. */
    interface Owner {
        /** Returns whether no socket is wanted any more. */
        boolean isOver();

        /** A frame has come. */
        void hears(boolean isMessage);

        /** A message has come; the action asks for the next frame. */
        void received(ClientSocket from, Message message, Runnable next);

        /** The server has got so many messages. */
        void confirmed(long count);

        void problem(String detail, Throwable cause);

        /** The socket has ended, with this code or by a cut. */
        void closed(ClientSocket which, int code, HttpFailure why);
    }

    /**
     * Opens it. Blocks.
     *
     * @param connectionId the connection to go on with; empty for a new one
     * @param again whether a credential that is refused is asked for once more
     */
    void connect(String connectionId, boolean again) throws HttpFailure, InterruptedException;

    /** Returns the id of the connection, which the server has named; null when it has not. */
    @Nullable
    String connectionId();

    /** Returns the message that answers {@code stream/resume}, once it has come. */
    CompletableFuture<Message> resumed();

    /** Sends a message. Blocks until it is on its way. */
    void send(Message message) throws IOException, InterruptedException;

    /** Asks for a sign of life, which names the count again. */
    void ping(long count) throws IOException, InterruptedException;

    /**
     * Closes it, and waits for a short time until the server has read all that was sent before, which its own close
     * says.
     *
     * @param code {@link SocketCodes#NORMAL} says goodbye; any other one leaves the connection
     */
    void sendClose(int code) throws InterruptedException;

    /** Ends it at once. */
    void cut();

    /** Returns what it means that the server has closed it with a code. */
    static HttpFailure ended(int code, String reason) {
        String why = "the server closed the WebSocket with " + code + (reason.isEmpty() ? "" : ": " + reason);
        HttpFailure.Kind kind = switch (code) {
            case 1002, 1003, 1007, 1009, 1010 -> HttpFailure.Kind.FINAL;
            case 1008 -> HttpFailure.Kind.GONE;
            default -> HttpFailure.Kind.UNKNOWN;
        };
        return new HttpFailure(kind, why, null);
    }
}
