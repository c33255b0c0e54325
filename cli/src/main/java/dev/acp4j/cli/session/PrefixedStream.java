package dev.acp4j.cli.session;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.TextStream;
import dev.acp4j.cli.terminal.Wrap;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;

/** Plain text with a prefix on each line: thoughts of the agent, or messages of the user. */
final class PrefixedStream implements TextStream {
    private static final int WIDEST_PROSE = 110;
    /** A longer line is broken, so that an endless one neither exhausts the heap nor takes quadratic time. */
    private static final int LONGEST_LINE = 16_384;

    private final Screen screen;
    private final AttributedStyle style;
    private final StringBuilder pending = new StringBuilder();
    private final AttributedString below;
    private AttributedString first;
    private boolean hasPrinted;

    private PrefixedStream(Screen screen, AttributedString first, AttributedString below, AttributedStyle style) {
        this.screen = screen;
        this.first = first;
        this.below = below;
        this.style = style;
    }

    /** Returns a stream for thoughts of the agent: dimmed text after a bar. */
    static PrefixedStream thought(Screen screen) {
        AttributedString bar = Styles.of(screen.display().symbols().bar() + " ", Styles.QUIET);
        return new PrefixedStream(screen, bar, bar, Styles.QUIET);
    }

    /** Returns a stream for messages of the user: text after the prompt sign. */
    static PrefixedStream user(Screen screen) {
        AttributedString sign = Styles.plain(screen.display().symbols().prompt() + " ");
        return new PrefixedStream(screen, sign, Styles.plain("  "), Styles.PLAIN);
    }

    @Override
    public void append(String text) {
        pending.append(text);
        int end = pending.lastIndexOf("\n");
        if (end >= 0) {
            print(pending.substring(0, end));
            pending.delete(0, end + 1);
        }
        if (pending.length() > LONGEST_LINE) {
            print(pending.toString());
            pending.setLength(0);
        }
        if (!pending.isEmpty() && screen.isRewritable()) {
            screen.live(lines(pending.toString()));
        }
    }

    @Override
    public void finish() {
        if (!pending.toString().isBlank()) {
            print(pending.toString().stripTrailing());
        }
        pending.setLength(0);
    }

    @Override
    public boolean restart() {
        pending.setLength(0);
        return !hasPrinted;
    }

    private void print(String text) {
        screen.print(lines(text));
        first = below;
        hasPrinted = true;
    }

    private List<AttributedString> lines(String text) {
        Display display = screen.display();
        return Wrap.lines(
                Styles.of(SafeText.text(text), style), Math.min(display.widthAfter(0), WIDEST_PROSE), first, below);
    }
}
