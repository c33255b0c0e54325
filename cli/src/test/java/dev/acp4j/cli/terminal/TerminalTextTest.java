package dev.acp4j.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.Hostile;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SEC-07")
class TerminalTextTest {
    @Test
    void stylesAndMovesAreWrittenAndSequencesInTextAreShown() {
        TerminalText text = TerminalText.of(
                2, List.of(Styles.join(Styles.plain("a\u001b"), Styles.of("[2J\u0007b", Styles.BAD))), true);

        assertThat(text).hasToString("\u001b[2A\r\u001b[Ja␛\u001b[31m[2J␇b\u001b[0m\n");
    }

    @Test
    void everySequenceIsShownHoweverItsTextWasMade() {
        for (boolean colour : List.of(false, true)) {
            for (String sequence : Hostile.SEQUENCES) {
                Hostile.assertHarmless(TerminalText.of(sequence).toString());
                Hostile.assertHarmless(TerminalText.piece(sequence, ' ').toString());
                Hostile.assertHarmless(TerminalText.json("\"" + sequence + "\"").toString());
                Hostile.assertHarmless(TerminalText.coloured(sequence, colour).toString());
                Hostile.assertHarmless(TerminalText.of(Styles.of(sequence, Styles.GOOD), colour)
                        .toString());
                Hostile.assertHarmless(TerminalText.of(0, List.of(Styles.plain(sequence)), colour)
                        .toString());
            }
        }
    }

    @Test
    void aLineStaysOneRow() {
        assertThat(TerminalText.of(0, List.of(Styles.plain("a\nb")), false)).hasToString("a␊b\n");
    }

    @Test
    void aPieceKnowsWhatWasBeforeIt() {
        assertThat(TerminalText.piece("\u200d💻", "👩".codePointAt(0))).hasToString("\u200d💻");
        assertThat(TerminalText.piece("\u200d💻", '\u200d')).hasToString("<U+200D>💻");
    }

    @Test
    void helpKeepsItsColoursWhereThereAreSome() {
        String help = "\u001b[1macp\u001b[0m\n\nend";

        assertThat(TerminalText.coloured(help, true)).hasToString(help);
        assertThat(TerminalText.coloured(help, false)).hasToString("acp\n\nend");
    }
}
