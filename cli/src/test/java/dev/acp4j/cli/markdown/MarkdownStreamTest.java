package dev.acp4j.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.Golden;
import dev.acp4j.cli.Hostile;
import dev.acp4j.cli.Shown;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Screen;
import org.jline.utils.ScreenTerminal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MarkdownStreamTest {
    private static final String SOURCE = Golden.read("answer.md");

    @ParameterizedTest
    @ValueSource(ints = {80, 160})
    void aWholeAnswerReadsWell(int width) {
        StringBuilder out = new StringBuilder();
        MarkdownStream stream = new MarkdownStream(new Screen(out::append, new Display(width, 24, false, false, true)));

        stream.append(SOURCE);
        stream.finish();

        Golden.check("answer-" + width + ".txt", out.toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 50})
    void piecesGiveTheSameAsTheWhole(int size) {
        StringBuilder out = new StringBuilder();
        MarkdownStream stream = new MarkdownStream(new Screen(out::append, new Display(80, 24, false, false, true)));

        inPieces(stream, size);
        stream.finish();

        assertThat(out.toString()).isEqualTo(Golden.read("answer-80.txt"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 20})
    void rewritingLeavesTheSameOnTheScreen(int size) {
        ScreenTerminal expected = new ScreenTerminal(80, 200);
        expected.write(Golden.read("answer-80.txt").replace("\n", "\r\n"));
        ScreenTerminal terminal = new ScreenTerminal(80, 200);
        MarkdownStream stream = new MarkdownStream(on(terminal, 80, 200));

        inPieces(stream, size);
        stream.finish();

        assertThat(Shown.on(terminal)).isEqualTo(Shown.on(expected));
    }

    @Test
    void textIsOnTheScreenBeforeItsParagraphEnds() {
        ScreenTerminal terminal = new ScreenTerminal(80, 24);
        MarkdownStream stream = new MarkdownStream(on(terminal, 80, 24));

        stream.append("The retry **log");

        assertThat(Shown.on(terminal)).isEqualTo("The retry **log\n");

        stream.append("ic** is here");

        assertThat(Shown.on(terminal)).isEqualTo("The retry logic is here\n");
    }

    @Test
    void coloursAreWrittenOnlyWhenWanted() {
        StringBuilder plain = new StringBuilder();
        StringBuilder coloured = new StringBuilder();

        new MarkdownStream(new Screen(plain::append, new Display(80, 24, false, false, true)))
                .append("**a** `b`\n\nc\n");
        new MarkdownStream(new Screen(coloured::append, new Display(80, 24, true, false, true)))
                .append("**a** `b`\n\nc\n");

        assertThat(plain.toString()).isEqualTo("a b\n");
        assertThat(coloured.toString()).isEqualTo("\u001b[1ma\u001b[0m \u001b[36mb\u001b[0m\n");
    }

    @Test
    void escapesInAnAnswerDoNotReachTheTerminal() {
        StringBuilder out = new StringBuilder();
        MarkdownStream stream = new MarkdownStream(new Screen(out::append, new Display(80, 24, true, true, true)));

        stream.append("a\u001b");
        stream.append("]0;title\u0007b\n");
        stream.finish();

        assertThat(out.toString()).doesNotContain("\u001b]").endsWith("a␛]0;title␇b\n");
    }

    @ParameterizedTest
    @Tag("SEC-07")
    @ValueSource(booleans = {false, true})
    void entitiesDoNotReachTheTerminalAsCharacters(boolean rewrites) {
        StringBuilder out = new StringBuilder();
        MarkdownStream stream =
                new MarkdownStream(new Screen(out::append, new Display(80, 24, rewrites, rewrites, true)));

        for (String block : Hostile.markdown().split("(?<=\n\n)", -1)) {
            stream.append(block);
        }
        stream.finish();

        assertThat(out.toString()).contains("␛]52;c;SEFDSw==␇");
        Hostile.assertHarmless(out.toString());
    }

    @Test
    void aLinkThatLeadsToControlCharactersShowsThem() {
        StringBuilder out = new StringBuilder();
        MarkdownStream stream = new MarkdownStream(new Screen(out::append, Display.PIPE));

        stream.append("[a](http://x/&#27;]8;;y) ![b](<&#x9b;2J>) &#27;[31mred\n");
        stream.finish();

        assertThat(out.toString()).isEqualTo("a (http://x/␛]8;;y) b (<U+009B>2J) red\n");
    }

    @Test
    void aBlockWithoutEndIsPrintedInParts() {
        StringBuilder out = new StringBuilder();
        MarkdownStream stream = new MarkdownStream(new Screen(out::append, new Display(80, 24, false, false, true)));

        for (int i = 0; i < 4000; i++) {
            stream.append("word word ");
        }

        assertThat(out.length()).isGreaterThan(30_000);
    }

    private static void inPieces(MarkdownStream stream, int size) {
        for (int i = 0; i < SOURCE.length(); i += size) {
            stream.append(SOURCE.substring(i, Math.min(SOURCE.length(), i + size)));
        }
    }

    private static Screen on(ScreenTerminal terminal, int width, int height) {
        return new Screen(
                text -> terminal.write(text.toString().replace("\n", "\r\n")),
                new Display(width, height, true, true, true));
    }
}
