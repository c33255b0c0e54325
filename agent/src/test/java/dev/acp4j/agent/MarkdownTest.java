package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MarkdownTest {
    @Test
    void codeStaysCodeWhateverIsInIt() {
        assertThat(Markdown.code("a")).isEqualTo("`a`");
        assertThat(Markdown.code("a `b` c")).isEqualTo("``a `b` c``");
        assertThat(Markdown.code("`b`")).isEqualTo("`` `b` ``");
        assertThat(Markdown.code("a\nb")).isEqualTo("`a b`");
        assertThat(Markdown.code("x".repeat(200))).hasSize(163);
    }

    @Test
    void aBlockHasAFenceLongerThanAnyInIt() {
        assertThat(Markdown.block("md", "```\nx\n```")).isEqualTo("````md\n```\nx\n```\n````\n");
        assertThat(Markdown.block("", "")).isEqualTo("```\n```\n");
    }

    @Test
    void linesHaveTheirNumbers() {
        assertThat(Markdown.numbered(List.of("a", "b"), 9)).isEqualTo(" 9  a\n10  b\n");
    }

    @Test
    void numbersAreForPeople() {
        assertThat(Markdown.count(1, "file", "files")).isEqualTo("1 file");
        assertThat(Markdown.count(1_234_567, "file", "files")).isEqualTo("1,234,567 files");
        assertThat(SizeText.of(1_023)).isEqualTo("1023 B");
        assertThat(SizeText.of(1_536)).isEqualTo("1.5 KB");
        assertThat(SizeText.of(3L << 20)).isEqualTo("3 MB");
        assertThat(SizeText.of(25_900_000)).isEqualTo("25 MB");
    }
}
