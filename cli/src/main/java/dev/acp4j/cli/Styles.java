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
}
