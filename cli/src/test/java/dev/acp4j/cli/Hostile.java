package dev.acp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.terminal.SafeText;
import java.util.List;
import java.util.regex.Pattern;

/** Text that drives terminals or deceives readers, and the check that none of it got through. */
public final class Hostile {
    /** Each differs from what acp and JLine write themselves. */
    public static final List<String> SEQUENCES = List.of(
            "\u001b]52;c;SEFDSw==\u0007", // fills the clipboard
            "\u001b]52;c;SEFDSw==\u001b\\",
            "\u001b]0;title\u0007",
            "\u001b]2;title\u001b\\",
            "\u001b]8;;http://example.com/\u001b\\link\u001b]8;;\u001b\\",
            "\u001b]10;?\u0007", // asks for a colour
            "\u001b]1337;File=name=eA==:eA==\u0007",
            "\u001bP$qm\u001b\\", // asks for a setting
            "\u001bP+q544e\u001b\\",
            "\u001b_Gi=1;x\u001b\\",
            "\u001b^private\u001b\\",
            "\u001b[2J\u001b[H", // clears the screen
            "\u001b[3J",
            "\u001b[37A", // moves up
            "\u001b[37;5H",
            "\u001b[2K\u001b[37G",
            "\u001b[6n", // asks for the cursor's place
            "\u001b[c",
            "\u001b[>c",
            "\u001b[21t", // asks for the window's title
            "\u001b[?1049h",
            "\u001b[?25l",
            "\u001b[?1000h",
            "\u001b[4i", // prints
            "\u001b[20h",
            "\u001bc", // resets
            "\u001b#8",
            "\u001b7",
            "\u001b",
            "\u0007",
            "\b\b\b\b",
            "\u007f",
            "\rover",
            "\u000b",
            "\f",
            "\u000e",
            "\u0005", // asks who it is
            "\u009b2J",
            "\u009d52;c;SEFDSw==\u009c",
            "\u0090$qm\u009c",
            "\u0085",
            "\u202egnp.exe\u202c", // turns the direction
            "\u202dabc",
            "\u2066abc\u2069",
            "\u2067abc\u2069",
            "\u061c",
            "\u200e",
            "\u200f",
            "\u2028",
            "\u200b", // hides
            "\u2060",
            "\ufeff",
            "\u00ad",
            "\u034f",
            "\u3164",
            "x\ufe00\ufe01\ufe02",
            "x\u200d\u200c\u200d\u200c",
            "x\udb40\udd00\udb40\udd10",
            "\udb40\udc41\udb40\udc42");

    private static final Pattern OURS = Pattern.compile("\u001b\\[[0-9;]*m|\u001b\\[\\d+A\r\u001b\\[J");

    /** JLine edits lines with these. */
    private static final Pattern EDITING = Pattern.compile("\u001b\\[\\?(2004|1)[hl]|\u001b\\[\\?10(0[0-6]|1[56])l"
            + "|\u001b[=>]|\u001b\\[\\d*[KJCDAB]|\b(?!\b{3})|(?<!<)\u0007");

    private Hostile() {}

    /** Returns all sequences as they are, in one line. */
    static String raw() {
        return "<" + String.join("> <", SEQUENCES) + ">";
    }

    /** Returns Markdown that has all sequences in all places of a text, in every form of an entity. */
    public static String markdown() {
        StringBuilder text = new StringBuilder();
        for (String form : List.of("&#%d;", "&#%05d;", "&#x%x;", "&#X%X;", "&#x%06X;")) {
            StringBuilder cells = new StringBuilder("| a | b |\n|---|---|\n");
            for (String sequence : SEQUENCES) {
                String entities = entities(sequence, form);
                text.append(in(entities));
                cells.append("| ")
                        .append(entities)
                        .append(" | `")
                        .append(entities)
                        .append("` |\n");
            }
            text.append(cells).append('\n');
        }
        return text + named();
    }

    private static String in(String entities) {
        return """
                A %s paragraph *with %s emphasis* and **%s strong** and `%s` code <b title="%s">%s</b>.
                [link %s](http://example.com/%s "title %s") ![image %s](%s) <http://example.com/%s> [%s]

                # %s heading

                > quote %s

                - item %s
                  1. item %s

                <div>%s</div>

                ```%s
                %s
                ```

                    %s

                [%s]: http://example.com/%s "%s"

                """.replace("%s", entities);
    }

    /** The entities that have names; few of them are harmful. */
    private static String named() {
        return "&rlm;x&lrm;x&shy;x&ZeroWidthSpace;x&NoBreak;x&af;x&it;x&ic;x&zwj;&zwnj;&zwj;&NewLine;x&Tab;x\n\n";
    }

    private static String entities(String sequence, String form) {
        StringBuilder text = new StringBuilder();
        sequence.codePoints().forEach(c -> {
            if (c < ' ' || c > '~') {
                text.append(form.formatted(c));
            } else {
                text.appendCodePoint(c);
            }
        });
        return text.toString();
    }

    /** Checks what was written to a file, a pipe, or a terminal on which nobody types. */
    public static void assertHarmless(String shown) {
        check(OURS.matcher(shown.replace("\r\n", "\n")).replaceAll(""));
    }

    /** Checks what was written to a terminal on which a line was edited. */
    static void assertHarmlessEditing(String shown) {
        for (String sequence : SEQUENCES) {
            if (sequence.startsWith("\u001b") && sequence.length() > 1) {
                assertThat(shown).doesNotContain(sequence);
            }
        }
        String text = OURS.matcher(shown).replaceAll("");
        check(EDITING.matcher(text).replaceAll("").replace("\r", ""));
    }

    private static void check(String text) {
        StringBuilder found = new StringBuilder();
        int before = ' ';
        int c;
        for (int i = 0; i < text.length(); i += Character.charCount(c)) {
            c = text.codePointAt(i);
            boolean isJoiner = c == 0x200d || c == 0x200c || (c >= 0xfe00 && c <= 0xfe0f);
            boolean wasJoiner = before == 0x200d || before == 0x200c || (before >= 0xfe00 && before <= 0xfe0f);
            boolean isControl = Character.getType(c) == Character.CONTROL && c != '\n' && c != '\t';
            boolean isFormat = Character.getType(c) == Character.FORMAT && !isJoiner;
            boolean isInvisible = c == 0x34f || c == 0x3164 || (c >= 0xe0000 && c <= 0xe0fff) || c == 0x2028;
            if (isControl || isFormat || isInvisible || (isJoiner && (wasJoiner || before <= ' '))) {
                found.append(Integer.toHexString(c))
                        .append(" in ")
                        .append(SafeText.line(text.substring(Math.max(0, i - 40), Math.min(text.length(), i + 40))))
                        .append('\n');
            }
            before = c;
        }
        assertThat(found.length() > 2000 ? found.substring(0, 2000) : found.toString())
                .isEmpty();
    }
}
