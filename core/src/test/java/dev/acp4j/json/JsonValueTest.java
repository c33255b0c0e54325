package dev.acp4j.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class JsonValueTest {
    @Test
    void aTreeIsMadeOfRecords() {
        JsonValue value = JsonValue.parse("{\"a\":[1,\"b\",true,null,{}],\"c\":1.50}");

        assertThat(value)
                .isEqualTo(JsonObject.of(Map.of(
                        "a",
                        JsonArray.of(
                                JsonNumber.of(1),
                                JsonString.of("b"),
                                JsonBoolean.of(true),
                                JsonNull.INSTANCE,
                                JsonObject.of(Map.of())),
                        "c",
                        new JsonNumber("1.50"))));
        assertThat(value).hasToString("{\"a\":[1,\"b\",true,null,{}],\"c\":1.50}");
        assertThat(((JsonObject) value).get("c")).contains(new JsonNumber("1.50"));
        assertThat(((JsonObject) value).get("d")).isEmpty();
    }

    @Test
    void theTourOfThePackageIsTrue() {
        RawJson raw = RawJson.parse("{\"path\":\"/tmp/a\",\"line\":9007199254740993}");

        assertThat(raw.value())
                .isInstanceOfSatisfying(
                        JsonObject.class,
                        object -> assertThat(object.get("path")).hasToString("Optional[\"/tmp/a\"]"));
        assertThat(RawJson.of(raw.value())).isEqualTo(raw);
    }

    @Test
    void everyValueShowsItsText() {
        assertThat(JsonArray.of()).hasToString("[]");
        assertThat(JsonString.of("a\n")).hasToString("\"a\\n\"");
        assertThat(JsonNumber.of(-1)).hasToString("-1");
        assertThat(JsonBoolean.of(false)).hasToString("false");
        assertThat(JsonNull.INSTANCE).hasToString("null");
        assertThat(JsonArray.of(JsonBoolean.of(true), JsonNull.INSTANCE)).hasToString("[true,null]");
    }

    @Test
    void membersKeepTheirOrderAndCannotBeChanged() {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        for (int i = 20; i > 0; i--) {
            members.put("m" + i, JsonNumber.of(i));
        }
        JsonObject object = JsonObject.of(members);

        members.clear();

        assertThat(object.members().keySet()).first().isEqualTo("m20");
        assertThat(JsonValue.parse(object.toString())).hasToString(object.toString());
        assertThatThrownBy(() -> object.members().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> JsonArray.of().elements().add(JsonNull.INSTANCE))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    @Tag("FRM-25")
    void numbersKeepTheirDigits() {
        JsonNumber number = (JsonNumber) JsonValue.parse("123456789012345678901234.50");

        assertThat(number.literal()).isEqualTo("123456789012345678901234.50");
        assertThat(number.bigDecimalValue()).isEqualTo(new BigDecimal("123456789012345678901234.50"));
        assertThat(number.doubleValue()).isEqualTo(Double.parseDouble(number.literal()));
        assertThatThrownBy(number::longValue).isInstanceOf(ArithmeticException.class);
        assertThat(new JsonNumber("9007199254740993").longValue()).isEqualTo(9_007_199_254_740_993L);
        assertThat(new JsonNumber("1e999").doubleValue()).isInfinite();
        assertThat(new JsonNumber("1.0")).isNotEqualTo(new JsonNumber("1.00"));
    }

    @Test
    void aNumberMustBeOne() {
        for (String text : List.of("", "01", "1 ", "+1", "NaN", "1x", "-", "１")) {
            assertThatThrownBy(() -> new JsonNumber(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("not a JSON number: ");
        }
    }

    @Test
    @Tag("FRM-24")
    void aTreeTooDeepToBeReadIsNotWritten() {
        JsonValue value = JsonNull.INSTANCE;
        for (int i = 0; i < 256; i++) {
            value = JsonArray.of(value);
        }
        JsonValue deeper = JsonArray.of(value);

        assertThat(RawJson.of(value).value()).isEqualTo(value);
        assertThatThrownBy(() -> RawJson.of(deeper)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag("SCH-02")
    void noNameIsSpecial() {
        String text = "{\"__proto__\":1,\"constructor\":2,\"toString\":{},\"\":3}";

        assertThat(JsonValue.parse(text)).hasToString(text);
    }
}
