package dev.acp4j.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class JsonExceptionTest {
    @Test
    void saysWhereAndWhatWasExpectedAndWhatCame() {
        JsonReader in = RawJson.parse("{\"a\":1,\"prompt\":[{\"x\":\"]\"},[],{\"b\":{},\"type\" : 7}]}")
                .reader("params");
        in.beginObject();
        in.nextMember();
        in.skip();
        in.nextMember();
        in.beginArray();
        in.nextElement();
        in.skip();
        in.nextElement();
        in.skip();
        in.nextElement();
        int start = in.offset();
        in.beginObject();
        in.nextMember();
        in.skip();
        in.nextMember();

        assertThat(in.mismatch("a string")).hasMessage("params.prompt[2].type: expected a string, got 7");
        assertThat(in.mismatch("a string").messageWithoutValue())
                .isEqualTo("params.prompt[2].type: expected a string, got a number");
        assertThat(in.mismatch("a string").path()).isEqualTo("params.prompt[2].type");
        assertThat(in.mismatch("a string").offset()).isEqualTo(in.offset());
        assertThat(in.missing("text", start)).hasMessage("params.prompt[2]: required member \"text\" is missing");
        assertThat(in.invalid("must be absolute", in.offset())).hasMessage("params.prompt[2].type: must be absolute");
    }

    @Test
    void aTextWithoutLabelBeginsWithItsFirstMember() {
        assertThat(path("7", "7")).isEmpty();
        assertThat(path("{\"a\":7}", "7")).isEqualTo("a");
        assertThat(path("{\"a\":{\"b\":7}}", "7")).isEqualTo("a.b");
        assertThat(path("[[0,[7]]]", "7")).isEqualTo("[0][1][0]");
        assertThat(path("[{\"a\":[[],[]],\"b\":{\"c\":[1,2,[7]]}}]", "7")).isEqualTo("[0].b.c[2][0]");
        assertThat(path("{\"a\":{},\"b\":[],\"c\":7}", "7")).isEqualTo("c");
    }

    @Test
    void namesThatAreNotWordsAreQuoted() {
        assertThat(path("{\"a b\":7}", "7")).isEqualTo("[\"a b\"]");
        assertThat(path("{\"\":{\"a.b\":7}}", "7")).isEqualTo("[\"\"][\"a.b\"]");
        assertThat(path("{\"_meta\":{\"$x\":7}}", "7")).isEqualTo("_meta.$x");
        assertThat(path("{\"\\u0061\":7}", "7")).isEqualTo("a");
        assertThat(path("{\"\\n\":7}", "7")).isEqualTo("[\"\\n\"]");
        assertThat(path("{\"é\":7}", "7")).isEqualTo("é");
        assertThat(path("{\"a\\\":[\":7}", "7")).isEqualTo("[\"a\\\":[\"]");
        assertThat(path("{\"" + "n".repeat(100_000) + "\":7}", "7")).isEqualTo("[\"" + "n".repeat(40) + "…\"]");
        assertThat(path("{\"" + "n".repeat(39) + "😀 \":7}", "7")).isEqualTo("[\"" + "n".repeat(39) + "…\"]");
    }

    @Test
    void aBrokenTextHasAPathUpToTheBreak() {
        assertThatThrownBy(() -> RawJson.parse("{\"a\":[1,{\"b\":tru}]}"))
                .hasMessage("a[1].b: expected true, got '}' at byte 16");
        assertThatThrownBy(() -> RawJson.parse("{\"a\":[1,]}")).hasMessage("a[1]: expected a value, got ']' at byte 8");
        assertThatThrownBy(() -> RawJson.parse("{\"a\":1 \"b\":2}"))
                .hasMessage("a: expected ',' or '}', got '\"' at byte 7");
        assertThatThrownBy(() -> RawJson.parse("[1}")).hasMessage("[0]: expected ',' or ']', got '}' at byte 2");
        assertThatThrownBy(() -> RawJson.parse("{\"a")).hasMessage("the text ends inside a string");
        assertThatThrownBy(() -> RawJson.parse("{a:1}")).hasMessage("expected a member name, got 'a' at byte 1");
        assertThatThrownBy(() -> RawJson.parse("[\"\t\"]"))
                .hasMessage("[0]: expected no control character in a string, got 0x09 at byte 2");
        assertThatThrownBy(() -> RawJson.parse("[\"\\u12g4\"]"))
                .hasMessage("[0]: expected a hexadecimal digit, got 'g' at byte 6");
        assertThatThrownBy(() -> RawJson.parse(new byte[] {'"', (byte) 0xff, '"'}))
                .hasMessage("expected valid UTF-8, got 0xff at byte 1");
    }

    @Test
    @Tag("FRM-24")
    void thePathOfADeepPlaceIsFound() {
        assertThatThrownBy(() -> RawJson.parse("[".repeat(100_000)))
                .hasMessage("[0]".repeat(256) + ": nested deeper than 256 levels");
    }

    @Test
    void longValuesAreCut() {
        assertThat(got("\"" + "x".repeat(100) + "\"")).isEqualTo("\"" + "x".repeat(39) + "…");
        assertThat(got("{\"a\":[" + "1,".repeat(1_000_000) + "1]}"))
                .isEqualTo("{\"a\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,…");
        assertThat(got("\"" + "x".repeat(38) + "😀\"")).isEqualTo("\"" + "x".repeat(38) + "…");
        assertThat(got("\"" + "€".repeat(38) + "\"")).isEqualTo("\"" + "€".repeat(38) + "\"");
        assertThat(got("\"" + "€".repeat(100) + "\"")).isEqualTo("\"" + "€".repeat(39) + "…");
        assertThat(got("{\n\t\"a\": 1}")).isEqualTo("{  \"a\": 1}");
        assertThat(got("true")).isEqualTo("true");
    }

    @Test
    @Tag("FRM-08")
    void theKindCanBeToldWithoutTheValue() {
        assertThat(kind("{\"secret\":1}")).isEqualTo("an object");
        assertThat(kind("[1]")).isEqualTo("an array");
        assertThat(kind("\"secret\"")).isEqualTo("a string");
        assertThat(kind("-1")).isEqualTo("a number");
        assertThat(kind("true")).isEqualTo("a boolean");
        assertThat(kind("null")).isEqualTo("null");
        assertThat(new JsonReader(new byte[0], 0, 0).mismatch("a word").messageWithoutValue())
                .isEqualTo("expected a word, got the end of the text");
        assertThat(new JsonReader(new byte[] {'x'}, 0, 1).mismatch("a word").messageWithoutValue())
                .isEqualTo("expected a word, got something else");
    }

    @Test
    void whateverHasBecomeOfTheArrayThereIsAMessage() {
        byte[] bytes = "{\"abc\":[1,2,{\"d\":7}]}".getBytes(StandardCharsets.UTF_8);
        for (String after : new String[] {"}", "]", "{", "[", "\"", "\\", ",", "\u0080"}) {
            for (int changed = 0; changed < bytes.length; changed++) {
                byte[] mine = bytes.clone();
                JsonException e = new JsonReader(mine, 0, mine.length).invalid("bad", 17);
                JsonException found = new JsonReader(mine, 0, mine.length).mismatch("good");

                java.util.Arrays.fill(mine, changed, mine.length, after.getBytes(StandardCharsets.UTF_8)[0]);

                assertThat(e).message().endsWith("bad");
                assertThat(found).message().contains("good");
            }
        }
    }

    @Test
    void hasAStackTraceWhereItLeavesRawJson() {
        assertThatThrownBy(() -> RawJson.parse("["))
                .satisfies(e -> assertThat(e.getStackTrace())
                        .anyMatch(
                                frame -> frame.getClassName().equals(getClass().getName())));
        assertThat(RawJson.NULL.reader().mismatch("a string").getStackTrace()).isEmpty();
    }

    @Test
    void canBeSerializedWithoutTheText() throws IOException, ClassNotFoundException {
        JsonException e = RawJson.parse("[1]").reader("params").mismatch("a string");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(e);
        }

        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            JsonException copy = (JsonException) in.readObject();

            assertThat(copy).hasMessage("expected a string");
            assertThat(copy.path()).isEmpty();
            assertThat(copy.offset()).isZero();
            assertThat(copy.messageWithoutValue()).isEqualTo("expected a string");
        }
    }

    private static String path(String text, String at) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int offset = 0;
        while (bytes[offset] != at.charAt(0)) {
            offset++;
        }
        return new JsonReader(bytes, 0, bytes.length).invalid("", offset).path();
    }

    private static String got(String text) {
        String message = RawJson.parse(text).reader().mismatch("x").getMessage();
        return message.substring("expected x, got ".length());
    }

    private static String kind(String text) {
        String message = RawJson.parse(text).reader().mismatch("x").messageWithoutValue();
        return message.substring("expected x, got ".length());
    }
}
