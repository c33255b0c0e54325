package dev.acp4j.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.terminal.Display;
import java.util.Arrays;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DiffTextTest {
    private static final Display LOOK = new Display(80, 24, false, false, true);

    @Test
    void showsWhatGoesAndWhatComes() {
        assertThat(diff("a\nb\nc\n", "a\nB\nc\n", 50)).containsExactly("@@ -1,3 +1,3 @@", " a", "-b", "+B", " c");
    }

    @Test
    void aNewFileIsAllAdditions() {
        assertThat(diff(null, "a\nb\n", 50)).containsExactly("@@ -0,0 +1,2 @@", "+a", "+b");
    }

    @Test
    void aLongChangeIsCutWithANote() {
        String text = String.join("\n", Arrays.asList("x".repeat(30).split("(?<=x)")));

        List<String> lines = diff(null, text, 11);

        assertThat(lines).hasSize(12).last().isEqualTo("… 20 more lines of this change");
    }

    @Test
    void hugeFilesAreOnlyCounted() {
        assertThat(diff("a\n".repeat(6000), "b\n".repeat(6000), 50))
                .containsExactly("6000 lines before, 6000 after; too many to compare here");
    }

    @Test
    void longLinesThatChangeAreWrapped() {
        assertThat(diff(null, "y".repeat(100), 50))
                .containsExactly("@@ -0,0 +1,1 @@", "+" + "y".repeat(74), "  " + "y".repeat(26));
    }

    @Test
    void longLinesThatStayAreCut() {
        assertThat(diff("y".repeat(100) + "\na", "y".repeat(100) + "\nb", 50).get(1))
                .hasSize(75)
                .endsWith("…");
    }

    @Test
    void controlCharactersInFilesAreShown() {
        assertThat(diff(null, "\u001b[2J", 50)).contains("+␛[2J");
    }

    @Test
    void aNewlineAtTheEndIsAChange() {
        assertThat(diff("a\nb", "a\nb\n", 50))
                .containsExactly("@@ -1,2 +1,2 @@", " a", "-b", "\\ No newline at end of file", "+b");
        assertThat(diff("b\n", "c", 50)).containsExactly("@@ -1,1 +1,1 @@", "-b", "+c", "\\ No newline at end of file");
        assertThat(DiffText.size("a\nb", "a\nb\n")).isEqualTo("+1 -1");
    }

    @Test
    void otherEndsOfLinesAreAChange() {
        assertThat(diff("a\r\nb\r\n", "a\nb\n", 50)).containsExactly("@@ -1,2 +1,2 @@", "-a␍", "-b␍", "+a", "+b");
        assertThat(DiffText.size("a\r\nb\r\n", "a\nb\n")).isEqualTo("+2 -2");
    }

    @Test
    void endsOfLinesThatStayAreNotShown() {
        assertThat(diff("a\r\nb\r\n", "a\r\nB\r\n", 50)).containsExactly("@@ -1,2 +1,2 @@", " a", "-b", "+B");
        assertThat(diff("a\nb", "a\nB", 50)).containsExactly("@@ -1,2 +1,2 @@", " a", "-b", "+B");
    }

    @Test
    void theSizeCountsBothSides() {
        assertThat(DiffText.size("a\nb\n", "a\nc\nd\n")).isEqualTo("+2 -1");
    }

    private static List<String> diff(@Nullable String before, String after, int most) {
        return DiffText.lines(before, after, LOOK, most).stream()
                .map(AttributedString::toString)
                .toList();
    }
}
