package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class StringSetTest {
    @Test
    void knownValueIsReadAsItsConstant() {
        ToolKind kind = ToolKind.of("switch_mode");

        assertThat(kind).isEqualTo(ToolKind.SWITCH_MODE).hasToString("switch_mode");
        assertThat(RawJson.string("switch_mode").decode(StringValueCodec.TOOL_KIND))
                .isSameAs(ToolKind.SWITCH_MODE);
        assertThat(kind.hashCode()).isEqualTo(ToolKind.SWITCH_MODE.hashCode());
    }

    @Test
    @Tag("SCH-01")
    void unknownValueIsWrittenBackUnchanged() {
        RawJson json = RawJson.parse("\"_dance\"");

        ToolKind kind = json.decode(StringValueCodec.TOOL_KIND);

        assertThat(ToolKind.known()).doesNotContain(kind);
        assertThat(kind.value()).isEqualTo("_dance");
        assertThat(RawJson.encode(kind, StringValueCodec.TOOL_KIND)).isEqualTo(json);
    }

    @Test
    void constantsAreListedInTheirOrder() {
        assertThat(Role.known()).containsExactly(Role.ASSISTANT, Role.USER);
    }

    @Test
    void stringsOfDifferentTypesAreNeverEqual() {
        assertThat(SessionId.of("1")).isEqualTo(SessionId.of("1")).isNotEqualTo(TerminalId.of("1"));
    }

    @Test
    @Tag("CBK-02")
    void unknownKindOfPermissionOptionAllowsNothing() {
        PermissionOptionKind unknown = PermissionOptionKind.of("allow_everything");

        assertThat(unknown.isAllow()).isFalse();
        assertThat(unknown.isAlways()).isFalse();
    }

    @Test
    void kindsOfPermissionOptionsSayWhetherTheyAllowAndWhetherTheyAreRemembered() {
        assertThat(PermissionOptionKind.ALLOW_ONCE.isAllow()).isTrue();
        assertThat(PermissionOptionKind.ALLOW_ONCE.isAlways()).isFalse();
        assertThat(PermissionOptionKind.ALLOW_ALWAYS.isAllow()).isTrue();
        assertThat(PermissionOptionKind.ALLOW_ALWAYS.isAlways()).isTrue();
        assertThat(PermissionOptionKind.REJECT_ONCE.isAllow()).isFalse();
        assertThat(PermissionOptionKind.REJECT_ONCE.isAlways()).isFalse();
        assertThat(PermissionOptionKind.REJECT_ALWAYS.isAllow()).isFalse();
        assertThat(PermissionOptionKind.REJECT_ALWAYS.isAlways()).isTrue();
    }

    @Test
    void errorCodeIsEqualToItsConstant() {
        assertThat(ErrorCode.of(-32002)).isEqualTo(ErrorCode.RESOURCE_NOT_FOUND);
        assertThat(ErrorCode.of(-32022)).isEqualTo(ErrorCode.UNSUPPORTED_PROTOCOL_VERSION);
        assertThat(ErrorCode.of(7)).hasToString("7");
    }
}
