package dev.acp4j.cli.terminal;

import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;

/**
 * Text that is safe to write to a terminal.
 *
 * <p>All output to a terminal is of this type, and every factory makes its text {@linkplain SafeText visible}: only
 * this class writes escape sequences. So a renderer can pass on text of a peer unchanged, even if a parser in between
 * has added control characters.
 */
public final class TerminalText {
    private static final String ESCAPE = "\u001b[";
    private static final String RESET = "\u001b[0m";
    private static final int IMAGE_CHUNK = 4096;
    private static final String ERASE_BELOW = "\u001b[J";

    private final String characters;

    private TerminalText(String characters) {
        this.characters = characters;
    }

    /** Returns text in one or more lines. */
    public static TerminalText of(String text) {
        return new TerminalText(SafeText.text(text));
    }

    /**
     * Returns a piece of a text, with its tabs.
     *
     * @param before the character before the piece
     */
    public static TerminalText piece(String text, int before) {
        return new TerminalText(SafeText.verbatim(text, before));
    }

    /** Returns an equivalent JSON text as one line with its end. */
    static TerminalText json(String json) {
        return new TerminalText(SafeText.json(json) + '\n');
    }

    /** Returns one line without its end. */
    public static TerminalText of(AttributedString line, boolean colour) {
        StringBuilder out = new StringBuilder();
        append(line, colour, out);
        return new TerminalText(out.toString());
    }

    /**
     * Returns lines that replace the last ones shown.
     *
     * @param replaced the number of replaced lines
     */
    public static TerminalText of(int replaced, List<AttributedString> lines, boolean colour) {
        StringBuilder out = new StringBuilder();
        if (replaced > 0) {
            out.append(ESCAPE).append(replaced).append("A\r").append(ERASE_BELOW);
        }
        for (AttributedString line : lines) {
            append(line, colour, out);
            out.append('\n');
        }
        return new TerminalText(out.toString());
    }

    /**
     * Returns an image in rows of its own, with the cursor at the beginning of the row below. The rows are made first,
     * and the cursor is moved over them, so that their number is known whatever the terminal does.
     */
    static TerminalText image(TerminalImage image, Display display) {
        TerminalImage.Cells cells = image.cells(display);
        StringBuilder out = new StringBuilder();
        out.append("\n".repeat(cells.rows()))
                .append(ESCAPE)
                .append(cells.rows())
                .append('A');
        String data = image.base64();
        for (int from = 0; from < data.length(); from += IMAGE_CHUNK) {
            int end = Math.min(data.length(), from + IMAGE_CHUNK);
            out.append("\u001b_G");
            if (from == 0) {
                // Show this PNG in so many cells, leave the cursor where it is, and answer nothing.
                out.append("a=T,f=100,C=1,q=2,c=")
                        .append(cells.columns())
                        .append(",r=")
                        .append(cells.rows())
                        .append(',');
            }
            out.append(end < data.length() ? "m=1;" : "m=0;")
                    .append(data, from, end)
                    .append("\u001b\\");
        }
        return new TerminalText(
                out.append(ESCAPE).append(cells.rows()).append("B\r").toString());
    }

    /** Returns text coloured by a library; other escape sequences in it are treated as text. */
    static TerminalText coloured(String text, boolean colour) {
        StringBuilder out = new StringBuilder();
        int from = 0;
        for (int end; from < text.length(); from = end + 1) {
            int found = text.indexOf('\n', from);
            end = found < 0 ? text.length() : found;
            append(AttributedString.fromAnsi(text.substring(from, end)), colour, out);
            out.append(found < 0 ? "" : "\n");
        }
        return new TerminalText(out.toString());
    }

    /** JLine's own method would write rules and bars with ASCII signs. */
    private static void append(AttributedString line, boolean colour, StringBuilder out) {
        int before = ' ';
        int end;
        for (int from = 0; from < line.length(); from = end) {
            end = line.runLimit(from);
            AttributedStyle style = line.styleAt(from);
            boolean isStyled = colour && !style.equals(AttributedStyle.DEFAULT);
            if (isStyled) {
                out.append(ESCAPE).append(style.toAnsi()).append('m');
            }
            // With a line end in a line, the cursor would be moved up by too few rows.
            out.append(SafeText.text(line.subSequence(from, end).toString(), before)
                    .replace('\n', '\u240a'));
            if (isStyled) {
                out.append(RESET);
            }
            before = Character.codePointBefore(line, end);
        }
    }

    @Override
    public String toString() {
        return characters;
    }
}
