package dev.acp4j.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RawJsonTest {
    @Test
    @Tag("SCH-02")
    void keepsEveryByteOfAValue() {
        String text = "{\"b\" : 1.50, \"a\":[1e3 ,\"\\u00e9é\"],\"b\":12345678901234567890123}";

        RawJson raw = RawJson.parse(" " + text + "\n");

        assertThat(raw).hasToString(text);
        assertThat(raw.length()).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
        assertThat(raw.decode(RawJson.CODEC)).isEqualTo(raw);
        assertThat(RawJson.encode(raw, RawJson.CODEC)).isEqualTo(raw);
    }

    @Test
    void isEqualByItsBytes() {
        byte[] bytes = "[7,7, 7]".getBytes(StandardCharsets.UTF_8);
        RawJson first = RawJson.wrap(bytes, 1, 2);
        RawJson second = RawJson.wrap(bytes, 3, 4);

        assertThat(first).isEqualTo(second).hasSameHashCodeAs(second).isEqualTo(RawJson.number(7));
        assertThat(first).isNotEqualTo(RawJson.parse("7.0")).isNotEqualTo(RawJson.wrap(bytes, 0, 8));
        assertThat(RawJson.NULL).isEqualTo(RawJson.parse("null"));
        assertThat(RawJson.EMPTY_OBJECT).isEqualTo(RawJson.parse("{}"));
        assertThat(first.copy()).isEqualTo(first);
        assertThat(first.copy().bytes()).hasSize(1);
        assertThatThrownBy(() -> RawJson.wrap(bytes, 3, 9)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    @Tag("FRM-19")
    void compactsWhatStandsBetweenTokensOnly() {
        RawJson spaced = RawJson.parse("\t{ \"a b\" : [ 1 ,\r\n\"\\\" \\\\\" , { } ] ,\n\"c\":\"  \"}");

        RawJson compact = spaced.compact();

        assertThat(compact).hasToString("{\"a b\":[1,\"\\\" \\\\\",{}],\"c\":\"  \"}");
        assertThat(compact.value()).isEqualTo(spaced.value());
        assertThat(compact.compact()).isSameAs(compact);
        assertThat(RawJson.parse("\" \"").compact()).hasToString("\" \"");
        assertThat(RawJson.wrap("[\"a".getBytes(StandardCharsets.UTF_8), 0, 3).compact())
                .hasToString("[\"a");
        assertThat(RawJson.wrap(" \"a\\".getBytes(StandardCharsets.UTF_8), 0, 4).compact())
                .hasToString("\"a\\");
    }

    @Test
    void aTextMayHoldSurrogatesWithoutTheirOtherHalf() {
        assertThat(RawJson.parse("\"a\ud800é\"")).hasToString("\"a\\ud800é\"");
        assertThat(RawJson.parse("\"\udc00\ud83d\ude00\ud83d\"")).hasToString("\"\\udc00😀\\ud83d\"");
        assertThatThrownBy(() -> RawJson.parse("\ud800")).isInstanceOf(JsonException.class);
    }

    @Test
    void thereIsOneValue() {
        assertThatThrownBy(() -> RawJson.parse("1 2")).hasMessage("expected the end of the text, got '2' at byte 2");
        assertThatThrownBy(() -> RawJson.parse("")).hasMessage("expected a value, got the end of the text at byte 0");
        RawJson two = RawJson.wrap("1 2".getBytes(StandardCharsets.UTF_8), 0, 3);
        assertThatThrownBy(two::value).isInstanceOf(JsonException.class);
    }

    @Test
    void anEncodedValueMustBeComplete() {
        Codec<String> broken = new Codec<>() {
            @Override
            public String decode(JsonReader in) {
                return in.string();
            }

            @Override
            public void encode(String value, JsonWriter out) {
                out.beginArray();
            }
        };

        assertThatThrownBy(() -> RawJson.encode("", broken)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> RawJson.parse("[\"a\",1]").decode(broken, "params"))
                .hasMessage("params: expected a string, got [\"a\",1]");
    }
}
