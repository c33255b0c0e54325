package dev.acp4j.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.tap.Poll;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class StreamTransportTest {
    private static final int LIMIT = 100;

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 64 * 1024})
    @Tag("FRM-01")
    void linesEndWithLfOrCrLfHoweverTheReadsFall(int readBytes) throws Exception {
        assertThat(readAll("{\"a\":1}\n{\"b\":2}\r\n[]\n", readBytes)).containsExactly("{\"a\":1}", "{\"b\":2}", "[]");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 64 * 1024})
    @Tag("FRM-01")
    void linesMayEndWithCrAlone(int readBytes) throws Exception {
        assertThat(readAll("{\"a\":1}\r{\"b\":2}\r[]\r", readBytes)).containsExactly("{\"a\":1}", "{\"b\":2}", "[]");
        assertThat(readAll("{\r\"a\":1}\n{\"b\":2}\r\n", readBytes)).containsExactly("{\r\"a\":1}", "{\"b\":2}");
    }

    @Test
    void aMessageThatEndsWithCrAloneIsReadAtOnce() throws Exception {
        try (PipedOutputStream out = new PipedOutputStream();
                InputStream in = new PipedInputStream(out)) {
            out.write("{\"a\":1}\r".getBytes(StandardCharsets.UTF_8));

            assertThat(StreamTransport.of(in, written).reader().read()).hasToString("{\"a\":1}");
        }
    }

    static List<Charset> otherCharsets() {
        return List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE);
    }

    @ParameterizedTest
    @MethodSource("otherCharsets")
    void utf16IsReportedAsSoonAsItBegins(Charset charset) throws Exception {
        try (PipedOutputStream out = new PipedOutputStream();
                InputStream in = new PipedInputStream(out)) {
            out.write("{\"a\":1}".getBytes(charset));

            Message message = Objects.requireNonNull(
                    StreamTransport.of(in, written).reader().read());

            assertThat(message.kind()).isEqualTo(Message.Kind.INVALID);
            assertThat(message.problem()).isEqualTo("the bytes are UTF-16, and messages must be UTF-8");
        }
    }

    @Test
    void bytesThatWaitForTheEndOfTheirLineAreCounted() throws Exception {
        PipedOutputStream out = new PipedOutputStream();
        StreamTransport transport = StreamTransport.of(new PipedInputStream(out), written);
        FutureTask<@Nullable Message> reading =
                new FutureTask<>(() -> transport.reader().read());
        Thread.startVirtualThread(reading);

        out.write("{\"a\":1}".getBytes(StandardCharsets.UTF_8));
        out.flush();

        assertThat(Poll.until(() -> transport.unfinishedBytes() == 7)).isTrue();
        out.close();
        assertThat(reading.get()).hasToString("{\"a\":1}");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64 * 1024})
    @Tag("FRM-02")
    void blankLinesAreSkipped(int readBytes) throws Exception {
        assertThat(readAll("\n\r\n1\n   \n\t \r\n\n2\n \n", readBytes)).containsExactly("1", "2");
    }

    @Test
    @Tag("FRM-02")
    void aBlankLineOverManyBlocksIsSkipped() throws Exception {
        assertThat(readAll(" ".repeat(200_000) + "\n1\n", 64 * 1024, 200_000)).containsExactly("1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1\n{}", "1\n{}\r", "1\n{}\n"})
    @Tag("FRM-03")
    void theLastLineNeedsNoLineFeed(String text) throws Exception {
        assertThat(readAll(text, 64 * 1024)).containsExactly("1", "{}");
    }

    @Test
    @Tag("FRM-04")
    void halfAMessageAtTheEndIsHandedOnAsItIs() throws Exception {
        assertThat(readAll("1\n{\"jsonrpc\":\"2.", 5)).containsExactly("1", "{\"jsonrpc\":\"2.");
    }

    @Test
    void theEndOfTheStreamStaysTheEnd() throws Exception {
        Transport.Reader reader = reader("1\n", 10);

        assertThat(reader.read()).hasToString("1");
        assertThat(reader.read()).isNull();
        assertThat(reader.read()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 64 * 1024})
    @Tag("FRM-11")
    void aByteOrderMarkAtTheStartIsSkippedAndNowhereElse(int readBytes) throws Exception {
        assertThat(readAll("\uFEFF1\n\uFEFF2\n", readBytes)).containsExactly("1", "\uFEFF2");
        assertThat(readAll("\uFEFF", readBytes)).isEmpty();
    }

    @Test
    @Tag("FRM-10")
    @Tag("FRM-09")
    void bytesAreHandedOnAsTheyAre() throws Exception {
        byte[] bytes = {'"', (byte) 0xff, (byte) 0xc3, '"', '\n', '"', (byte) 0xc3, (byte) 0xa4, '"', '\n'};

        Transport.Reader reader =
                StreamTransport.of(new Trickle(bytes, 1), written).reader();

        Message first = Objects.requireNonNull(reader.read());
        assertThat(first.length()).isEqualTo(4);
        assertThat(reader.read()).hasToString("\"ä\"");
    }

    @Test
    @Tag("FRM-12")
    void aLineInVeryManyPiecesTakesLinearTime() throws Exception {
        String line = "\"" + "x".repeat(4_000_000) + "\"";

        long before = System.nanoTime();
        List<String> lines = readAll(line + "\n", 1, 5_000_000);

        // Looking at the whole line again for every piece would take an hour.
        assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(20));
        assertThat(lines).hasSize(1);
        assertThat(lines.get(0).equals(line)).isTrue();
    }

    @Test
    @Tag("FRM-13")
    void theLimitIs64MiBUnlessSaidOtherwiseAndMustBePositive() {
        assertThat(StreamTransport.STANDARD_MESSAGE_BYTES).isEqualTo(67_108_864);
        assertThatThrownBy(() -> StreamTransport.of(InputStream.nullInputStream(), written, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64 * 1024})
    @Tag("FRM-14")
    void theLimitCountsTheMessageWithoutItsLineEnding(int readBytes) throws Exception {
        String exact = "x".repeat(LIMIT);

        for (String ending : new String[] {"\n", "\r\n", ""}) {
            assertThat(readAll(exact + ending, readBytes)).containsExactly(exact);
            assertThat(readAll(exact + "y" + ending, readBytes)).containsExactly("too large");
        }
        assertThat(readAll("\uFEFF" + exact + "\n", readBytes)).containsExactly(exact);
    }

    @Test
    @Tag("FRM-15")
    void theLimitIsNoticedWhenTheBytesAreSeen() throws Exception {
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 'x';
            }
        };

        Message message = Objects.requireNonNull(
                StreamTransport.of(endless, written, 1_000_000).reader().read());

        assertThat(message.kind()).isEqualTo(Message.Kind.OVERSIZED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64 * 1024})
    @Tag("FRM-16")
    void readingGoesOnBehindAnOversizedMessage(int readBytes) throws Exception {
        String big = "x".repeat(LIMIT + 1);
        String huge = "y".repeat(300_000);

        assertThat(readAll("1\n" + big + "\n2\n" + huge + "\r\n" + huge + "\n3", readBytes))
                .containsExactly("1", "too large", "2", "too large", "too large", "3");
        assertThat(readAll(huge, readBytes)).containsExactly("too large");
    }

    @Test
    @Tag("FRM-17")
    void theBeginningOfAnOversizedMessageIsKeptToFindItsId() throws Exception {
        String message = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":\"" + "x".repeat(200_000) + "\"}\n";

        for (int readBytes : new int[] {1, 64 * 1024}) {
            Transport.Reader reader = reader(message, readBytes);

            Message read = Objects.requireNonNull(reader.read());

            assertThat(read.kind()).isEqualTo(Message.Kind.OVERSIZED);
            assertThat(read.toString()).startsWith("{\"jsonrpc\":\"2.0\",\"id\":7");
            assertThat(read.id()).isEqualTo(RequestId.of(7));
            assertThat(read.length()).isBetween(LIMIT, 1024);
            assertThat(read.problem()).isEqualTo("message is larger than 100 bytes");
        }
    }

    @Test
    @Tag("FRM-29")
    @Tag("CLS-12")
    void aFailureToReadIsNotTheEnd() throws Exception {
        InputStream failing = new InputStream() {
            private final InputStream start = new ByteArrayInputStream("1\n2".getBytes(UTF_8));

            @Override
            public int read() throws IOException {
                int next = start.read();
                if (next < 0) {
                    throw new IOException("cable cut");
                }
                return next;
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                bytes[from] = (byte) read();
                return 1;
            }
        };
        Transport.Reader reader = StreamTransport.of(failing, written).reader();

        assertThat(reader.read()).hasToString("1");
        assertThatThrownBy(reader::read).isInstanceOf(IOException.class).hasMessage("cable cut");
        assertThatThrownBy(reader::read).isInstanceOf(IOException.class).hasMessage("cable cut");
    }

    @Test
    void aBlankLineIsNoMessageThatIsReady() throws Exception {
        Transport.Reader reader = reader("1\n \r\n\n2\n" + "x".repeat(LIMIT + 1) + "\n3\n\n", 64 * 1024);

        assertThat(reader.read()).hasToString("1");
        assertThat(reader.isReady()).isTrue();
        assertThat(reader.read()).hasToString("2");
        assertThat(Objects.requireNonNull(reader.read()).kind()).isEqualTo(Message.Kind.OVERSIZED);
        assertThat(reader.read()).hasToString("3");
        assertThat(reader.isReady()).isFalse();
        assertThat(reader.read()).isNull();
    }

    @Test
    void aKeptMessageHoldsNoMoreThanItself() throws Exception {
        Transport.Reader reader = reader("{\"small\":1}\n" + "x".repeat(80) + "\n", 64 * 1024);

        Message message = Objects.requireNonNull(reader.read());

        assertThat(message.raw().bytes()).hasSize(message.length());
    }

    @Test
    void aKeptMessageOfManyBlocksHoldsNoMoreThanItself() throws Exception {
        byte[] text = ("x".repeat(700_000) + "\n1\n").getBytes(UTF_8);
        Transport.Reader reader =
                StreamTransport.of(new Trickle(text, 60_000), written).reader();

        Message large = Objects.requireNonNull(reader.read());
        Message small = Objects.requireNonNull(reader.read());

        assertThat(large.raw().bytes()).hasSize(700_000);
        assertThat(small.raw().bytes()).hasSize(1);
    }

    @Test
    void linesThatEndAroundTheEdgesOfBlocksAreWhole() throws Exception {
        for (int edge : new int[] {65_536, 327_680, 589_824}) {
            for (int length = edge - 3; length <= edge + 2; length++) {
                // A carriage return inside a line belongs to it.
                String line = "\r" + "x".repeat(length - 2) + "y";
                for (int readBytes : new int[] {1000, 65_536, 1_000_000}) {
                    List<String> lines = readAll(line + "\r\n2\n" + line + "\n3", readBytes, 1_000_000);

                    assertThat(lines).as("%d bytes", length).hasSize(4);
                    assertThat(lines.get(0).equals(line)).isTrue();
                    assertThat(lines.get(2).equals(line)).isTrue();
                    assertThat(lines).element(1).isEqualTo("2");
                    assertThat(lines).element(3).isEqualTo("3");
                }
            }
        }
    }

    @Test
    void anyTextInAnyPiecesGivesItsLines() throws Exception {
        Random random = new Random(20_261_120);
        for (int round = 0; round < 300; round++) {
            StringBuilder text = new StringBuilder();
            List<String> expected = new ArrayList<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
                int length = random.nextInt(4) == 0 ? random.nextInt(200_000) : random.nextInt(LIMIT + 20);
                text.append("z".repeat(length)).append(random.nextBoolean() ? "\n" : "\r\n");
                if (length > 0) {
                    expected.add(length > LIMIT ? "too large" : "z".repeat(length));
                }
            }

            assertThat(readAll(text.toString(), 1 + random.nextInt(100_000))).isEqualTo(expected);
        }
    }

    @Test
    @Tag("FRM-19")
    @Tag("FRM-20")
    void everyMessageIsWrittenAsOneLineWhateverItHolds() throws Exception {
        write("{\n\t\"a\" : [1,\r\n2]\n}");
        write("{\n not json \r");

        assertThat(written.toString(UTF_8)).isEqualTo("{ \t\"a\" : [1,  2] }\n{  not json  \n");
    }

    @Test
    @Tag("FRM-18")
    void theLimitHoldsForOutput() throws Exception {
        write("x".repeat(LIMIT));

        assertThatThrownBy(() -> write("x".repeat(LIMIT + 1))).isInstanceOf(MessageTooLargeException.class);
        write("2");

        assertThat(written.toString(UTF_8)).isEqualTo("x".repeat(LIMIT) + "\n2\n");
    }

    @Test
    @Tag("FRM-21")
    void messagesAreGatheredUntilFlushWhichReachesTheOtherSide() throws Exception {
        List<String> calls = new ArrayList<>();
        OutputStream out = new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("one byte written by itself");
            }

            @Override
            public void write(byte[] bytes, int from, int length) {
                calls.add(new String(bytes, from, length, UTF_8));
            }

            @Override
            public void flush() {
                calls.add("flush");
            }
        };
        Transport.Writer writer =
                StreamTransport.of(InputStream.nullInputStream(), out).writer();

        writer.write(Message.parse(RawJson.number(1)));
        writer.write(Message.parse(RawJson.number(2)));
        assertThat(calls).isEmpty();
        writer.flush();

        assertThat(calls).containsExactly("1\n2\n", "flush");
    }

    @ParameterizedTest
    @ValueSource(ints = {65_534, 65_535, 65_536, 65_537, 200_000})
    void messagesAroundTheSizeOfTheBufferAreWrittenWhole(int length) throws Exception {
        Transport.Writer writer =
                StreamTransport.of(InputStream.nullInputStream(), written).writer();
        byte[] bytes = "x".repeat(length).getBytes(UTF_8);

        writer.write(Message.parse(RawJson.wrap(bytes, 0, length)));
        writer.write(Message.parse(RawJson.number(2)));
        writer.close();

        assertThat(written.toString(UTF_8).equals("x".repeat(length) + "\n2\n")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 65_536})
    @Tag("FRM-19")
    void lineBreaksInLargeMessagesBecomeSpacesWhereverTheyStand(int before) throws Exception {
        for (int at : new int[] {0, 1, 65_532, 65_533, 65_534, 65_535, 65_536, 131_071, 131_072, 199_998}) {
            byte[] message = "x".repeat(200_000).getBytes(UTF_8);
            message[at] = '\r';
            message[at + 1] = '\n';
            byte[] same = message.clone();
            Transport.Writer writer =
                    StreamTransport.of(InputStream.nullInputStream(), written).writer();

            written.reset();
            writer.write(Message.parse(RawJson.wrap("1".repeat(before).getBytes(UTF_8), 0, before)));
            writer.write(Message.parse(RawJson.wrap(message, 0, message.length)));
            writer.flush();

            String line = "x".repeat(at) + "  " + "x".repeat(199_998 - at);
            assertThat(written.toString(UTF_8).equals("1".repeat(before) + "\n" + line + "\n"))
                    .as("line break at %d", at)
                    .isTrue();
            assertThat(message).as("what others may still read").isEqualTo(same);
        }
    }

    @Test
    void closeInterruptsThreadsThatAreBlockedAndOnlyThere() throws Exception {
        PipedInputStream in = new PipedInputStream();
        PipedOutputStream other = new PipedOutputStream(in);
        PipedOutputStream out = new PipedOutputStream();
        PipedInputStream unread = new PipedInputStream(out, 10);
        StreamTransport transport = StreamTransport.of(in, out);
        FutureTask<Boolean> reading = new FutureTask<>(() -> {
            assertThat(transport.reader().read()).isNull();
            return Thread.interrupted();
        });
        FutureTask<Boolean> writing = new FutureTask<>(() -> {
            transport.writer().write(Message.parse(RawJson.string("longer than the pipe")));
            assertThatThrownBy(() -> transport.writer().flush()).isInstanceOf(IOException.class);
            return Thread.interrupted();
        });
        Thread.ofPlatform().start(reading);
        Thread.ofPlatform().start(writing);
        assertThat(unread.read()).isEqualTo('"');

        transport.close();

        assertThat(reading.get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(writing.get(30, TimeUnit.SECONDS)).isFalse();
        other.close();
    }

    private void write(String message) throws IOException {
        Transport.Writer writer = StreamTransport.of(InputStream.nullInputStream(), written, LIMIT)
                .writer();
        byte[] bytes = ("(" + message + ")").getBytes(UTF_8);
        writer.write(Message.parse(RawJson.wrap(bytes, 1, bytes.length - 1)));
        writer.flush();
    }

    private Transport.Reader reader(String text, int readBytes) {
        return StreamTransport.of(new Trickle(text.getBytes(UTF_8), readBytes), written, LIMIT)
                .reader();
    }

    private List<String> readAll(String text, int readBytes) throws Exception {
        return readAll(text, readBytes, LIMIT);
    }

    private List<String> readAll(String text, int readBytes, int limit) throws Exception {
        Transport.Reader reader = StreamTransport.of(new Trickle(text.getBytes(UTF_8), readBytes), written, limit)
                .reader();
        List<String> lines = new ArrayList<>();
        while (true) {
            Message message = reader.read();
            if (message == null) {
                return lines;
            }
            lines.add(message.kind() == Message.Kind.OVERSIZED ? "too large" : message.toString());
        }
    }

    /** Gives at most so many bytes at once. */
    private static final class Trickle extends InputStream {
        private final ByteArrayInputStream bytes;
        private final int most;

        Trickle(byte[] bytes, int most) {
            this.bytes = new ByteArrayInputStream(bytes);
            this.most = most;
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] target, int from, int length) {
            return bytes.read(target, from, Math.min(length, most));
        }
    }

    @Test
    void onlyPipesOfTheSystemTakeShortMessagesAtOnceAndOnlyWhileMostIsRead() {
        Transport.Writer pipe = StreamTransport.ofPipes(
                        InputStream.nullInputStream(), OutputStream.nullOutputStream(), 100_000)
                .writer();
        Transport.Writer stream = StreamTransport.of(InputStream.nullInputStream(), OutputStream.nullOutputStream())
                .writer();

        assertThat(pipe.takes(1000, 2000)).isTrue();
        assertThat(pipe.takes(1000, 3000)).isFalse();
        assertThat(stream.takes(1, 0)).isFalse();
    }
}
