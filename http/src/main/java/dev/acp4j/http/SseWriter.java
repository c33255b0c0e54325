package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes frames as server-sent events. */
final class SseWriter implements FrameSink {
    private static final byte[] ID = ascii("id: ");
    private static final byte[] DATA = ascii("data: ");
    private static final byte[] END = ascii("\n\n");
    private static final byte[] SIGN_OF_LIFE = ascii(":\n\n");

    /** How long a client waits before it connects again, unless it knows better. */
    private static final byte[] OPENING = ascii("retry: 1000\n: ok\n\n");

    private Exchange.@Nullable Events events;
    private Runnable progress = () -> {};
    private Runnable gone = () -> {};

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Begins the stream; nothing else is written before it is told that this is done. */
    void open(Exchange.Events answer, Consumer<@Nullable Throwable> done) {
        events = answer;
        answer.write(ByteBuffer.wrap(OPENING), watched(done));
        answer.onGone(() -> {
            gone.run();
            answer.abort();
        });
    }

    /** A client that cannot be written to is gone: without an end its request, and its socket, would stay. */
    private Consumer<@Nullable Throwable> watched(Consumer<@Nullable Throwable> done) {
        return failure -> {
            done.accept(failure);
            if (failure != null) {
                abort();
            }
        };
    }

    @Override
    public void begin(Runnable progressed, Runnable left) {
        progress = progressed;
        gone = left;
    }

    private Exchange.Events events() {
        if (events == null) {
            throw new IllegalStateException("the stream is not open yet");
        }
        return events;
    }

    @Override
    public void write(String epoch, List<StreamLog.Frame> frames, Consumer<@Nullable Throwable> done) {
        ByteBuffer bytes = frames.isEmpty() ? ByteBuffer.wrap(SIGN_OF_LIFE) : bytes(epoch, frames);
        Parts.write(bytes, (part, isFirst, isLast, written) -> events().write(part, written), progress, watched(done));
    }

    /** An event without data moves the position, and is no message to anybody. */
    @Override
    public void place(Cursor cursor, Consumer<@Nullable Throwable> done) {
        events().write(ByteBuffer.wrap(ascii("id: " + cursor + "\n\n")), watched(done));
    }

    private static ByteBuffer bytes(String epoch, List<StreamLog.Frame> frames) {
        byte[][] ids = new byte[frames.size()][];
        int size = 0;
        for (int i = 0; i < ids.length; i++) {
            StreamLog.Frame frame = frames.get(i);
            boolean hasId = frame.number() > 0 && !epoch.isEmpty();
            ids[i] = hasId ? ascii(new Cursor(epoch, frame.number()) + "\n") : new byte[0];
            size += ID.length + ids[i].length + DATA.length + frame.json().length() + END.length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(size);
        for (int i = 0; i < ids.length; i++) {
            if (ids[i].length > 0) {
                bytes.put(ID).put(ids[i]);
            }
            RawJson json = frames.get(i).json();
            bytes.put(DATA).put(json.bytes(), json.from(), json.length()).put(END);
        }
        return bytes.flip();
    }

    @Override
    public void end(Runnable done) {
        events().end(done);
    }

    @Override
    public void expire(Runnable done) {
        // The client's next request hears why.
        end(done);
    }

    @Override
    public void abort() {
        events().abort();
    }

    @Override
    public boolean isWatched() {
        return true;
    }
}
