package dev.acp4j.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InheritedEnvironmentTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "PATH",
                "Path",
                "HOME",
                "LANG",
                "LC_ALL",
                "TERM",
                "TMPDIR",
                "http_proxy",
                "HTTPS_PROXY",
                "JAVA_HOME",
                "JAVA_HOME_21_X64",
                "NVM_DIR",
                "XDG_CONFIG_HOME",
                "SystemRoot",
                "APPDATA",
                "ANTHROPIC_API_KEY",
                "CLAUDE_CONFIG_DIR",
                "OPENAI_API_KEY",
                "CODEX_HOME",
                "GEMINI_API_KEY",
                "GOOGLE_CLOUD_PROJECT",
                "NODE_EXTRA_CA_CERTS",
                "SSH_AUTH_SOCK"
            })
    @Tag("PRC-04")
    void whatProgramsAndModelsNeedIsHandedOn(String name) {
        assertThat(InheritedEnvironment.STANDARD.covers(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GITHUB_TOKEN",
                "GH_TOKEN",
                "AWS_SECRET_ACCESS_KEY",
                "AWS_SESSION_TOKEN",
                "NPM_TOKEN",
                "DATABASE_URL",
                "DB_PASSWORD",
                "KUBECONFIG",
                "NPM_CONFIG__AUTH",
                "PATHS",
                "SLACK_WEBHOOK"
            })
    @Tag("PRC-04")
    void otherThingsAreNot(String name) {
        assertThat(InheritedEnvironment.STANDARD.covers(name)).isFalse();
    }

    @Test
    void namesAndBeginningsOfNamesCanBeAdded() {
        InheritedEnvironment more = InheritedEnvironment.only(List.of("a")).and(List.of("B_*"));

        assertThat(more.select(Map.of("A", "1", "b_x", "2", "C", "3"))).isEqualTo(Map.of("A", "1", "b_x", "2"));
        assertThat(more.withheld(Map.of("A", "1", "C", "3"))).containsExactly("C");
        assertThat(InheritedEnvironment.ALL.withheld(Map.of("A", "1"))).isEmpty();
    }
}
