package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class StringSetTest {
    @Test
    void knownValueGivesTheConstantToSwitchOver() {
        ToolKind kind = ToolKind.of("switch_mode");

        assertThat(kind).isEqualTo(ToolKind.SWITCH_MODE).hasToString("switch_mode");
        assertThat(kind.known()).isEqualTo(ToolKind.Known.SWITCH_MODE);
        assertThat(kind.hashCode()).isEqualTo(ToolKind.SWITCH_MODE.hashCode());
    }

    @Test
    @Tag("SCH-01")
    void unknownValueIsWrittenBackUnchanged() {
        RawJson json = RawJson.parse("\"_dance\"");

        ToolKind kind = json.decode(ToolKindCodec.INSTANCE);

        assertThat(kind.known()).isEqualTo(ToolKind.Known.UNRECOGNIZED);
        assertThat(kind.value()).isEqualTo("_dance");
        assertThat(RawJson.encode(kind, ToolKindCodec.INSTANCE)).isEqualTo(json);
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
    void errorCodeKnowsItsConstants() {
        assertThat(ErrorCode.of(-32002)).isEqualTo(ErrorCode.RESOURCE_NOT_FOUND);
        assertThat(ErrorCode.of(-32022).known()).isEqualTo(ErrorCode.Known.UNSUPPORTED_PROTOCOL_VERSION);
        assertThat(ErrorCode.of(7).known()).isEqualTo(ErrorCode.Known.UNRECOGNIZED);
        assertThat(ErrorCode.of(7)).hasToString("7");
    }
}
