package dev.acp4j.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is JSON and what is not, by {@code texts.txt}. */
class JsonTextsTest {
    private static final List<Text> TEXTS = texts();

    private record Text(boolean valid, String shown) {
        /** Replaces {@code <c3 a9>} by the bytes. */
        byte[] bytes() {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            int pos = 0;
            while (pos < shown.length()) {
                int open = shown.indexOf('<', pos);
                int end = open < 0 ? shown.length() : open;
                out.writeBytes(shown.substring(pos, end).getBytes(StandardCharsets.UTF_8));
                pos = end;
                if (open >= 0) {
                    int close = shown.indexOf('>', open);
                    out.writeBytes(HexFormat.ofDelimiter(" ").parseHex(shown, open + 1, close));
                    pos = close + 1;
                }
            }
            return out.toByteArray();
        }
    }

    private static List<Text> texts() {
        try (InputStream in = Objects.requireNonNull(JsonTextsTest.class.getResourceAsStream("texts.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("+") || line.startsWith("-"))
                    .map(line -> new Text(line.startsWith("+"), line.substring(Math.min(2, line.length()))))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Tag("FRM-09")
    void eachIsAcceptedOrRefused() {
        for (Text text : TEXTS) {
            byte[] bytes = text.bytes();

            assertThat(accepts(() -> RawJson.parse(bytes))).as(text.shown()).isEqualTo(text.valid());
            assertThat(accepts(() -> tree(new JsonReader(bytes, 0, bytes.length))))
                    .as(text.shown())
                    .isEqualTo(text.valid());
        }
    }

    @Test
    void whatStandsAroundASliceDoesNotMatter() {
        for (Text text : TEXTS) {
            for (String around : new String[] {"7", "\"", "]", "}", "\\", ",", " ", "e", ".", "l", "\u0080"}) {
                byte[] outside = around.repeat(9).getBytes(StandardCharsets.UTF_8);
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                out.writeBytes(outside);
                out.writeBytes(text.bytes());
                out.writeBytes(outside);
                byte[] all = out.toByteArray();

                boolean accepted =
                        accepts(() -> tree(new JsonReader(all, outside.length, all.length - outside.length)));

                assertThat(accepted).as(text.shown()).isEqualTo(text.valid());
            }
        }
    }

    @Test
    void everyErrorSaysWhere() {
        for (Text text : TEXTS) {
            if (text.valid()) {
                continue;
            }
            byte[] bytes = text.bytes();

            JsonException e = catchThrowableOfType(JsonException.class, () -> RawJson.parse(bytes));

            assertThat(e.offset()).as(text.shown()).isBetween(0, bytes.length);
            assertThat(e.getMessage()).isNotBlank().doesNotContain("\n").hasSizeLessThan(200);
            assertThat(e.messageWithoutValue()).isNotBlank();
            assertThat(e.getStackTrace()).isNotEmpty();
        }
    }

    @Test
    void everyStartOfATextIsRefusedOrAValue() {
        for (Text text : TEXTS) {
            byte[] bytes = text.bytes();
            for (int to = 0; to < bytes.length; to++) {
                int end = to;

                boolean whole = accepts(() -> new JsonReader(bytes, 0, end).skip());

                assertThat(accepts(() -> JsonValue.CODEC.decode(new JsonReader(bytes, 0, end))))
                        .as(text.shown())
                        .isEqualTo(whole);
            }
        }
    }

    @Test
    @Tag("FRM-19")
    void whatIsAcceptedIsWrittenAsTheSameValueOnOneLine() {
        for (Text text : TEXTS) {
            if (!text.valid()) {
                continue;
            }
            JsonValue value = RawJson.parse(text.bytes()).value();

            RawJson written = RawJson.of(value);

            assertThat(written.value()).as(text.shown()).isEqualTo(value);
            assertThat(written.toString()).doesNotContain("\n", "\r", "\u2028", "\u2029", "\u0085");
            assertThat(written.compact()).isSameAs(written);
        }
    }

    @Test
    void theTableIsWhole() {
        assertThat(TEXTS.stream().filter(Text::valid)).hasSizeGreaterThan(140);
        assertThat(TEXTS.stream().filter(text -> !text.valid())).hasSizeGreaterThan(340);
    }

    @Test
    @Tag("FRM-24")
    void brackets() {
        assertThat(accepts(() -> RawJson.parse("[".repeat(256) + "]".repeat(256))))
                .isTrue();
        assertThat(accepts(() -> RawJson.parse("[".repeat(257) + "]".repeat(257))))
                .isFalse();
        assertThat(accepts(() -> RawJson.parse("[".repeat(500) + "]".repeat(500))))
                .isFalse();
        assertThat(accepts(() -> RawJson.parse("[".repeat(100_000)))).isFalse();
        assertThat(accepts(() -> RawJson.parse("[{\"\":".repeat(50_000)))).isFalse();
    }

    private static void tree(JsonReader reader) {
        JsonValue.CODEC.decode(reader);
        reader.end();
    }

    private static boolean accepts(Runnable reading) {
        try {
            reading.run();
            return true;
        } catch (JsonException e) {
            return false;
        }
    }
}
