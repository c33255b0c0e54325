package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Time;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The body of one request, in any server that reads it: bounded in bytes, and in time. */
final class Body {
    private static final int PART_BYTES = 16 * 1024;

    /** How long a body may take however small it is, and one byte of it. */
    private static final long NANOS = Duration.ofSeconds(30).toNanos();

    /** A slower body is refused. */
    private static final long BYTES_A_SECOND = 16 * 1024;

    static final int TOO_SLOW = 408;
    static final int TOO_LARGE = 413;

    /** What the server has of the body. A client that asks first whether to send it is told to by the first read. */
    interface Source {
        InputStream open() throws IOException;
    }

    private final Source source;
    private final long declared;
    private final Time time;

    /** Null until reading begins. */
    private volatile @Nullable InputStream content;

    /** Whether it was read to its end. */
    private volatile boolean isRead;

    /** @param declared how many bytes the client says it has; negative when it does not */
    Body(Source source, long declared, Time time) {
        this.source = source;
        this.declared = declared;
        this.time = time;
    }

    private InputStream content() throws IOException {
        InputStream open = content;
        if (open == null) {
            open = source.open();
            content = open;
        }
        return open;
    }

    /**
     * Reads the body to its end, and no further when it is refused: {@link #discard} takes the rest.
     *
     * @param limit the most bytes
     * @param counted told of each part before it is kept; may refuse it
     * @throws Refusal when it is larger, or comes too slowly
     * @throws IOException when the client has left
     */
    RawJson read(int limit, IntConsumer counted) throws IOException {
        if (declared > limit) {
            throw tooLarge(limit);
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream(Math.clamp(declared, 32, 64 * 1024));
        byte[] part = new byte[PART_BYTES];
        long begin = time.nanoTime();
        try {
            InputStream in = content();
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                counted.accept(count);
                body.write(part, 0, count);
                if (body.size() > limit) {
                    throw tooLarge(limit);
                }
                if (isTooSlow(time.nanoTime() - begin, body.size())) {
                    throw tooSlow();
                }
            }
        } catch (IOException e) {
            // What a server says of a client that has sent nothing for too long.
            if (e.getCause() instanceof TimeoutException) {
                throw tooSlow();
            }
            throw e;
        }
        isRead = true;
        byte[] bytes = body.toByteArray();
        return RawJson.wrap(bytes, 0, bytes.length);
    }

    /**
     * Returns whether the client may still send something behind an answer, which {@link #discard} then takes. One that
     * asks first sends nothing unless reading has begun, and one that sends too slowly is not waited for.
     *
     * @param expect the header by which it asks; null for none
     */
    boolean hasRest(Answer answer, @Nullable String expect) {
        return !isRead && (content != null || expect == null) && answer.status() != TOO_SLOW;
    }

    /**
     * Reads what is left when the request has been answered, for as long as a small body may take, and closes it. A
     * client whose connection is closed while it still writes may never see the answer.
     */
    void discard() {
        byte[] part = new byte[PART_BYTES];
        long begin = time.nanoTime();
        try (InputStream rest = content()) {
            while (rest.read(part) >= 0 && time.nanoTime() - begin <= NANOS) {
                // None of it is kept.
            }
        } catch (IOException | RuntimeException e) {
            // The client has left, or what it sends is no body.
        }
    }

    /** Returns whether so many bytes have taken too long. */
    static boolean isTooSlow(long nanos, long bytes) {
        return nanos > NANOS + bytes * 1_000_000_000L / BYTES_A_SECOND;
    }

    static Refusal tooLarge(int limit) {
        return new Refusal(TOO_LARGE, "too_large", "a message has at most " + limit + " bytes");
    }

    static Refusal tooSlow() {
        return new Refusal(
                TOO_SLOW, "too_slow", "a message must come with at least " + BYTES_A_SECOND + " bytes a second");
    }
}
