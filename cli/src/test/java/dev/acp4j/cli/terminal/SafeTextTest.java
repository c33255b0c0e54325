package dev.acp4j.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("SEC-07")
class SafeTextTest {
    @Test
    void ordinaryTextIsLeftAlone() {
        String text = "Grüße, 世界 👋🏽 – “quoted”\nnext line";

        assertThat(SafeText.text(text)).isEqualTo(text);
    }

    @Test
    void escapeSequencesAreShownInsteadOfObeyed() {
        assertThat(SafeText.text("\u001b]0;owned\u0007\u001b[2J\u001b[1A")).isEqualTo("␛]0;owned␇␛[2J␛[1A");
    }

    @Test
    void coloursAreDropped() {
        assertThat(SafeText.text("\u001b[1;31mred\u001b[0m and \u001b[38:5:12mblue\u001b[m"))
                .isEqualTo("red and blue");
    }

    @Test
    void anUnfinishedColourIsShown() {
        assertThat(SafeText.text("red\u001b[3")).isEqualTo("red␛[3");
    }

    @Test
    void carriageReturnCannotHideWhatWasBeforeIt() {
        assertThat(SafeText.text("rm -rf /\rls\r\nend")).isEqualTo("rm -rf /␍ls\nend");
    }

    @Test
    void eightBitControlsAndDeleteAreShown() {
        assertThat(SafeText.text("a\u009b2Jb\u007f")).isEqualTo("a<U+009B>2Jb␡");
    }

    @Test
    void signsThatTurnTextRoundOrAreInvisibleAreShown() {
        assertThat(SafeText.text("a\u202eb\u2066c\u200bd\udb40\udc41e"))
                .isEqualTo("a<U+202E>b<U+2066>c<U+200B>d<U+E0041>e");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "👩\u200d💻", // a joiner
                "❤\ufe0f\u200d🔥", // a selector, then a joiner
                "🏴\u200d☠\ufe0f",
                "👋🏽",
                "🇨🇭",
                "1\ufe0f\u20e3",
                "می\u200cخواهم",
                "क्\u200dष"
            })
    void joinersAndSelectorsThatEmojiAndScriptsNeedAreLeftAlone(String text) {
        assertThat(SafeText.text(text)).isEqualTo(text);
        assertThat(SafeText.json("\"" + text + "\"")).isEqualTo("\"" + text + "\"");
    }

    @Test
    void whatCouldHideTextIsShown() {
        assertThat(SafeText.text("a\u00adb\u034fc\u3164d\udb40\udd00e"))
                .isEqualTo("a<U+00AD>b<U+034F>c<U+3164>d<U+E0100>e");
        assertThat(SafeText.text("x\ufe00\ufe01\u200d\u200d y \ufe0f"))
                .isEqualTo("x\ufe00<U+FE01>\u200d<U+200D> y <U+FE0F>");
    }

    @Test
    void jsonKeepsItsMeaning() {
        assertThat(SafeText.json("{\"a\":\r\"\u009b\u007f\u202e\udb40\udc41ü\"}"))
                .isEqualTo("{\"a\": \"\\u009b\\u007f\\u202e\\udb40\\udc41ü\"}");
    }

    @Test
    void halfACharacterBecomesTheReplacementSign() {
        assertThat(SafeText.text("a\ud83d b")).isEqualTo("a\ufffd b");
    }

    @Test
    void aLineStaysOneLine() {
        assertThat(SafeText.line(" Run tests\r\nAllow? yes\u2028\t! ")).isEqualTo("Run tests Allow? yes<U+2028> !");
    }

    @Test
    void invisibleCharactersOfRareScriptsAreShown() {
        assertThat(SafeText.text("a\u070fb\ud80d\udc3fc\ud81b\udfe4d")).isEqualTo("a<U+070F>b<U+1343F>c<U+16FE4>d");
        assertThat(SafeText.text("\u0600\u06dd")).isEqualTo("\u0600\u06dd");
    }

    @Test
    void tabsBecomeSpaces() {
        assertThat(SafeText.text("a\tb")).isEqualTo("a    b");
    }
}
