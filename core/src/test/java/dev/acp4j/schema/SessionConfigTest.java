package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class SessionConfigTest {
    private static final String SET = "{\"sessionId\":\"s\",\"configId\":\"c\",";

    @Test
    void valueFromAChoiceHasNoType() {
        String json = SET + "\"value\":\"fast\"}";

        SetSessionConfigOptionRequest request = decode(json);

        assertThat(request.value()).isEqualTo(SessionConfigOptionValue.of(SessionConfigValueId.of("fast")));
        assertThat(encode(request)).isEqualTo(json);
    }

    @Test
    void onOrOffHasItsType() {
        String json = SET + "\"type\":\"boolean\",\"value\":true,\"_meta\":{\"a\":1}}";

        SetSessionConfigOptionRequest request = decode(json);

        assertThat(request.value()).isEqualTo(SessionConfigOptionValue.of(true));
        assertThat(encode(request)).isEqualTo(json);
    }

    @Test
    void typeMayStandBehindTheValue() {
        SetSessionConfigOptionRequest request =
                decode("{\"value\":false,\"configId\":\"c\",\"type\":\"boolean\",\"sessionId\":\"s\"}");

        assertThat(request.value()).isEqualTo(SessionConfigOptionValue.of(false));
    }

    @Test
    void stringOfAnUnknownTypeIsFromAChoice() {
        assertThat(decode(SET + "\"type\":\"_radio\",\"value\":\"x\"}").value())
                .isEqualTo(SessionConfigOptionValue.of(SessionConfigValueId.of("x")));
    }

    @Test
    @Tag("SCH-02")
    void otherValueOfAnUnknownTypeIsKept() {
        String json = SET + "\"type\":\"_range\",\"value\":{\"from\":1}}";

        SetSessionConfigOptionRequest request = decode(json);

        assertThat(request.value()).isInstanceOf(SessionConfigOptionValue.Unknown.class);
        assertThat(encode(request)).isEqualTo(json);
    }

    @Test
    @Tag("SCH-03")
    void valueThatIsNotOfItsTypeIsAnError() {
        assertThatThrownBy(() -> decode(SET + "\"type\":\"boolean\",\"value\":\"yes\"}"))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("value: expected a boolean, got \"yes\"");
        assertThatThrownBy(() -> decode(SET + "\"value\":true}"))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("value: expected a string, got true");
    }

    @Test
    void settingOfAnUnknownTypeHasWhatAllHave() {
        RawJson json = RawJson.parse(
                "{\"id\":\"c\",\"name\":\"C\",\"description\":7,\"category\":\"_x\",\"type\":\"range\",\"to\":9}");

        SessionConfigOption option = json.decode(SessionConfigOptionCodec.INSTANCE);

        assertThat(option).isInstanceOf(SessionConfigOption.Unknown.class);
        assertThat(option.id()).isEqualTo(SessionConfigId.of("c"));
        assertThat(option.name()).isEqualTo("C");
        assertThat(option.description()).isNull();
        assertThat(option.category()).isEqualTo(SessionConfigOptionCategory.of("_x"));
        assertThat(RawJson.encode(option, SessionConfigOptionCodec.INSTANCE)).isEqualTo(json);
    }

    @Test
    @Tag("SCH-04")
    void settingWithoutAnIdIsDropped() {
        RawJson json = RawJson.parse("{\"configOptions\":[{\"type\":\"range\",\"name\":\"C\"},"
                + "{\"type\":\"boolean\",\"id\":\"d\",\"name\":\"D\",\"currentValue\":true}]}");

        SetSessionConfigOptionResponse response = json.decode(SetSessionConfigOptionResponseCodec.INSTANCE);

        assertThat(response.configOptions())
                .extracting(SessionConfigOption::name)
                .containsExactly("D");
    }

    private static SetSessionConfigOptionRequest decode(String json) {
        return RawJson.parse(json).decode(SetSessionConfigOptionRequestCodec.INSTANCE);
    }

    private static String encode(SetSessionConfigOptionRequest request) {
        return RawJson.encode(request, SetSessionConfigOptionRequestCodec.INSTANCE)
                .toString();
    }

    @Test
    void settingOfAnUnknownTypeThatLacksItsIdIsRefusedWithItsPlace() {
        RawJson json = RawJson.parse("{\"type\":\"range\",\"name\":\"C\"}");

        assertThatThrownBy(() -> json.decode(SessionConfigOptionCodec.INSTANCE, "params.option"))
                .isInstanceOf(JsonException.class)
                .hasMessage("params.option: required member \"id\" is missing");
    }
}
