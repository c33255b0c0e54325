package dev.acp4j.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.JsonReader.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class JsonReaderTest {
    private static final Names NAMES = Names.of("type", "text", "count", "é");

    @Test
    void oneCursorServesForManyTexts() {
        RawJson broken = RawJson.wrap("[{\"a\":[tru".getBytes(StandardCharsets.UTF_8), 0, 10);
        JsonReader in = broken.reader("text");
        assertThatThrownBy(in::skip).hasMessageStartingWith("text[0].a[0]: expected true, got the end");
        in.beginArray();

        in.reset(RawJson.parse("[[1,2],3]"));

        in.beginArray();
        assertThat(in.nextElement()).isTrue();
        in.skip();
        assertThat(in.nextElement()).isTrue();
        assertThat(in.int32()).isEqualTo(3);
        assertThat(in.nextElement()).isFalse();
        in.end();
    }

    @Test
    void aStringOfLateIsTheSameObject() {
        RecentStrings recent = new RecentStrings();
        byte[] text = "[\"session/update\",\"session/updatf\",\"session/update\",\"\",\"s\\u0065ssion/update\"]"
                .getBytes(StandardCharsets.UTF_8);
        List<String> strings = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            JsonReader in = new JsonReader(text, 0, text.length);
            in.beginArray();
            while (in.nextElement()) {
                strings.add(in.string(recent));
            }
        }

        assertThat(strings.subList(0, 5))
                .containsExactly("session/update", "session/updatf", "session/update", "", "session/update");
        assertThat(strings.subList(5, 10)).isEqualTo(strings.subList(0, 5));
        assertThat(strings.get(2)).isSameAs(strings.get(5));
    }

    @Test
    void manyStringsTakeTurns() {
        RecentStrings recent = new RecentStrings();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 500; i++) {
                String text = "x".repeat(i % 80) + i;
                assertThat(RawJson.string(text).reader().string(recent)).isEqualTo(text);
            }
        }
    }

    @Test
    void readsAnObjectByItsNames() {
        JsonReader in = reader(" { \"text\" : \"x\" , \"other\":[1,{}], \"count\":7 } ");

        in.beginObject();
        assertThat(in.member(NAMES)).isEqualTo(1);
        assertThat(in.string()).isEqualTo("x");
        assertThat(in.member(NAMES)).isEqualTo(JsonReader.UNKNOWN);
        assertThat(in.name()).isEqualTo("other");
        in.skip();
        assertThat(in.member(NAMES)).isEqualTo(2);
        assertThat(in.int64()).isEqualTo(7);
        assertThat(in.member(NAMES)).isEqualTo(JsonReader.END);
        in.end();
    }

    @Test
    void findsNamesHoweverTheyAreSpelled() {
        JsonReader in = reader("{\"t\\u0079pe\":1,\"\\u00e9\":2,\"é\":3,\"typ\":4,\"types\":5,\"\":6,\"TYPE\":7}");
        List<Integer> found = new ArrayList<>();

        in.beginObject();
        for (int member = in.member(NAMES); member != JsonReader.END; member = in.member(NAMES)) {
            found.add(member);
            in.skip();
        }

        assertThat(found).containsExactly(0, 3, 3, -2, -2, -2, -2);
    }

    @Test
    void readsAMapByName() {
        JsonReader in = reader("{\"a\":1,\"\\n\":2,\"\":3}");
        List<String> seen = new ArrayList<>();

        in.beginObject();
        while (in.nextMember()) {
            seen.add(in.name() + "=" + in.int32());
        }

        assertThat(seen).containsExactly("a=1", "\n=2", "=3");
    }

    @Test
    @Tag("FRM-26")
    void aRepeatedMemberIsSeenEachTimeAndTheLastOneCountsInTheTree() {
        JsonReader in = reader("{\"count\":1,\"x\":0,\"count\":2}");

        in.beginObject();
        assertThat(in.member(NAMES)).isEqualTo(2);
        in.skip();
        in.member(NAMES);
        in.skip();
        assertThat(in.member(NAMES)).isEqualTo(2);

        assertThat(JsonValue.parse("{\"count\":1,\"x\":0,\"count\":2}")).hasToString("{\"count\":2,\"x\":0}");
    }

    @Test
    void readsArraysInsideEachOther() {
        JsonReader in = reader("[[],[true,[null]],\"x\"]");

        in.beginArray();
        assertThat(in.nextElement()).isTrue();
        in.beginArray();
        assertThat(in.nextElement()).isFalse();
        assertThat(in.nextElement()).isTrue();
        in.beginArray();
        assertThat(in.nextElement()).isTrue();
        assertThat(in.bool()).isTrue();
        assertThat(in.nextElement()).isTrue();
        assertThat(in.raw()).hasToString("[null]");
        assertThat(in.nextElement()).isFalse();
        assertThat(in.nextElement()).isTrue();
        assertThat(in.string()).isEqualTo("x");
        assertThat(in.nextElement()).isFalse();
        in.end();
    }

    @Test
    void tellsTheKindWithoutMoving() {
        assertThat(reader("{").kind()).isEqualTo(Kind.OBJECT);
        assertThat(reader("[").kind()).isEqualTo(Kind.ARRAY);
        assertThat(reader("\"").kind()).isEqualTo(Kind.STRING);
        assertThat(reader("-").kind()).isEqualTo(Kind.NUMBER);
        assertThat(reader("7").kind()).isEqualTo(Kind.NUMBER);
        assertThat(reader("true").kind()).isEqualTo(Kind.BOOLEAN);
        assertThat(reader("false").kind()).isEqualTo(Kind.BOOLEAN);
        assertThat(reader(" null").kind()).isEqualTo(Kind.NULL);
        assertThatThrownBy(() -> reader("").kind()).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> reader("x").kind()).isInstanceOf(JsonException.class);
    }

    @Test
    void passesANullOnly() {
        JsonReader in = reader("[null,0]");

        in.beginArray();
        in.nextElement();
        assertThat(in.tryNull()).isTrue();
        in.nextElement();
        assertThat(in.tryNull()).isFalse();
        assertThat(in.int32()).isZero();
        assertThatThrownBy(() -> reader("nul").tryNull())
                .hasMessage("expected null, got the end of the text at byte 3");
    }

    @Test
    void goesBackToWhereItWas() {
        JsonReader in = reader("{\"list\":[1,{\"a\":[2]},3],\"type\":\"t\"}");
        in.beginObject();
        in.nextMember();
        in.beginArray();
        in.nextElement();
        in.skip();
        in.nextElement();

        long mark = in.mark();
        in.beginObject();
        in.nextMember();
        in.beginArray();
        in.nextElement();
        assertThat(in.int32()).isEqualTo(2);
        in.rewind(mark);

        assertThat(in.mark()).isEqualTo(mark);
        assertThat(in.raw()).hasToString("{\"a\":[2]}");
        assertThat(in.nextElement()).isTrue();
        assertThat(in.int32()).isEqualTo(3);
        assertThat(in.nextElement()).isFalse();
        assertThat(in.member(NAMES)).isZero();
    }

    @Test
    void goesBackToTheBeginningOfAnObjectJustEntered() {
        JsonReader in = reader("[0,{\"text\":\"x\",\"type\":\"t\"}]");
        in.beginArray();
        in.nextElement();
        in.skip();
        in.nextElement();
        in.beginObject();

        long mark = in.mark();
        in.member(NAMES);
        in.skip();
        assertThat(in.member(NAMES)).isZero();
        assertThat(in.string()).isEqualTo("t");
        in.rewind(mark);

        assertThat(in.member(NAMES)).isEqualTo(1);
    }

    @Test
    @Tag("FRM-24")
    void depthIsCountedThroughMarksSkipsAndContainersEntered() {
        String atLimit = "[".repeat(256) + "]".repeat(256);
        JsonReader in = reader("[" + atLimit + "," + atLimit.substring(1, 511) + "]");
        in.beginArray();
        in.nextElement();
        long mark = in.mark();

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(in::skip).hasMessageEndingWith("nested deeper than 256 levels");
            in.rewind(mark);
        }
        for (int i = 1; i < 256; i++) {
            in.beginArray();
            in.nextElement();
        }
        assertThatThrownBy(in::beginArray).hasMessageEndingWith("nested deeper than 256 levels");
        assertThatThrownBy(in::skip).hasMessageEndingWith("nested deeper than 256 levels");

        JsonReader second = reader("[" + atLimit.substring(1, 511) + "]");
        second.beginArray();
        second.nextElement();
        second.skip();
        assertThat(second.nextElement()).isFalse();
        second.end();
    }

    @Test
    void theDepthLimitCanBeSet() {
        byte[] bytes = ("[".repeat(5_000) + "]".repeat(5_000)).getBytes(StandardCharsets.UTF_8);

        JsonReader deep = new JsonReader(bytes, 0, bytes.length, "", 5_000);
        deep.skip();
        deep.end();

        assertThatThrownBy(() -> new JsonReader(bytes, 0, bytes.length, "", 4_999).skip())
                .isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> new JsonReader(bytes, 0, bytes.length, "", 0).beginArray())
                .hasMessage("nested deeper than 0 levels");
    }

    @Test
    void objectsAndArraysDeepInsideEachOtherAreToldApart() {
        StringBuilder text = new StringBuilder();
        StringBuilder end = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            boolean object = i % 3 == 0 || i % 7 == 0;
            text.append(object ? "{\"a\":" : "[0,");
            end.insert(0, object ? ",\"b\":1}" : ",1]");
        }
        String whole = text + "2" + end;

        assertThat(JsonValue.parse(whole)).hasToString(whole);
        for (int i = text.length() + 1; i < whole.length(); i++) {
            char c = whole.charAt(i);
            if (c == ']' || c == '}') {
                String wrong = whole.substring(0, i) + (c == ']' ? '}' : ']') + whole.substring(i + 1);
                assertThatThrownBy(() -> RawJson.parse(wrong)).isInstanceOf(JsonException.class);
            }
        }
    }

    @Test
    void readsAConstantOrStaysBeforeIt() {
        JsonReader in = reader("[\"text\",\"t\\u0065xt\",\"é\",\"texts\",\"\",\"\\ud800\"]");
        in.beginArray();

        for (int expected : new int[] {1, 1, 3}) {
            in.nextElement();
            assertThat(in.constant(NAMES)).isEqualTo(expected);
        }
        for (String expected : new String[] {"texts", "", "\ud800"}) {
            in.nextElement();
            assertThat(in.constant(NAMES)).isEqualTo(JsonReader.UNKNOWN);
            assertThat(in.string()).isEqualTo(expected);
        }
        assertThat(in.nextElement()).isFalse();
        assertThatThrownBy(() -> reader("7").constant(NAMES)).hasMessage("expected a string, got 7");
        assertThatThrownBy(() -> reader("\"text").constant(NAMES)).isInstanceOf(JsonException.class);
    }

    @Test
    void decodesStringsOfAllLengthsWithSomethingSpecialAtEveryPlace() {
        for (int length : new int[] {0, 1, 7, 8, 9, 127, 128, 129, 200, 1000}) {
            for (String special :
                    new String[] {"", "é", "€", "😀", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\ud800", "\u007f", "\\\""
                    }) {
                for (int at = 0; at <= length; at += Math.max(1, length / 40)) {
                    String text = "a".repeat(at) + special + "b".repeat(length - at);
                    String expected = text.replace("\\n", "\n")
                            .replace("\\u00e9", "é")
                            .replace("\\ud83d\\ude00", "😀")
                            .replace("\\ud800", "\ud800")
                            .replace("\\\"", "\"");

                    assertThat(reader("\"" + text + "\"").string()).isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void everyMisplacedByteOfALongStringIsFound() {
        for (int at = 1; at < 300; at++) {
            for (int wrong : new int[] {0x00, 0x1f, 0x0a, '\\', 0x80, 0xff, 0xc3}) {
                byte[] bytes = ("\"" + "a".repeat(300) + "\"").getBytes(StandardCharsets.UTF_8);
                bytes[at] = (byte) wrong;
                JsonReader in = new JsonReader(bytes, 0, bytes.length);

                assertThatThrownBy(in::string)
                        .isInstanceOfSatisfying(
                                JsonException.class,
                                e -> assertThat(e.offset()).isBetween(at(bytes, wrong), at(bytes, wrong) + 1));
            }
        }
    }

    private static int at(byte[] bytes, int wrong) {
        int at = 0;
        while (bytes[at] != (byte) wrong) {
            at++;
        }
        return at;
    }

    @Test
    void aSurrogateWithoutItsOtherHalfStaysWhatItIs() {
        assertThat(reader("\"\\ud800\"").string()).isEqualTo("\ud800");
        assertThat(reader("\"x\\udc00é\\n\"").string()).isEqualTo("x\udc00é\n");
        assertThat(reader("\"\\ud800\\ud83d\\ude00\"").string()).isEqualTo("\ud800😀");
        assertThat(reader("\"\\ud83d😀\"").string()).isEqualTo("\ud83d😀");
        assertThat(reader("\"\\ud83d\\n\\ude00\"").string()).isEqualTo("\ud83d\n\ude00");
    }

    @Test
    void theSameTextCanBeReadByAnotherCursor() {
        RawJson raw = RawJson.parse("[1,2]");
        JsonReader first = raw.reader();
        first.beginArray();

        assertThat(raw.reader().raw()).isEqualTo(raw);
        assertThat(first.nextElement()).isTrue();
    }

    @Test
    void readsFromTheMiddleOfAnArray() {
        byte[] bytes = "999{\"id\":5}999".getBytes(StandardCharsets.UTF_8);
        JsonReader in = new JsonReader(bytes, 3, 11);

        in.beginObject();
        assertThat(in.nextMember()).isTrue();
        assertThat(in.offset()).isEqualTo(9);
        RawJson id = in.raw();

        assertThat(id.from()).isEqualTo(9);
        assertThat(id.to()).isEqualTo(10);
        assertThat(id.bytes()).isSameAs(bytes);
        assertThat(in.nextMember()).isFalse();
        in.end();
        assertThatThrownBy(() -> new JsonReader(bytes, 3, 15)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void onlyWhiteSpaceMayFollow() {
        JsonReader in = reader("1 \n\t\r");
        in.skip();
        in.end();

        JsonReader more = reader("1 ,");
        more.skip();
        assertThatThrownBy(more::end).hasMessage("expected the end of the text, got ',' at byte 2");
    }

    private static JsonReader reader(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new JsonReader(bytes, 0, bytes.length);
    }
}
