package dev.acp4j.http;

import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.MessageTooLargeException;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A transport that is used like a WebSocket, as either side sees it: what is a frame there is a message here, and what
 * a WebSocket has beside messages is a notification of the transport alone, which never reaches an agent or a client.
 *
 * <p>One thread reads and one writes, so a ping is answered while something large is sent. Only the reader finds the
 * end, or a fault of this program: what arrived before a failed write still counts.
 */
final class FrameCarrier {
    /** One side of the carrier. Called on its threads: all but {@link #ended} on the reader, one after another. */
    interface Listener {
        /** A message has come, or one of control. */
        void heard(boolean isMessage);

        /** The peer begins: with the connection to go on with, or that the server has named; empty for a new one. */
        void opened(String connectionId);

        /**
         * A message has come.
         *
         * @param next to be run when the next one may come
         */
        void received(Message message, Runnable next) throws InterruptedException;

        /** The peer has received everything that was sent before the ping of this number. */
        void confirmed(long number);

        /**
         * The carrier has ended; called once, on any thread.
         *
         * @param code that of the close of the peer, or of this side; {@link SocketCodes#CUT} when there was none
         * @param failure why it was cut; null when it was closed, or has just ended
         */
        void ended(int code, String reason, @Nullable Throwable failure);
    }

    /** Something to write; nothing follows the last. */
    private record Outgoing(
            @Nullable Message message, Runnable taken, Consumer<@Nullable Throwable> done, boolean isLast) {}

    /** Ends the thread that waits for something to write. */
    private static final Outgoing END = new Outgoing(null, () -> {}, failure -> {}, true);

    private final Transport transport;
    private final Listener listener;
    private final BlockingQueue<Outgoing> outgoing = new LinkedBlockingQueue<>();

    /** Has a permit when the next message may be read. */
    private final Semaphore room = new Semaphore(0);

    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean isBroken;
    private volatile Runnable taken = () -> {};

    /** The code of the close that has come, or else was sent; 0 when there is none. */
    private volatile int code;

    private volatile String reason = "";

    FrameCarrier(Transport transport, Listener listener) {
        this.transport = transport;
        this.listener = listener;
    }

    void start(ThreadFactory threads) {
        threads.newThread(() -> run(this::read)).start();
        threads.newThread(() -> run(this::write)).start();
    }

    private void run(Runnable body) {
        try {
            body.run();
        } catch (RuntimeException | Error e) {
            end(new HttpFailure(HttpFailure.Kind.FINAL, "a fault in this program: " + e, e));
        }
    }

    // ---- reading

    private void read() {
        Throwable why = null;
        try {
            for (Message next = transport.reader().read();
                    next != null && !ended.get();
                    next = transport.reader().read()) {
                take(next);
            }
        } catch (IOException e) {
            why = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end(why);
    }

    private void take(Message message) throws InterruptedException {
        String kind = kind(message);
        listener.heard(kind.isEmpty());
        switch (kind) {
            case Wire.OPEN -> listener.opened(Raw.text(message.params(), "connectionId"));
            case Wire.PING -> {
                long number = Raw.number(message.params(), 0, "number");
                add(new Outgoing(control(Wire.PONG, number), () -> {}, failure -> {}, false));
            }
            case Wire.PONG -> listener.confirmed(Raw.number(message.params(), 0, "number"));
            case Wire.CLOSE -> closed(message);
            default -> {
                listener.received(message, room::release);
                room.acquire();
            }
        }
    }

    /** The peer has closed it, and is answered, unless that is the answer. */
    private void closed(Message message) {
        code = (int) Raw.number(message.params(), SocketCodes.NO_CODE, "code");
        reason = Raw.text(message.params(), "reason");
        if (closing.getAndSet(true)) {
            end(null);
        } else {
            add(closing(code, "", true));
        }
    }

    // ---- writing

    private void write() {
        try {
            for (Outgoing next = outgoing.take(); next.message() != null; next = outgoing.take()) {
                write(next, next.message());
                if (next.isLast()) {
                    end(null);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(Outgoing next, Message message) {
        try {
            if (isBroken) {
                throw new IOException("the line is broken");
            }
            taken = next.taken();
            transport.writer().write(message);
            transport.writer().flush();
            next.done().accept(null);
        } catch (MessageTooLargeException e) {
            next.done().accept(new HttpFailure(HttpFailure.Kind.FINAL, String.valueOf(e.getMessage()), e));
        } catch (IOException e) {
            isBroken = true;
            next.done().accept(e);
        }
    }

    /** A part of what is being written was taken. */
    void progressed() {
        taken.run();
    }

    private void add(Outgoing next) {
        boolean unused = outgoing.add(next);
        if (ended.get()) {
            discard();
        }
    }

    /**
     * Sends a message; does not block.
     *
     * @param taken run when the peer has taken a part of it
     * @param done with the failure, or null when it was written
     */
    void send(Message message, Runnable taken, Consumer<@Nullable Throwable> done) {
        add(new Outgoing(message, taken, done, false));
    }

    /** Begins: names the connection to go on with, or the one of the server; empty asks for a new one. */
    void open(String connectionId, Consumer<@Nullable Throwable> done) {
        Message message = notification(Wire.OPEN, Map.of("connectionId", new JsonString(connectionId)));
        send(message, () -> {}, done);
    }

    /** Asks for a sign of life, which names the number again. */
    void ping(long number, Consumer<@Nullable Throwable> done) {
        send(control(Wire.PING, number), () -> {}, done);
    }

    /**
     * Closes it behind what was sent before.
     *
     * @param waits whether it ends with the answer of the peer, instead of at once
     */
    void close(int with, String why, boolean waits) {
        if (!closing.getAndSet(true)) {
            code = with;
            add(closing(with, why, !waits));
        }
    }

    // ---- the end

    /** Ends it at once. */
    void cut() {
        end(null);
    }

    private void end(@Nullable Throwable failure) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        transport.close();
        room.release();
        discard();
        int with = code;
        listener.ended(with == 0 ? SocketCodes.CUT : with, reason, with == 0 ? failure : null);
    }

    private void discard() {
        for (Outgoing next = outgoing.poll(); next != null; next = outgoing.poll()) {
            next.done().accept(new IOException("the line has ended"));
        }
        boolean unused = outgoing.add(END);
    }

    // ---- messages of control

    private static Message control(String method, long number) {
        return notification(method, Map.of("number", JsonNumber.of(number)));
    }

    private static Outgoing closing(int code, String reason, boolean isLast) {
        Map<String, JsonValue> params = new LinkedHashMap<>();
        params.put("code", JsonNumber.of(code));
        params.put("reason", new JsonString(reason));
        return new Outgoing(notification(Wire.CLOSE, params), () -> {}, failure -> {}, isLast);
    }

    private static Message notification(String method, Map<String, JsonValue> params) {
        return Message.notification(method, RawJson.of(JsonObject.of(params)));
    }

    /** Returns the method of a message of control; empty for any other one. */
    private static String kind(Message message) {
        if (message.kind() != Message.Kind.NOTIFICATION) {
            return "";
        }
        return switch (message.method()) {
            case Wire.OPEN, Wire.PING, Wire.PONG, Wire.CLOSE -> message.method();
            default -> "";
        };
    }
}
