package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Messages on their way in: reads one after another and hands each to the {@link Dispatcher}. */
final class Inbox implements Runnable {
    /** How much of a message that is too large is looked at, to learn whom it concerns. */
    private static final int HEAD_BYTES = 1024;

    private final Transport transport;
    private final Connection connection;
    private final Ending ending;
    private final Envelope envelope;

    Inbox(Transport transport, Connection connection, Ending ending) {
        this.transport = transport;
        this.connection = connection;
        this.ending = ending;
        this.envelope = new Envelope(connection.laneMember());
    }

    /** The body of the reading thread: returns when the input and with it the connection have ended. */
    @Override
    public void run() {
        ending.end(readAll(), true);
    }

    /** Returns at the end of input, with what failed, or null. */
    private @Nullable Throwable readAll() {
        try {
            while (readOne()) {
                // one message after another until the end
            }
            return null;
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            return e;
        }
    }

    private boolean readOne() throws IOException, InterruptedException {
        Dispatcher dispatcher = connection.dispatcher();
        try {
            RawJson frame = transport.reader().read();
            if (frame == null) {
                return false;
            }
            connection.watchedFrames().received(frame);
            int limit = connection.limits().messageBytes();
            if (frame.length() > limit) {
                byte[] head = frame.copy().bytes();
                throw new MessageTooLargeException(limit, Arrays.copyOf(head, Math.min(head.length, HEAD_BYTES)));
            }
            envelope.read(frame);
            dispatcher.dispatch(frame, envelope);
            envelope.forget();
        } catch (MessageTooLargeException e) {
            byte[] head = e.head();
            dispatcher.tooLarge(e, Envelope.scan(RawJson.wrap(head, 0, head.length), connection.laneMember()));
        }
        return true;
    }
}
