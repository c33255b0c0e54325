package dev.acp4j.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {
    @Test
    @Tag("PRC-01")
    void wordsAreDividedBySpaceAndHeldTogetherByQuotes() {
        CommandLine line = parse("  agent  --acp 'two words' \"it's \\\"quoted\\\"\" a\\ b pre'fix'ed '' ");

        assertThat(line.command()).isEqualTo("agent");
        assertThat(line.arguments()).containsExactly("--acp", "two words", "it's \"quoted\"", "a b", "prefixed", "");
        assertThat(line.environment()).isEmpty();
    }

    @Test
    @Tag("PRC-01")
    void variablesMayStandBeforeTheCommand() {
        CommandLine line = parse("A=1 _b2='two words' C= agent D=4");

        assertThat(line.environment()).isEqualTo(Map.of("A", "1", "_b2", "two words", "C", ""));
        assertThat(line.command()).isEqualTo("agent");
        assertThat(line.arguments()).containsExactly("D=4");
    }

    @Test
    void whatLooksLikeAVariableButIsQuotedIsTheCommand() {
        assertThat(parse("'A=1' b").command()).isEqualTo("A=1");
        assertThat(parse("1A=x b").command()).isEqualTo("1A=x");
    }

    @Test
    @Tag("PRC-03")
    void aQuotedPathWithSpacesIsOnePath() {
        assertThat(parse("'/opt/my agent/run' --acp").command()).isEqualTo("/opt/my agent/run");
    }

    @Test
    void theHomeDirectoryMayBeATilde() {
        String home = System.getProperty("user.home");

        assertThat(parse("~/bin/agent '~/x' ~").command()).isEqualTo(home + "/bin/agent");
        assertThat(parse("~/bin/agent '~/x' ~").arguments()).containsExactly("~/x", "~");
    }

    @Test
    void backslashesOnWindowsArePathsEvenInQuotes() {
        CommandLine line = CommandLine.parse("C:\\agents\\run.exe \"C:\\My Files\\x\" \"a \\\"b\\\"\"", true);

        assertThat(line.command()).isEqualTo("C:\\agents\\run.exe");
        assertThat(line.arguments()).containsExactly("C:\\My Files\\x", "a \"b\"");
    }

    @Test
    @Tag("PRC-01")
    void jsonNamesCommandArgumentsAndVariables() {
        CommandLine line =
                parse(" {\"command\": \"my agent\", \"args\": [\"--acp\", \"x y\"], \"env\": {\"A\": \"1\"}} ");

        assertThat(line.command()).isEqualTo("my agent");
        assertThat(line.arguments()).containsExactly("--acp", "x y");
        assertThat(line.environment()).isEqualTo(Map.of("A", "1"));
        assertThat(parse("{\"command\":\"a\"}").arguments()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"command\": \"a\", \"arguments\": []}",
                "{\"name\": \"files\", \"command\": \"a\", \"args\": [], \"env\": []}",
                "{\"command\": \"a\", \"args\": [], \"env\": [{\"name\": \"A\", \"value\": \"1\"}]}",
                "{\"type\": \"http\", \"url\": \"http://localhost\"}",
                "{\"command\": 1}",
                "{\"args\": []}",
                "{\"command\": \"a\"",
                "{\"command\": \"a\"} b",
                "{\"command\": \" \"}"
            })
    @Tag("PRC-02")
    void jsonOfAnotherShapeIsRefused(String json) {
        assertThatThrownBy(() -> parse(json)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Tag("PRC-02")
    void aRefusalNamesTheMemberAndTheShapeExpected() {
        assertThatThrownBy(() -> parse("{\"command\": \"a\", \"url\": \"x\"}"))
                .hasMessageContaining("unknown member \"url\"")
                .hasMessageContaining("Expected {\"command\": text");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "  ", "A=1", "'open", "agent \"open", "agent \\", "agent | tee", "a && b", "a > b", "''"})
    void whatIsNoCommandIsRefused(String text) {
        assertThatThrownBy(() -> parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static CommandLine parse(String text) {
        return CommandLine.parse(text, false);
    }
}
