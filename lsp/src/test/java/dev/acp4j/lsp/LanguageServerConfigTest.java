package dev.acp4j.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanguageServerConfigTest {
    @Test
    void aFileNamesCommandsVariablesAndExtensions() {
        List<LanguageServer> servers = LanguageServerConfig.parse("""
                {"languageServers": {
                  "typescript": {"command": "tsls", "args": ["--stdio", "${HOME}"], "env": {"MODE": "${MODE:-fast}"}},
                  "nix": {"command": "nil", "extensions": {".nix": "nix"}, "settings": {"nil": {"x": 1}}}}}
                """, Map.of("HOME", "/home/me"));

        assertThat(servers.get(0).launch().commandLine()).isEqualTo("tsls --stdio /home/me");
        assertThat(servers.get(0).launch().declared()).containsExactly(Map.entry("MODE", "fast"));
        assertThat(servers.get(0).identifier(Path.of("a.tsx"))).isEqualTo("typescriptreact");
        assertThat(servers.get(1).identifier(Path.of("x/a.nix"))).isEqualTo("nix");
        assertThat(servers.get(1).identifier(Path.of("nix"))).isNull();
        assertThat(servers.get(1).settings()).hasToString("{\"nil\": {\"x\": 1}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{ | at byte 1: ",
                "{} | languageServers: expected an object",
                "{\"languageServers\":{}} | languageServers: expected at least one server",
                "{\"languageServers\":{\"go\":{}}} | languageServers.go.command: expected a text",
                "{\"languageServers\":{\"go\":{\"cmd\":\"gopls\"}}} | languageServers.go: there is no member cmd, but args, command",
                "{\"languageServers\":{\"nix\":{\"command\":\"nil\"}}} | the files of the language \"nix\" are not known; known are",
                "{\"languageServers\":{\"nix\":{\"command\":\"nil\",\"extensions\":{\"nix\":\"nix\"}}}} | begin with a dot, got [nix]",
                "{\"languageServers\":{\"go\":{\"command\":\"${NONE}\"}}} | the variable NONE is not set",
            })
    void aMistakeIsNamed(String text, String message) {
        assertThatThrownBy(() -> LanguageServerConfig.parse(text, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message.strip());
    }
}
