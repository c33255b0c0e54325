package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every transport promises. What is written at the left end is read at the right end, which may be the same. */
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
            assertThat(text(right.reader().read())).isEqualTo(Integer.toString(i));
        }

        await(writing);
    }

    @Test
    @Tag("FRM-23")
    void aWriterThatIsStuckDoesNotHoldUpItsReader() throws Exception {
        RawJson big = RawJson.string("x".repeat(8 * 1024 * 1024));
        FutureTask<@Nullable Void> writing = run(() -> {
            for (int i = 0; i < 4; i++) {
                left.writer().write(Message.parse(big));
            }
            left.writer().flush();
            return null;
        });

        // Over a loop, the writer is stuck until we read.
        for (int i = 0; !isLoop && i < 2000; i++) {
            send(right, Integer.toString(i));
            assertThat(text(await(run(() -> left.reader().read())))).isEqualTo(Integer.toString(i));
            assertThat(writing.isDone()).isFalse();
        }

        for (int i = 0; i < 4; i++) {
            assertThat(text(await(run(() -> right.reader().read()))).equals(big.toString()))
                    .isTrue();
        }
        await(writing);
    }

    @Test
    void aLoneMessageArrivesAfterFlush() throws Exception {
        for (String message : new String[] {"1", "{}", "\"two words\"", "[null]"}) {
            send(left, message);

            assertThat(text(right.reader().read())).isEqualTo(message);
        }
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

        assertThat(text(right.reader().read())).isEqualTo("1");
        assertThat(text(right.reader().read()).equals(big)).isTrue();
        assertThat(text(right.reader().read())).isEqualTo("2");
        await(writing);
    }

    @Test
    @Tag("FRM-19")
    void aMessageOfSeveralLinesArrivesAsOneValue() throws Exception {
        send(left, "{\n  \"a\": 1,\r\n  \"b\": \"x\\ny\"\n}");
        send(left, "2");

        Message message = Objects.requireNonNull(right.reader().read());
        assertThat(message.raw().value())
                .isEqualTo(RawJson.parse("{\"a\":1,\"b\":\"x\\ny\"}").value());
        assertThat(text(right.reader().read())).isEqualTo("2");
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
            assertThat(text(kept[i])).isEqualTo("\"kept " + i + "\"");
        }
    }

    @Test
    @Tag("CLS-11")
    void endingOneDirectionKeepsTheOther() throws Exception {
        left.writer().write(Message.parse(RawJson.number(1)));
        left.writer().close();
        left.writer().close();

        assertThat(text(right.reader().read())).isEqualTo("1");
        assertThat(right.reader().read()).isNull();
        assertThat(right.reader().read()).isNull();
        assertThatThrownBy(() -> send(left, "2")).isInstanceOf(IOException.class);
        if (!isLoop) {
            send(right, "3");
            assertThat(text(left.reader().read())).isEqualTo("3");
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

        assertThat(text(right.reader().read())).isEqualTo("1");
        assertThat(right.reader().read()).isNull();
    }

    @Test
    @Tag("FRM-30")
    void closeEndsABlockedRead() throws Exception {
        send(left, "1");
        assertThat(text(right.reader().read())).isEqualTo("1");
        FutureTask<@Nullable Message> reading = run(() -> right.reader().read());

        right.close();

        assertThat(await(reading)).isNull();
        assertThat(right.reader().read()).isNull();
    }

    @Test
    @Tag("FRM-30")
    @Tag("PRC-13")
    void closeEndsABlockedWrite() throws Exception {
        send(left, "1");
        assertThat(text(right.reader().read())).isEqualTo("1");
        RawJson big = RawJson.string("x".repeat(8 * 1024 * 1024));
        FutureTask<@Nullable Void> writing = run(() -> {
            while (true) {
                left.writer().write(Message.parse(big));
            }
        });

        left.close();

        assertThatThrownBy(() -> await(writing)).hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> send(left, "2")).isInstanceOf(IOException.class);
    }

    @Test
    @Tag("FRM-18")
    void anOversizedMessageIsNotWrittenAndTheNextOneIs() throws Exception {
        byte[] bytes = new byte[StreamTransport.STANDARD_MESSAGE_BYTES + 1];
        Arrays.fill(bytes, (byte) '1');

        assertThatThrownBy(() -> left.writer().write(Message.parse(RawJson.wrap(bytes, 0, bytes.length))))
                .isInstanceOfSatisfying(MessageTooLargeException.class, e -> {
                    assertThat(e.limit()).isEqualTo(StreamTransport.STANDARD_MESSAGE_BYTES);
                    assertThat(e.head()).hasSize(1024).containsOnly('1');
                });
        send(left, "2");

        assertThat(text(right.reader().read())).isEqualTo("2");
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

        assertThat(left.reader().read()).isNull();
    }

    @Test
    void writingToAClosedEndFails() throws Exception {
        right.close();

        assertThatThrownBy(() -> {
                    while (true) {
                        send(left, "1");
                    }
                })
                .isInstanceOf(IOException.class);
    }

    protected static void send(Transport to, String message) throws IOException {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        to.writer().write(Message.parse(RawJson.wrap(bytes, 0, bytes.length)));
        to.writer().flush();
    }

    protected static String text(@Nullable Message message) {
        return message == null ? "(end of stream)" : message.toString();
    }

    protected static <T extends @Nullable Object> FutureTask<T> run(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread.ofPlatform().daemon().name("transport-test").start(future);
        return future;
    }

    protected static <T extends @Nullable Object> T await(FutureTask<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }
}
