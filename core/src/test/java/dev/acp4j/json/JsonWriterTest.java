package dev.acp4j.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonWriterTest {
    private static final Names NAMES = Names.of("type", "text");

    @Test
    void writesEverythingOnce() {
        JsonWriter out = new JsonWriter();

        out.beginObject();
        out.name(NAMES, 0);
        out.string(NAMES, 1);
        out.name("list");
        out.beginArray();
        out.int64(-1);
        out.number(0.5);
        out.bool(true);
        out.bool(false);
        out.nullValue();
        out.beginObject();
        out.endObject();
        out.beginArray();
        out.endArray();
        out.endArray();
        out.name("\"");
        out.raw(RawJson.parse("{ \"a\": 1 }"));
        out.endObject();

        assertThat(out.toRawJson())
                .hasToString("{\"type\":\"text\",\"list\":[-1,0.5,true,false,null,{},[]],\"\\\"\":{ \"a\": 1 }}");
    }

    @Test
    @Tag("FRM-19")
    void everyCharacterComesBackAndNoneBreaksTheLine() {
        for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
            String text = point < 0x10000 ? String.valueOf((char) point) : Character.toString(point);
            RawJson written = RawJson.string(text);

            if (written.reader().string().equals(text) && isOneLine(written)) {
                continue;
            }
            assertThat(written).as("U+%04X", point).hasToString("one line that says the same");
        }
    }

    private static boolean isOneLine(RawJson json) {
        return json.toString().codePoints().noneMatch(c -> c < ' ' || c == 0x85 || c == 0x2028 || c == 0x2029);
    }

    @Test
    void usesTheShortEscapes() {
        assertThat(RawJson.string("\"\\\n\r\t\b\f/\u0001\u001f\u007f"))
                .hasToString("\"\\\"\\\\\\n\\r\\t\\b\\f/\\u0001\\u001f\u007f\"");
        assertThat(RawJson.string("\ud800x\udc00\ud83d\ude00\ud83d")).hasToString("\"\\ud800x\\udc00😀\\ud83d\"");
        assertThat(RawJson.string("\u2028\u2029\u0085")).hasToString("\"\\u2028\\u2029\\u0085\"");
    }

    /** From 24 characters on, eight are looked at together. */
    @Test
    @Tag("FRM-19")
    void everyCharacterComesBackFromEveryPlaceOfALongerString() {
        int[] points = {
            0, 1, '\t', '\n', ' ', '!', '"', '#', '>', '?', '@', '\\', 'a', 0x7f, 0x80, 0x85, 0xe9, 0xff, 0x100, 0x13f,
            '€', 0x2028, 0xd800, 0xdc00, 0xffff, 0x1f600
        };
        for (int length = 20; length < 45; length++) {
            for (int place = 0; place < length; place++) {
                for (int point : points) {
                    for (String rest : new String[] {"a", "?", "\n"}) {
                        String text = rest.repeat(place) + Character.toString(point) + rest.repeat(length - place);
                        RawJson written = RawJson.string(text);

                        if (!written.reader().string().equals(text) || !isOneLine(written)) {
                            assertThat(written)
                                    .as("U+%04X at %d", point, place)
                                    .hasToString("one line that says the same");
                        }
                    }
                }
            }
        }
    }

    @Test
    void growsAsNeeded() {
        for (String special : new String[] {"a", "\u0001", "é", "€", "😀", "\ud800"}) {
            String text = special.repeat(10_000);
            JsonWriter out = new JsonWriter(0);

            out.beginArray();
            out.string(text);
            out.string(text);
            out.endArray();

            JsonReader in = out.toRawJson().reader();
            in.beginArray();
            in.nextElement();
            assertThat(in.string()).isEqualTo(text);
            in.nextElement();
            assertThat(in.string()).isEqualTo(text);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"?", "\n", "\"", "é", "\u0085", "€", "\u2028", "😀", "\ud800", "\udc00", "😀?é\n"})
    void whatIsSpecialComesBackFromTheEdgesOfPiecesOfALongString(String special) {
        for (int at = 8192 - 9; at < 8192 + 9; at++) {
            String text = "x".repeat(at) + special + "y".repeat(8192) + special + "z".repeat(20_000 - at) + special;

            RawJson written = RawJson.string(text);

            assertThat(written.reader().string().equals(text)).as("at %d", at).isTrue();
            assertThat(isOneLine(written)).isTrue();
        }
    }

    /** Of a long string a part is measured before it is written, so that its buffer does not double again and again. */
    @ParameterizedTest
    @ValueSource(
            strings = {"a", "\n", "\u0001", "\"", "é", "\u0085", "€", "\u2028", "😀", "\ud800", "line of a file\n€"})
    void aLongStringTakesLittleMoreThanItsOwnSpace(String piece) {
        String text = piece.repeat(200_000);
        JsonWriter out = new JsonWriter(16);

        out.beginArray();
        out.string(text);
        out.endArray();

        assertThat(out.buffer().length).isLessThan(out.size() * 3 / 2 + 1000);
        JsonReader in = out.toRawJson().reader();
        in.beginArray();
        in.nextElement();
        assertThat(in.string()).isEqualTo(text);
    }

    @Test
    void growsForEveryKindOfValue() {
        for (int filled = 0; filled < 40; filled++) {
            String start = "x".repeat(filled);
            JsonWriter out = new JsonWriter(16);
            out.beginArray();
            out.string(start);
            out.int64(Long.MIN_VALUE);
            out.string(start);
            out.beginObject();
            out.name(start);
            out.bool(false);
            out.name(NAMES, 0);
            out.number(-1.2345678901234567E-100);
            out.endObject();
            out.raw(RawJson.EMPTY_OBJECT);
            out.endArray();

            assertThat(RawJson.parse(out.toByteArray()))
                    .hasToString("[\"" + start + "\",-9223372036854775808,\"" + start + "\",{\"" + start
                            + "\":false,\"type\":-1.2345678901234567E-100},{}]");
        }
    }

    @Test
    @Tag("FRM-19")
    @Tag("FRM-20")
    void rawValuesAreWrittenOnOneLine() {
        RawJson pretty = RawJson.parse("{\n  \"a\": [\r\n1,\n\n2],\r\"b\": \"c d\"\n}");
        JsonWriter out = new JsonWriter();

        out.beginArray();
        out.raw(pretty);
        out.raw(RawJson.wrap("not JSON\nat all\n".getBytes(StandardCharsets.UTF_8), 0, 16));
        out.endArray();

        assertThat(new String(out.toByteArray(), StandardCharsets.UTF_8))
                .isEqualTo("[{  \"a\": [1,2],\"b\": \"c d\"},not JSONat all]");
    }

    @Test
    @Tag("FRM-19")
    void lineBreaksAreFoundInLongValuesToo() {
        for (int at = 0; at < 600; at += 7) {
            String text = "[" + " ".repeat(at) + "\n" + " ".repeat(600 - at) + "\r1]";
            JsonWriter out = new JsonWriter();

            out.raw(RawJson.parse(text));

            assertThat(out.toRawJson()).hasToString("[" + " ".repeat(600) + "1]");
        }
        String binary = "[\"" + "é\u010a\u010d😀".repeat(500) + "\"]";
        JsonWriter out = new JsonWriter();
        out.raw(RawJson.parse(binary));
        assertThat(out.toRawJson()).hasToString(binary);
    }

    @Test
    @Tag("FRM-19")
    void whatIsWrittenIsKnownToBeOneLine() {
        RawJson lines = RawJson.parse("{\"a\":\n[1,\r\n2]}");
        JsonWriter out = new JsonWriter();
        out.raw(lines);

        assertThat(lines.isKnownToBeOneLine()).isFalse();
        assertThat(List.of(out.toRawJson(), out.toRawJson().copy(), out.takeRawJson()))
                .allSatisfy(written -> {
                    assertThat(written.isKnownToBeOneLine()).isTrue();
                    assertThat(written).hasToString("{\"a\":[1,2]}");
                });
    }

    @Test
    void canBeUsedAgain() {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("a");

        out.reset();
        out.beginArray();
        out.int64(1);
        out.endArray();

        assertThat(out.size()).isEqualTo(3);
        assertThat(new String(out.buffer(), 0, out.size(), StandardCharsets.UTF_8))
                .isEqualTo("[1]");
        assertThat(out.toByteArray()).hasSize(3);
    }

    @Test
    void refusesWhatWouldNotBeJson() {
        refuses(out -> out.name("a"));
        refuses(JsonWriter::endObject);
        refuses(JsonWriter::endArray);
        refuses(JsonWriter::toRawJson);
        refuses(out -> {
            out.int64(1);
            out.int64(2);
        });
        refuses(out -> {
            out.beginObject();
            out.int64(1);
        });
        refuses(out -> {
            out.beginObject();
            out.endArray();
        });
        refuses(out -> {
            out.beginArray();
            out.name(NAMES, 0);
        });
        refuses(out -> {
            out.beginObject();
            out.name("a");
            out.name("b");
        });
        refuses(out -> {
            out.beginObject();
            out.name("a");
            out.endObject();
        });
        refuses(out -> {
            out.beginArray();
            out.toRawJson();
        });
        refuses(JsonWriter::takeRawJson);
    }

    private static void refuses(Consumer<JsonWriter> use) {
        assertThatThrownBy(() -> use.accept(new JsonWriter())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void remembersWhichContainersAreOpen() {
        JsonWriter out = new JsonWriter();
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 256; i++) {
            if (i % 3 == 0) {
                out.beginArray();
                expected.append('[');
            } else {
                out.beginObject();
                out.name("a");
                expected.append("{\"a\":");
            }
        }
        assertThatThrownBy(out::beginArray)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("nested deeper than 256 levels");
        JsonWriter again = new JsonWriter();
        for (int i = 0; i < 256; i++) {
            if (i % 3 == 0) {
                again.beginArray();
            } else {
                again.beginObject();
                again.name("a");
            }
        }
        again.nullValue();
        expected.append("null");
        for (int i = 255; i >= 0; i--) {
            if (i % 3 == 0) {
                again.endArray();
                expected.append(']');
            } else {
                again.endObject();
                expected.append('}');
            }
        }

        assertThat(again.toRawJson()).hasToString(expected.toString());
        assertThat(RawJson.parse(expected.toString()).value()).hasToString(expected.toString());
    }
}
