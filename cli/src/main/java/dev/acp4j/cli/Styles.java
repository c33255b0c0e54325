package dev.acp4j.cli;

import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** The few ways text looks. */
final class Styles {
    static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
    static final AttributedStyle STRONG = AttributedStyle.BOLD;
    static final AttributedStyle QUIET = AttributedStyle.DEFAULT.faint();
    static final AttributedStyle CODE = AttributedStyle.DEFAULT.foreground(AttributedStyle.CYAN);
    static final AttributedStyle GOOD = AttributedStyle.DEFAULT.foreground(AttributedStyle.GREEN);
    static final AttributedStyle BAD = AttributedStyle.DEFAULT.foreground(AttributedStyle.RED);
    static final AttributedStyle BUSY = AttributedStyle.DEFAULT.foreground(AttributedStyle.YELLOW);
    static final AttributedStyle LINK =
            AttributedStyle.DEFAULT.foreground(AttributedStyle.BLUE).underline();

    private static final String ESCAPE = "\u001b[";
    private static final String RESET = "\u001b[0m";

    private Styles() {}

    static AttributedString of(String text, AttributedStyle style) {
        return new AttributedString(text, style);
    }

    static AttributedString plain(String text) {
        return new AttributedString(text);
    }

    static AttributedString join(AttributedString... parts) {
        AttributedStringBuilder line = new AttributedStringBuilder();
        for (AttributedString part : parts) {
            line.append(part);
        }
        return line.toAttributedString();
    }

    /** Returns a line as it is written. JLine's own method would write rules and bars with ASCII signs. */
    static String written(AttributedString line, boolean colour) {
        if (!colour) {
            return line.toString();
        }
        StringBuilder text = new StringBuilder();
        int end;
        for (int from = 0; from < line.length(); from = end) {
            end = line.runLimit(from);
            AttributedStyle style = line.styleAt(from);
            String words = line.subSequence(from, end).toString();
            if (style.equals(AttributedStyle.DEFAULT)) {
                text.append(words);
            } else {
                text.append(ESCAPE)
                        .append(style.toAnsi())
                        .append('m')
                        .append(words)
                        .append(RESET);
            }
        }
        return text.toString();
    }
}
