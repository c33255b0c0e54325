package dev.acp4j.cli.terminal;

import java.util.Locale;

/**
 * Makes text of a peer safe to show.
 *
 * <p>An agent forwards text of models, files and programs. Written to a terminal unchanged, such text could move the
 * cursor over a permission question, change the window's title or fill the clipboard; invisible characters could hide a
 * part of it from the reader. So only visible characters, line ends and tabs are kept. Colours are removed, and
 * everything else is replaced by a visible sign.
 *
 * <p>Emoji and some scripts need joiners and variation selectors, which are invisible. A single one after a visible
 * character is kept; a sequence of them could carry a message.
 */
public final class SafeText {
    private static final int TAB = 4;
    private static final char ESCAPE = '\u001b';
    private static final int CONTROL_PICTURES = 0x2400;
    private static final int ZERO_WIDTH_NON_JOINER = 0x200c;
    private static final int ZERO_WIDTH_JOINER = 0x200d;

    /** The first and last of each range of invisible characters, in addition to the format characters of Unicode. */
    private static final int[] HIDDEN = {
        0x7f, 0x9f, // delete and the C1 controls
        0x34f, 0x34f, // combining grapheme joiner
        0x115f, 0x1160, // Hangul fillers
        0x17b4, 0x17b5, // Khmer vowels that are not shown
        0x2028, 0x2029, // separators of lines and paragraphs
        0x2065, 0x2065, // reserved
        0x3164, 0x3164, // Hangul filler
        0xffa0, 0xffa0, // Hangul filler
        0xfff0, 0xfff8, // reserved
        0x16fe4, 0x16fe4, // Khitan filler
        0xe0000, 0xe0fff, // tags, more variation selectors, reserved
    };

    /** Visible format characters: signs of Arabic and Kaithi that are drawn around numbers. */
    private static final int[] SEEN = {
        0x600, 0x605, 0x6dd, 0x6dd, 0x890, 0x891, 0x8e2, 0x8e2, 0x110bd, 0x110bd, 0x110cd, 0x110cd,
    };

    private SafeText() {}

    /** Returns the text with its lines kept; tabs become spaces. */
    public static String text(String text) {
        return text(text, ' ');
    }

    /**
     * Returns a piece of a text, as {@link #text(String)}.
     *
     * @param before the character before the piece, which decides whether the piece may begin with a joiner
     */
    public static String text(String text, int before) {
        return isClean(text) ? text : clean(text, before, false);
    }

    /**
     * Returns a piece of a text with its lines and tabs kept, for files and other programs.
     *
     * @param before the character before the piece
     */
    static String verbatim(String text, int before) {
        if (text.indexOf('\t') < 0) {
            return text(text, before);
        }
        StringBuilder out = new StringBuilder();
        int from = 0;
        for (int tab = text.indexOf('\t'); tab >= 0; tab = text.indexOf('\t', from)) {
            out.append(text(text.substring(from, tab), from == 0 ? before : '\t'))
                    .append('\t');
            from = tab + 1;
        }
        return out.append(text(text.substring(from), '\t')).toString();
    }

    /** Returns the text as one line: line ends become spaces. */
    public static String line(String text) {
        String line = isClean(text) && text.indexOf('\n') < 0 ? text : clean(text, ' ', true);
        return line.strip();
    }

    /** Returns the text as one line with its indentation, of which a tab is four columns. */
    public static String indented(String text) {
        int indent = 0;
        int at = 0;
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            indent += text.charAt(at) == ' ' ? 1 : TAB;
            at++;
        }
        String line = line(text.substring(at));
        return line.isEmpty() ? line : " ".repeat(indent) + line;
    }

    /**
     * Returns an equivalent JSON text in one line. Characters that must be made visible can only occur in strings,
     * where they become escapes, or as space between tokens.
     */
    public static String json(String json) {
        if (isClean(json) && json.indexOf('\n') < 0) {
            return json;
        }
        StringBuilder out = new StringBuilder(json.length() + 16);
        int before = ' ';
        int c;
        for (int i = 0; i < json.length(); i += Character.charCount(c)) {
            c = json.codePointAt(i);
            if (c < ' ') {
                out.append(' ');
            } else if (isHidden(c, before) || isHalf(c)) {
                for (char half : Character.toChars(c)) {
                    out.append("\\u").append(hex(half).toLowerCase(Locale.ROOT));
                }
            } else {
                out.appendCodePoint(c);
            }
            before = c;
        }
        return out.toString();
    }

    private static boolean isClean(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isPlain = c < 0x7f ? c >= ' ' || c == '\n' : c > 0x9f && !isInvisible(c);
            if (!isPlain || Character.isSurrogate(c)) {
                return false;
            }
        }
        return true;
    }

    private static String clean(String text, int before, boolean oneLine) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        int last = before;
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
            append(out, c, last, oneLine);
            last = c;
            i = next;
        }
        return out.toString();
    }

    private static void append(StringBuilder out, int c, int before, boolean oneLine) {
        if (c == '\n') {
            out.append(oneLine ? ' ' : '\n');
        } else if (c == '\t') {
            out.append(oneLine ? " " : "    ");
        } else if (c < ' ') {
            out.append((char) (CONTROL_PICTURES + c));
        } else if (c == 0x7f) {
            out.append('\u2421');
        } else if (isHalf(c)) {
            out.append('\ufffd');
        } else if (isHidden(c, before)) {
            out.append("<U+").append(hex(c)).append('>');
        } else {
            out.appendCodePoint(c);
        }
    }

    private static String hex(int c) {
        String digits = Integer.toHexString(c).toUpperCase(Locale.ROOT);
        return "0000".substring(Math.min(4, digits.length())) + digits;
    }

    /** Returns whether it is an unpaired surrogate. */
    private static boolean isHalf(int c) {
        return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    }

    private static boolean isHidden(int c, int before) {
        if (isSelector(c)) {
            return !isSeen(before);
        }
        if (c == ZERO_WIDTH_JOINER || c == ZERO_WIDTH_NON_JOINER) {
            return !isSeen(before) && !isSelector(before);
        }
        return isInvisible(c);
    }

    private static boolean isSeen(int c) {
        return c > ' ' && !isInvisible(c);
    }

    private static boolean isInvisible(int c) {
        if (isSelector(c) || c == ZERO_WIDTH_JOINER || c == ZERO_WIDTH_NON_JOINER) {
            return true;
        }
        return isIn(HIDDEN, c) || (Character.getType(c) == Character.FORMAT && !isIn(SEEN, c));
    }

    private static boolean isIn(int[] ranges, int c) {
        for (int i = 0; i < ranges.length && c >= ranges[i]; i += 2) {
            if (c <= ranges[i + 1]) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it selects a variation of the previous character; U+FE0F selects the colour form of an emoji. */
    private static boolean isSelector(int c) {
        return (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0x180b && c <= 0x180d) || c == 0x180f;
    }

    /** Returns the end of a colour sequence that begins at {@code at}, or {@code at} if there is none. */
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
