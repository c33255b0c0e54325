package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestIdTest {
    private static RequestId read(String json) {
        return RawJson.parse(json).decode(RequestId.CODEC, "id");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "-1",
                "0",
                "9007199254740993",
                "123456789012345678901234567890",
                "\"\"",
                "\"a\"",
                "\"\\u0061\"",
                "\"4e0c\\ud800\"",
                "null"
            })
    @Tag("ENV-16")
    @Tag("ENV-18")
    @Tag("FRM-25")
    void isWrittenAsItCame(String json) {
        assertThat(RawJson.encode(read(json), RequestId.CODEC)).hasToString(json);
        assertThat(read(json)).hasToString(json);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.5", "1e3", "true", "[]", "{}"})
    void refusesWhatIsNoId(String json) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(JsonException.class)
                .hasMessage("id: expected a string, an integer or null, got " + json);
    }

    @Test
    @Tag("ENV-18")
    void numberIsNotTheStringOfItsDigits() {
        assertThat(RequestId.of(1)).isNotEqualTo(RequestId.of("1"));
        assertThat(RequestId.of("null")).isNotEqualTo(RequestId.NULL);
        assertThat(RequestId.of(1).hashCode()).isNotEqualTo(RequestId.of("1").hashCode());
    }

    @Test
    void idThatCameEqualsTheOneThatWentOut() {
        assertThat(read("1")).isEqualTo(RequestId.of(1)).hasSameHashCodeAs(RequestId.of(1));
        assertThat(read("\"\\u0061\"")).isEqualTo(RequestId.of("a")).hasSameHashCodeAs(RequestId.of("a"));
        assertThat(read("null")).isSameAs(RequestId.NULL);
    }

    @Test
    void tellsItsKindAndValue() {
        assertThat(RequestId.of(-7).isNumber()).isTrue();
        assertThat(RequestId.of(-7).value()).isEqualTo("-7");
        assertThat(RequestId.of("a").isString()).isTrue();
        assertThat(RequestId.of("a").value()).isEqualTo("a");
        assertThat(RequestId.of("a").json()).isEqualTo(RawJson.string("a"));
        assertThat(RequestId.NULL.isNull()).isTrue();
        assertThat(RequestId.NULL.isString()).isFalse();
    }
}
