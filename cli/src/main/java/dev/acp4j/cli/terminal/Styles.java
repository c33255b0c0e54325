package dev.acp4j.cli.terminal;

import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** The styles of text. */
public final class Styles {
    public static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
    public static final AttributedStyle STRONG = AttributedStyle.BOLD;
    public static final AttributedStyle QUIET = AttributedStyle.DEFAULT.faint();
    public static final AttributedStyle CODE = AttributedStyle.DEFAULT.foreground(AttributedStyle.CYAN);
    public static final AttributedStyle GOOD = AttributedStyle.DEFAULT.foreground(AttributedStyle.GREEN);
    public static final AttributedStyle BAD = AttributedStyle.DEFAULT.foreground(AttributedStyle.RED);
    public static final AttributedStyle BUSY = AttributedStyle.DEFAULT.foreground(AttributedStyle.YELLOW);
    public static final AttributedStyle LINK =
            AttributedStyle.DEFAULT.foreground(AttributedStyle.BLUE).underline();

    private Styles() {}

    public static AttributedString of(String text, AttributedStyle style) {
        return new AttributedString(text, style);
    }

    public static AttributedString plain(String text) {
        return new AttributedString(text);
    }

    public static AttributedString join(AttributedString... parts) {
        AttributedStringBuilder line = new AttributedStringBuilder();
        for (AttributedString part : parts) {
            line.append(part);
        }
        return line.toAttributedString();
    }
}
