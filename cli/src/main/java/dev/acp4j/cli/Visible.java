package dev.acp4j.cli;

/**
 * Makes text of a peer safe to show.
 *
 * <p>An agent passes on what models, files and programs say. Written to a terminal as it is, such text could move the
 * cursor over a permission question, change the window's title or fill the clipboard. So nothing but printable
 * characters, line ends and tabs goes through; colours are dropped, all else is shown by a visible sign.
 */
final class Visible {
    private static final char ESCAPE = '\u001b';
    private static final int CONTROL_PICTURES = 0x2400;

    private Visible() {}

    /** Returns the text with its lines kept; tabs become spaces. */
    static String text(String text) {
        return isClean(text) ? text : clean(text, false);
    }

    /** Returns the text with its lines and tabs kept, for files and other programs. */
    static String verbatim(String text) {
        if (text.indexOf('\t') < 0) {
            return text(text);
        }
        StringBuilder out = new StringBuilder();
        int from = 0;
        for (int tab = text.indexOf('\t'); tab >= 0; tab = text.indexOf('\t', from)) {
            out.append(text(text.substring(from, tab))).append('\t');
            from = tab + 1;
        }
        return out.append(text(text.substring(from))).toString();
    }

    /** Returns the text as one line: line ends become spaces. */
    static String line(String text) {
        String line = isClean(text) && text.indexOf('\n') < 0 ? text : clean(text, true);
        return line.strip();
    }

    private static boolean isClean(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\n') || c == 0x7f || (c > 0x7e && isHidden(c)) || Character.isSurrogate(c)) {
                return false;
            }
        }
        return true;
    }

    private static String clean(String text, boolean oneLine) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        int i = 0;
        while (i < text.length()) {
            int colour = colourEnd(text, i);
            if (colour > i) {
                i = colour;
                continue;
            }
            int c = text.codePointAt(i);
            int next = i + Character.charCount(c);
            if (c == '\r' && next < text.length() && text.charAt(next) == '\n') {
                c = '\n';
                next++;
            }
            append(out, c, oneLine);
            i = next;
        }
        return out.toString();
    }

    private static void append(StringBuilder out, int c, boolean oneLine) {
        if (c == '\n') {
            out.append(oneLine ? ' ' : '\n');
        } else if (c == '\t') {
            out.append(oneLine ? " " : "    ");
        } else if (c < ' ') {
            out.append((char) (CONTROL_PICTURES + c));
        } else if (c == 0x7f) {
            out.append('\u2421');
        } else if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
            out.append('\ufffd');
        } else if (isHidden(c)) {
            out.append("<U+").append(hex(c)).append('>');
        } else {
            out.appendCodePoint(c);
        }
    }

    private static String hex(int c) {
        String digits = Integer.toHexString(c).toUpperCase(java.util.Locale.ROOT);
        return "0000".substring(Math.min(4, digits.length())) + digits;
    }

    /** C1 controls, signs that turn the direction of text, and invisible ones that can carry a message. */
    private static boolean isHidden(int c) {
        return (c >= 0x80 && c <= 0x9f)
                || c == 0x61c
                || c == 0x200b
                || c == 0x200e
                || c == 0x200f
                || (c >= 0x2028 && c <= 0x202e)
                || (c >= 0x2060 && c <= 0x206f)
                || c == 0xfeff
                || (c >= 0xfff9 && c <= 0xfffb)
                || (c >= 0xe0000 && c <= 0xe007f);
    }

    /** Where a colour sequence that begins at {@code at} ends, or {@code at} when there is none. */
    private static int colourEnd(String text, int at) {
        if (text.charAt(at) != ESCAPE || at + 1 >= text.length() || text.charAt(at + 1) != '[') {
            return at;
        }
        int i = at + 2;
        while (i < text.length() && isColourParameter(text.charAt(i))) {
            i++;
        }
        return i < text.length() && text.charAt(i) == 'm' ? i + 1 : at;
    }

    private static boolean isColourParameter(char c) {
        return (c >= '0' && c <= '9') || c == ';' || c == ':';
    }
}
