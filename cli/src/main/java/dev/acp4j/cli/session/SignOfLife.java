package dev.acp4j.cli.session;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Symbols;
import dev.acp4j.cli.terminal.Wrap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;

/** The lines below all others while something is in progress: how long it takes, what to press, what was typed. */
final class SignOfLife {
    private static final long FRAME_NANOS = Duration.ofMillis(150).toNanos();
    private static final int MOST_QUEUED = 3;
    private static final String CANCELS = "Ctrl-C cancels";

    private final String what;
    private final List<String> keys;
    private final long begun = System.nanoTime();

    private SignOfLife(String what, List<String> keys) {
        this.what = what;
        this.keys = keys;
    }

    /**
     * Returns the sign of a turn that begins now.
     *
     * @param steers whether the agent takes what is said into its turn
     */
    static SignOfLife ofTurn(boolean steers) {
        return new SignOfLife("", steers ? List.of(CANCELS, ":steer TEXT tells it something") : List.of(CANCELS));
    }

    /** Returns the sign of something else that begins now, which Ctrl-C ends in this way. */
    static SignOfLife of(String what, String key) {
        return new SignOfLife(what, List.of(key));
    }

    /**
     * Returns the lines.
     *
     * @param typed the lines that the user has typed meanwhile, the last of which is incomplete
     */
    List<AttributedString> lines(List<String> typed, Display display) {
        Symbols symbols = display.symbols();
        long nanos = System.nanoTime() - begun;
        int frame = (int) (nanos / FRAME_NANOS % symbols.spinner().length());
        String dot = " " + symbols.dot() + " ";
        String text = (what.isEmpty() ? "" : what + dot) + time(nanos / 1_000_000_000) + dot + String.join(dot, keys);
        List<AttributedString> lines = new ArrayList<>();
        lines.add(row(
                Styles.join(
                        Styles.of(symbols.spinner().charAt(frame) + " ", Styles.BUSY), Styles.of(text, Styles.QUIET)),
                display));
        int queued = Math.max(0, typed.size() - 1);
        for (int i = 0; i < Math.min(queued, MOST_QUEUED); i++) {
            lines.add(row(typed(typed.get(i), "  queued", symbols), display));
        }
        if (queued > MOST_QUEUED) {
            lines.add(Styles.of("  and " + (queued - MOST_QUEUED) + " more queued", Styles.QUIET));
        }
        if (!typed.isEmpty() && !typed.getLast().isEmpty()) {
            lines.add(row(typed(typed.getLast(), "", symbols), display));
        }
        return lines;
    }

    private static AttributedString typed(String line, String note, Symbols symbols) {
        return Styles.join(Styles.plain(symbols.prompt() + " " + SafeText.line(line)), Styles.of(note, Styles.QUIET));
    }

    private static AttributedString row(AttributedString text, Display display) {
        return Wrap.cut(text, display.widthAfter(0), display.symbols().more());
    }

    private static String time(long seconds) {
        return seconds < 60 ? seconds + " s" : seconds / 60 + " min " + seconds % 60 + " s";
    }
}
