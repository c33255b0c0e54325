package dev.acp4j.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.MessageTooLargeException;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of every {@link Transport}, as tests: extend this in a test of your own transport and open a connection.
 * Messages written at the left end are read at the right end. A transport with a single end, such as a process that
 * echoes its input, is both ends.
 */
@Timeout(60)
public abstract class TransportContract {
    private Transport left;
    private Transport right;
    private boolean isLoop;

    /** For subclasses. */
    protected TransportContract() {}

    /** Two ends of one connection. */
    public record Ends(Transport left, Transport right) {}

    /** Opens a connection; the ends are closed after the test. */
    protected abstract Ends open() throws Exception;

    /** Returns the maximum message size of the transport, in bytes: 64 MiB by default. */
    protected int largestMessage() {
        return 64 * 1024 * 1024;
    }

    @BeforeEach
    void connect() throws Exception {
        Ends ends = open();
        left = ends.left();
        right = ends.right();
        isLoop = left.equals(right);
    }

    @AfterEach
    void disconnect() {
        left.close();
        right.close();
    }

    @Test
    void messagesArriveInOrderWhileOthersAreWritten() throws Exception {
        int count = 20_000;
        FutureTask<@Nullable Void> writing = run(() -> {
            for (int i = 0; i < count; i++) {
                left.writer().write(Message.parse(RawJson.number(i)));
            }
            left.writer().flush();
            return null;
        });

        for (int i = 0; i < count; i++) {
            assertEquals(Integer.toString(i), read(right));
        }

        await(writing);
    }

    @Test
    @Tag("FRM-23")
    void aWriterThatIsStuckDoesNotHoldUpItsReader() throws Exception {
        Message big = Message.parse(RawJson.string("x".repeat(8 * 1024 * 1024)));
        FutureTask<@Nullable Void> writing = run(() -> {
            for (int i = 0; i < 4; i++) {
                left.writer().write(big);
            }
            left.writer().flush();
            return null;
        });

        // Over a loop, the writer is blocked until the message is read.
        for (int i = 0; !isLoop && i < 2000; i++) {
            send(right, Integer.toString(i));
            assertEquals(Integer.toString(i), await(run(() -> read(left))));
            assertFalse(writing.isDone(), "a transport that takes 32 MiB without a reader has no bound");
        }

        for (int i = 0; i < 4; i++) {
            assertTrue(await(run(() -> read(right))).equals(big.toString()));
        }
        await(writing);
    }

    @Test
    void aLoneMessageArrivesAfterFlush() throws Exception {
        for (String message : new String[] {"1", "{}", "\"two words\"", "[null]"}) {
            send(left, message);

            assertEquals(message, read(right));
        }
    }

    @Test
    void theEnvelopeIsReadAndTextThatIsNoMessageArrivesToo() throws Exception {
        send(left, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":{\"sessionId\":\"s\"}}");
        send(left, "Hello!");

        Message request = Objects.requireNonNull(right.reader().read());
        Message noise = Objects.requireNonNull(right.reader().read());

        assertEquals(Message.Kind.REQUEST, request.kind());
        assertEquals("m", request.method());
        assertEquals("s", request.session());
        assertEquals(Message.Kind.NOISE, noise.kind());
        assertEquals("Hello!", noise.toString());
    }

    @Test
    @Tag("FRM-10")
    void bigMessagesArriveWholeAndCharactersAreNotSplit() throws Exception {
        String big = "\"" + "größer €🙂 ".repeat(600_000) + "\"";
        FutureTask<@Nullable Void> writing = run(() -> {
            send(left, "1");
            send(left, big);
            send(left, "2");
            return null;
        });

        assertEquals("1", read(right));
        assertTrue(read(right).equals(big));
        assertEquals("2", read(right));
        await(writing);
    }

    @Test
    @Tag("FRM-19")
    void aMessageOfSeveralLinesArrivesAsOneValue() throws Exception {
        send(left, "{\n  \"a\": 1,\r\n  \"b\": \"x\\ny\"\n}");
        send(left, "2");

        Message message = Objects.requireNonNull(right.reader().read());
        assertEquals(
                RawJson.parse("{\"a\":1,\"b\":\"x\\ny\"}").value(),
                message.raw().value());
        assertEquals("2", read(right));
    }

    @Test
    void messagesStayValidWhileOthersAreRead() throws Exception {
        for (int i = 0; i < 100; i++) {
            left.writer().write(Message.parse(RawJson.string("kept " + i)));
        }
        left.writer().flush();
        @Nullable Message[] kept = new @Nullable Message[100];

        for (int i = 0; i < kept.length; i++) {
            kept[i] = right.reader().read();
        }

        for (int i = 0; i < kept.length; i++) {
            assertEquals("\"kept " + i + "\"", text(kept[i]));
        }
    }

    /** A wrong hint would cause the reading thread to defer urgent work. */
    @Test
    void aReaderThatSaysItIsReadyHasAMessage() throws Exception {
        for (int i = 0; i < 10; i++) {
            left.writer().write(Message.parse(RawJson.number(i)));
        }
        left.writer().flush();
        assertEquals("0", read(right));

        for (int i = 1; right.reader().isReady(); i++) {
            assertEquals(Integer.toString(i), await(run(() -> read(right))));
        }
    }

    @Test
    @Tag("CLS-11")
    void endingOneDirectionKeepsTheOther() throws Exception {
        left.writer().write(Message.parse("1"));
        left.writer().close();
        left.writer().close();

        assertEquals("1", read(right));
        assertNull(right.reader().read());
        assertNull(right.reader().read());
        assertThrows(IOException.class, () -> send(left, "2"));
        if (!isLoop) {
            send(right, "3");
            assertEquals("3", read(left));
        }
    }

    @Test
    @Tag("CLS-24")
    void closingOneEndIsTheEndOfTheStreamForTheOtherAfterWhatWasWritten() throws Exception {
        send(left, "1");
        if (isLoop) {
            left.writer().close();
        } else {
            left.close();
        }

        assertEquals("1", read(right));
        assertNull(right.reader().read());
    }

    @Test
    @Tag("FRM-30")
    void closeEndsABlockedRead() throws Exception {
        send(left, "1");
        assertEquals("1", read(right));
        FutureTask<@Nullable Message> reading = run(() -> right.reader().read());

        right.close();

        assertNull(await(reading));
        assertNull(right.reader().read());
    }

    @Test
    @Tag("FRM-30")
    @Tag("PRC-13")
    void closeEndsABlockedWrite() throws Exception {
        send(left, "1");
        assertEquals("1", read(right));
        Message big = Message.parse(RawJson.string("x".repeat(8 * 1024 * 1024)));
        FutureTask<@Nullable Void> writing = run(() -> {
            while (true) {
                left.writer().write(big);
            }
        });

        left.close();

        assertInstanceOf(
                IOException.class,
                assertThrows(ExecutionException.class, () -> writing.get(30, TimeUnit.SECONDS))
                        .getCause());
        assertThrows(IOException.class, () -> send(left, "2"));
    }

    @Test
    @Tag("FRM-18")
    void anOversizedMessageIsNotWrittenAndTheNextOneIs() throws Exception {
        byte[] bytes = new byte[largestMessage() + 1];
        Arrays.fill(bytes, (byte) '1');
        Message oversized = Message.parse(RawJson.wrap(bytes, 0, bytes.length));

        MessageTooLargeException e =
                assertThrows(MessageTooLargeException.class, () -> left.writer().write(oversized));
        assertEquals(largestMessage(), e.limit());
        assertTrue(new String(e.head(), java.nio.charset.StandardCharsets.US_ASCII).matches("1{1,1024}"));
        send(left, "2");

        assertEquals("2", read(right));
    }

    @Test
    @Tag("CLS-21")
    void closingTwiceAndFromSeveralThreadsIsHarmless() throws Exception {
        FutureTask<@Nullable Void> other = run(() -> {
            left.close();
            return null;
        });
        left.close();
        await(other);

        left.close();

        assertNull(left.reader().read());
    }

    @Test
    void writingToAClosedEndFails() {
        right.close();

        assertThrows(IOException.class, () -> {
            while (true) {
                send(left, "1");
            }
        });
    }

    /** Sends one line. */
    protected static void send(Transport to, String message) throws IOException {
        to.writer().write(Message.parse(message));
        to.writer().flush();
    }

    /** Reads one message as text. */
    protected static String read(Transport from) throws IOException, InterruptedException {
        return text(from.reader().read());
    }

    private static String text(@Nullable Message message) {
        return message == null ? "(end of stream)" : message.raw().toString();
    }

    /** Runs a task on a thread of its own. */
    protected static <T extends @Nullable Object> FutureTask<T> run(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread.ofPlatform().daemon().name("transport-test").start(future);
        return future;
    }

    /** Waits for a task. */
    protected static <T extends @Nullable Object> T await(FutureTask<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }
}
