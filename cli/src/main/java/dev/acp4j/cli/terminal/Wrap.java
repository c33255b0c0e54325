package dev.acp4j.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.WCWidth;

/** Breaks text into lines of a width, at spaces where there are some. */
public final class Wrap {
    private final AttributedString text;
    private final int width;
    private final List<AttributedString> lines = new ArrayList<>();

    private Wrap(AttributedString text, int width) {
        this.text = text;
        this.width = width;
    }

    /** Returns the lines of the text, each at most {@code width} columns; a width of 0 keeps lines as they are. */
    public static List<AttributedString> lines(AttributedString text, int width) {
        Wrap wrap = new Wrap(text, width);
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\n') {
                wrap.line(from, i);
                from = i + 1;
            }
        }
        wrap.line(from, text.length());
        return wrap.lines;
    }

    /** Like {@link #lines}, with one prefix for the first line and one for the others. */
    public static List<AttributedString> lines(
            AttributedString text, int width, AttributedString first, AttributedString others) {
        int indent = Math.max(first.columnLength(), others.columnLength());
        List<AttributedString> lines = new ArrayList<>();
        for (AttributedString line : lines(text, width == 0 ? 0 : Math.max(10, width - indent))) {
            lines.add(Styles.join(lines.isEmpty() ? first : others, line));
        }
        return lines;
    }

    /** Returns the text truncated to a width, with a sign at its end if it was truncated. */
    public static AttributedString cut(AttributedString text, int width, String more) {
        if (width <= 0 || text.columnLength() <= width) {
            return text;
        }
        return Styles.join(
                text.columnSubSequence(0, Math.max(1, width - more.length())), Styles.of(more, Styles.QUIET));
    }

    private void line(int from, int end) {
        int start = from;
        int space = -1;
        int columns = 0;
        int i = from;
        while (width > 0 && i < end) {
            int c = text.codePointAt(i);
            int wide = Math.max(0, WCWidth.wcwidth(c));
            if (columns + wide > width && c != ' ') {
                int cut = space > start ? space : Math.max(i, start + 1);
                lines.add(trimmed(start, cut));
                start = skipSpaces(cut, end);
                i = start;
                columns = 0;
                space = -1;
                continue;
            }
            columns += wide;
            i += Character.charCount(c);
            if (c == ' ') {
                space = i - 1;
            } else if (wide == 2) {
                space = i;
            }
        }
        lines.add(start == from && columns <= width ? text.subSequence(start, end) : trimmed(start, end));
    }

    private int skipSpaces(int at, int end) {
        int i = at;
        while (i < end && text.charAt(i) == ' ') {
            i++;
        }
        return i;
    }

    private AttributedString trimmed(int from, int end) {
        int last = end;
        while (last > from && text.charAt(last - 1) == ' ') {
            last--;
        }
        return text.subSequence(from, last);
    }
}
