package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("CBK-17")
class TailBufferTest {
    private static final String TEXT = "aß€😀z\u0301b\n";
    private static final byte[] BYTES = TEXT.getBytes(StandardCharsets.UTF_8);

    @Test
    void textCutIntoPiecesAtEachByteIsTheSameText() {
        for (int cut = 0; cut <= BYTES.length; cut++) {
            TailBuffer buffer = new TailBuffer(100);

            buffer.append(BYTES, cut);
            append(buffer, Arrays.copyOfRange(BYTES, cut, BYTES.length));
            buffer.finish();

            assertThat(buffer.content()).isEqualTo(new TailBuffer.Content(TEXT, false));
        }
    }

    @Test
    void characterShowsWhenItsLastByteHasCome() {
        TailBuffer buffer = new TailBuffer(100);

        for (int i = 0; i < BYTES.length; i++) {
            append(buffer, new byte[] {BYTES[i]});

            String shown = buffer.content().text();
            assertThat(TEXT).startsWith(shown);
            assertThat(shown.getBytes(StandardCharsets.UTF_8).length).isGreaterThan(i - 3);
        }
        assertThat(buffer.content().text()).isEqualTo(TEXT);
    }

    @Test
    void eachLimitCutsFromTheStartAtTheBorderOfACharacter() {
        for (int limit = 0; limit <= BYTES.length; limit++) {
            TailBuffer buffer = new TailBuffer(limit);

            append(buffer, BYTES);

            assertIsTail(buffer, TEXT, limit);
        }
    }

    @Test
    void limitHoldsHoweverTheOutputComes() {
        Random random = new Random(7);
        StringBuilder written = new StringBuilder();
        TailBuffer small = new TailBuffer(13);
        TailBuffer large = new TailBuffer(20_000);

        for (int i = 0; i < 2_000; i++) {
            String piece = TEXT.repeat(random.nextInt(20)) + "€".repeat(random.nextInt(3));
            written.append(piece);
            append(small, piece.getBytes(StandardCharsets.UTF_8));
            append(large, piece.getBytes(StandardCharsets.UTF_8));
            if (i % 50 == 0) {
                assertIsTail(small, written.toString(), 13);
                assertIsTail(large, written.toString(), 20_000);
            }
        }
    }

    @Test
    void onePieceLargerThanTheLimitLeavesItsEnd() {
        TailBuffer buffer = new TailBuffer(10);

        append(buffer, ("x".repeat(100_000) + "€😀").getBytes(StandardCharsets.UTF_8));

        assertThat(buffer.content()).isEqualTo(new TailBuffer.Content("xxx€😀", true));
    }

    @Test
    void bytesThatAreNotUtf8AreReplacedAndCountAsWhatReplacesThem() {
        TailBuffer buffer = new TailBuffer(7);

        append(buffer, new byte[] {'a', (byte) 0xFF, 'b', (byte) 0xC3});
        assertThat(buffer.content()).isEqualTo(new TailBuffer.Content("a\uFFFDb", false));
        buffer.finish();

        assertThat(buffer.content()).isEqualTo(new TailBuffer.Content("\uFFFDb\uFFFD", true));
    }

    @Test
    void nothingWrittenIsNothingTruncated() {
        TailBuffer buffer = new TailBuffer(0);

        buffer.finish();

        assertThat(buffer.content()).isEqualTo(new TailBuffer.Content("", false));
    }

    private static void append(TailBuffer buffer, byte[] bytes) {
        buffer.append(bytes, bytes.length);
    }

    /** The tail is as long as it can be: one more character would not fit. */
    private static void assertIsTail(TailBuffer buffer, String whole, int limit) {
        TailBuffer.Content content = buffer.content();
        int size = content.text().getBytes(StandardCharsets.UTF_8).length;
        assertThat(whole).endsWith(content.text());
        assertThat(size).isLessThanOrEqualTo(limit);
        assertThat(content.truncated()).isEqualTo(content.text().length() < whole.length());
        if (content.truncated()) {
            int before = whole.codePointBefore(whole.length() - content.text().length());
            int more = Character.toString(before).getBytes(StandardCharsets.UTF_8).length;
            assertThat(size + more).isGreaterThan(limit);
        }
    }
}
