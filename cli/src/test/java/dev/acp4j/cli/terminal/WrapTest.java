package dev.acp4j.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;

class WrapTest {
    @Test
    void breaksAtSpaces() {
        assertThat(wrap("the quick brown fox", 10)).containsExactly("the quick", "brown fox");
    }

    @Test
    void aLineMayBeExactlyAsWideAsAllowed() {
        assertThat(wrap("0123456789 0123456789", 10)).containsExactly("0123456789", "0123456789");
    }

    @Test
    void longWordsAreCut() {
        assertThat(wrap("x 0123456789abcdef", 10)).containsExactly("x", "0123456789", "abcdef");
    }

    @Test
    void lineEndsAreKept() {
        assertThat(wrap("a\n\nb\n", 10)).containsExactly("a", "", "b", "");
    }

    @Test
    void wideSignsCountTwiceAndMayBePartedAnywhere() {
        assertThat(wrap("世界世界世界", 5)).containsExactly("世界", "世界", "世界");
    }

    @Test
    void indentOfCodeIsKept() {
        assertThat(wrap("    if (x)", 20)).containsExactly("    if (x)");
    }

    @Test
    void withoutAWidthNothingIsBroken() {
        assertThat(wrap("the quick brown fox\njumps", 0)).containsExactly("the quick brown fox", "jumps");
    }

    @Test
    void anIndentCountsTowardsTheWidth() {
        List<AttributedString> lines =
                Wrap.lines(Styles.plain("aaa bbb ccc ddd"), 12, Styles.plain("1. "), Styles.plain("   "));

        assertThat(lines).map(AttributedString::toString).containsExactly("1. aaa bbb", "   ccc ddd");
    }

    @Test
    void cuttingLeavesAMark() {
        assertThat(Wrap.cut(Styles.plain("0123456789abc"), 10, "…").toString()).isEqualTo("012345678…");
        assertThat(Wrap.cut(Styles.plain("0123456789"), 10, "…").toString()).isEqualTo("0123456789");
    }

    private static List<String> wrap(String text, int width) {
        return Wrap.lines(Styles.plain(text), width).stream()
                .map(AttributedString::toString)
                .toList();
    }
}
