package dev.acp4j.http;

import dev.acp4j.rpc.Message;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What goes to a server that can resume over one WebSocket after another: what waits, and what was sent and is not
 * known to have arrived, which goes out again on the next socket. Both ends count messages since {@code initialize}; a
 * pong confirms the count that its ping had.
 *
 * <p>Guarded by the lock of its line.
 */
final class SocketOutbox {

    /** With so much unconfirmed, nothing more is sent; after so much more, a pong is asked for. */
    private static final int MOST_UNCONFIRMED_BYTES = 16 * 1024 * 1024;

    private static final int BYTES_BETWEEN_PINGS = 1024 * 1024;

    private final ArrayDeque<Message> waiting = new ArrayDeque<>();
    private long waitingBytes;

    private final ArrayDeque<Message> unconfirmed = new ArrayDeque<>();
    private long unconfirmedBytes;

    /** The bytes of what was unconfirmed when the last ping was sent. */
    private long pingedBytes;

    private long sent;
    private long confirmed;
    private boolean pings;

    /** Returns whether a message was taken; false when too much waits and it is a request. */
    boolean add(Message message) {
        if (message.kind() == Message.Kind.REQUEST
                && waitingBytes > 0
                && waitingBytes + message.length() > Line.MOST_WAITING_BYTES) {
            return false;
        }
        Cancellation cancellation = Cancellation.of(message);
        if (cancellation != null && waiting.stream().noneMatch(cancellation::isOf)) {
            waiting.addFirst(message);
        } else {
            waiting.add(message);
        }
        waitingBytes += message.length();
        return true;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Has a ping go out next. */
    void ping() {
        pings = true;
    }

    /** Returns whether there is something to send: a message, or a ping. */
    boolean maySend() {
        return pings || (!waiting.isEmpty() && unconfirmedBytes < MOST_UNCONFIRMED_BYTES);
    }

    /** Returns how many messages have been sent. */
    long sent() {
        return sent;
    }

    /**
     * Takes what is to be sent next.
     *
     * @param keeps whether to keep it until it is confirmed
     * @return the message; null for a ping
     */
    @Nullable
    Message take(boolean keeps) {
        if (pings) {
            pings = false;
            pingedBytes = unconfirmedBytes;
            return null;
        }
        Message next = waiting.remove();
        waitingBytes -= next.length();
        sent++;
        if (keeps) {
            unconfirmed.add(next);
            unconfirmedBytes += next.length();
            pings = unconfirmedBytes - pingedBytes > BYTES_BETWEEN_PINGS;
        }
        return next;
    }

    /** Returns what waits, which was not sent or did not arrive, and forgets it. */
    List<Message> untaken() {
        List<Message> untaken = List.copyOf(waiting);
        waiting.clear();
        waitingBytes = 0;
        return untaken;
    }

    /** The server has got so many messages. */
    void confirm(long count) {
        while (confirmed < count && !unconfirmed.isEmpty()) {
            unconfirmedBytes -= unconfirmed.remove().length();
            confirmed++;
        }
        pingedBytes = Math.min(pingedBytes, unconfirmedBytes);
    }

    /** The socket is gone, and the ping with it. */
    void cut() {
        pings = false;
    }

    /** What the server has not got goes out again, before everything else and in its order. */
    void sendAgain(long arrived) {
        confirm(arrived);
        Iterator<Message> again = unconfirmed.descendingIterator();
        while (again.hasNext()) {
            Message message = again.next();
            waiting.addFirst(message);
            waitingBytes += message.length();
            sent--;
        }
        unconfirmed.clear();
        unconfirmedBytes = 0;
        pingedBytes = 0;
    }
}
