package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplacementTest {
    private static final Replacement.Options REGEX = new Replacement.Options(true, false, false);
    private static final Replacement.Options WORD = new Replacement.Options(false, true, false);
    private static final Replacement.Options ANY_CASE = new Replacement.Options(false, false, true);

    @Test
    void textIsReplacedAsItIsWritten() throws Exception {
        Replacement.Replaced replaced =
                Replacement.of("a.b", "$1\\n", Replacement.Options.LITERAL).in("a.b axb a.b");

        assertThat(replaced.text()).isEqualTo("$1\\n axb $1\\n");
        assertThat(replaced.count()).isEqualTo(2);
    }

    @Test
    void aRegularExpressionHasGroups() throws Exception {
        Replacement.Replaced replaced =
                Replacement.of("(\\w+)=(\\d+)", "$2: \\$$1\\n", REGEX).in("x=1,y=2");

        assertThat(replaced.text()).isEqualTo("1: $x\n,2: $y\n");
    }

    @Test
    void aWholeWordHasNoLetterBesideIt() throws Exception {
        assertThat(Replacement.of("id", "key", WORD)
                        .in("id, idle, hid, id_1, (id)")
                        .text())
                .isEqualTo("key, idle, hid, id_1, (key)");
    }

    @Test
    void capitalsMayBeIgnored() throws Exception {
        assertThat(Replacement.of("straße", "road", ANY_CASE)
                        .in("Straße STRAßE")
                        .text())
                .isEqualTo("road road");
    }

    @Test
    void aLineOfItsOwnCanBeMatched() throws Exception {
        assertThat(Replacement.of("^b$", "c", REGEX).in("a\nb\nb b\n").text()).isEqualTo("a\nc\nb b\n");
    }

    @Test
    void whatStaysTheSameIsNotCounted() throws Exception {
        assertThat(Replacement.of("a", "a", ANY_CASE).in("aAa").count()).isEqualTo(1);
    }

    @Test
    void patternsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> Replacement.of("", "x", Replacement.Options.LITERAL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is nothing to find");
        assertThatThrownBy(() -> Replacement.of("(", "x", REGEX)).hasMessageContaining("not a regular expression");
        assertThatThrownBy(() -> Replacement.of("(x)", "$2", REGEX)).hasMessageContaining("group");
        assertThatThrownBy(() -> Replacement.of("x", "x", WORD)).hasMessageContaining("the same");
    }

    @ParameterizedTest
    @ValueSource(strings = {"^", "$", "x*", "\\b", "(?=a)"})
    void aPatternThatMatchesWhereThereIsNoTextIsRefused(String pattern) {
        assertThatThrownBy(() -> Replacement.of(pattern, "y", REGEX).in("a b\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("where there is no text");
    }

    @Test
    void aPatternThatTriesForEverIsStopped() {
        Replacement hopeless = Replacement.of("(x+x+)+\\1y", "z", REGEX).within(Duration.ofMillis(50));

        assertThatThrownBy(() -> hopeless.in("x".repeat(60)))
                .isInstanceOf(GuardedText.StoppedException.class)
                .hasMessageMatching(".*ran for more than 50 ms.*");
    }

    @Test
    void aPatternStopsWhenInterrupted() {
        Replacement hopeless = Replacement.of("(x+x+)+\\1y", "z", REGEX);

        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> hopeless.in("x".repeat(60))).isInstanceOf(InterruptedException.class);
    }
}
