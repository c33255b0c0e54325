package dev.acp4j.cli.session;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import java.util.List;
import org.jline.utils.AttributedString;

/** What the agent thinks, in quiet letters behind a bar. */
final class ThoughtStream {
    private static final int WIDEST_PROSE = 110;
    /**
     * A line beyond this is broken, so that one without an end neither fills the memory nor costs its length squared.
     */
    private static final int LONGEST_LINE = 16_384;

    private final Screen screen;
    private final StringBuilder pending = new StringBuilder();

    ThoughtStream(Screen screen) {
        this.screen = screen;
    }

    void append(String text) {
        pending.append(text);
        int end = pending.lastIndexOf("\n");
        if (end >= 0) {
            screen.print(lines(pending.substring(0, end)));
            pending.delete(0, end + 1);
        }
        if (pending.length() > LONGEST_LINE) {
            screen.print(lines(pending.toString()));
            pending.setLength(0);
        }
        if (!pending.isEmpty() && screen.isRewritable()) {
            screen.live(lines(pending.toString()));
        }
    }

    void finish() {
        if (!pending.toString().isBlank()) {
            screen.print(lines(pending.toString().stripTrailing()));
        }
        pending.setLength(0);
    }

    private List<AttributedString> lines(String text) {
        Display display = screen.display();
        AttributedString bar = Styles.of(display.symbols().bar() + " ", Styles.QUIET);
        return Wrap.lines(
                Styles.of(SafeText.text(text), Styles.QUIET), Math.min(display.widthAfter(0), WIDEST_PROSE), bar, bar);
    }
}
