package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
    private static Arguments parse(String text) {
        return Arguments.parse(text, Set.of("word"), Set.of("in"));
    }

    @Test
    void wordsMayBeQuoted() {
        assertThat(parse("one \"two words\" 'it''s' \"a \\\"quote\\\" \\d\" '' -> -x")
                        .words())
                .containsExactly("one", "two words", "it", "s", "a \"quote\" \\d", "", "->", "-x");
    }

    @Test
    void optionsStandAnywhere() {
        Arguments arguments = parse("a --in *.java b --word --in src");

        assertThat(arguments.words()).containsExactly("a", "b");
        assertThat(arguments.values("in")).containsExactly("*.java", "src");
        assertThat(arguments.has("word")).isTrue();
        assertThat(arguments.values("out")).isEmpty();
    }

    @Test
    void aQuotedOptionIsAWord() {
        assertThat(parse("\"--word\"").words()).containsExactly("--word");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> parse("--nonsense")).hasMessage("there is no option --nonsense");
        assertThatThrownBy(() -> parse("a --in")).hasMessage("--in requires a value");
        assertThatThrownBy(() -> parse("a \"b c")).hasMessage("a quote is not closed: \"b c");
    }
}
