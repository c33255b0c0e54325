package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Time;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;

/** The body of a request, whoever's server reads it: bounded in bytes, and in time. */
final class Body {
    private static final int PART_BYTES = 16 * 1024;

    /** How long a body may take however small it is, and one byte of it. */
    private static final long NANOS = Duration.ofSeconds(30).toNanos();

    /** A slower body is refused. */
    private static final long BYTES_A_SECOND = 16 * 1024;

    private static final int TOO_SLOW = 408;

    private Body() {}

    /**
     * Reads a body to its end, and no further when it is refused: {@link #discard} takes the rest.
     *
     * @param declared how many bytes the client says it has; negative when it does not
     * @param limit the most bytes
     * @param counted told of each part before it is kept; may refuse it
     * @throws Refusal when it is larger, or comes too slowly
     * @throws IOException when the client has left
     */
    static RawJson read(InputStream in, long declared, int limit, IntConsumer counted, Time time) throws IOException {
        if (declared > limit) {
            throw tooLarge(limit);
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream(Math.clamp(declared, 32, 64 * 1024));
        byte[] part = new byte[PART_BYTES];
        long begin = time.nanoTime();
        try {
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                counted.accept(count);
                body.write(part, 0, count);
                if (body.size() > limit) {
                    throw tooLarge(limit);
                }
                if (time.nanoTime() - begin > NANOS + body.size() * 1_000_000_000L / BYTES_A_SECOND) {
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
        byte[] bytes = body.toByteArray();
        return RawJson.wrap(bytes, 0, bytes.length);
    }

    /**
     * Reads what is left of a body whose request has been answered, for as long as a small body may take, and closes
     * it. A client whose connection is closed while it still writes may never see the answer.
     */
    static void discard(InputStream rest, Time time) {
        byte[] part = new byte[PART_BYTES];
        long begin = time.nanoTime();
        try (rest) {
            while (rest.read(part) >= 0 && time.nanoTime() - begin <= NANOS) {
                // None of it is kept.
            }
        } catch (IOException | RuntimeException e) {
            // The client has left, or what it sends is no body.
        }
    }

    /** Returns whether what is left of a body is read behind an answer: not of a client that sends too slowly. */
    static boolean mayDiscard(Answer answer) {
        return answer.status() != TOO_SLOW;
    }

    private static Refusal tooLarge(int limit) {
        return new Refusal(413, "too_large", "a message has at most " + limit + " bytes");
    }

    private static Refusal tooSlow() {
        return new Refusal(TOO_SLOW, "too_slow", "the body came too slowly");
    }
}
