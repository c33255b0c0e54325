package dev.acp4j.cli.trace;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Symbols;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceHeader;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** A trace as lines of text, one for each event. */
final class TimelineText {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
    private static final int SHORT_SESSION = 12;
    private static final int MOST_UNANSWERED = 10;
    private static final int[] SESSION_COLOURS = {
        AttributedStyle.CYAN,
        AttributedStyle.MAGENTA,
        AttributedStyle.YELLOW,
        AttributedStyle.BLUE,
        AttributedStyle.GREEN
    };

    private final Consumer<AttributedString> out;
    private final Display display;
    private final Symbols symbols;
    private final TraceLanes lanes;
    private final boolean showsChanges;
    private final List<String> sessions = new ArrayList<>();
    private int leftWidth = "client".length();
    private int rightWidth = "agent".length();

    /**
     * Creates one.
     *
     * @param out receives a line at a time
     * @param lanes the order of the ends
     * @param showsChanges whether what a hop has changed is shown below it
     */
    TimelineText(Consumer<AttributedString> out, Display display, TraceLanes lanes, boolean showsChanges) {
        this.out = out;
        this.lanes = lanes;
        this.showsChanges = showsChanges;
        this.display = display;
        this.symbols = display.symbols();
    }

    void begin(TraceHeader header) {
        line(Styles.of(shown(header.subject()), Styles.STRONG));
        line(Styles.of("began " + TIME.format(header.began().atZone(ZoneId.systemDefault())), Styles.QUIET));
    }

    void step(TraceStep step) {
        TraceEvent event = step.event();
        AttributedStringBuilder line = new AttributedStringBuilder();
        line.append(String.format(Locale.ROOT, "%9.3f  ", event.seconds()), Styles.QUIET);
        if (event.type() == TraceEvent.Type.CHAIN) {
            chain(event, line);
            return;
        }
        lanes(event, line);
        head(step, line);
        if (step.seconds() >= 0) {
            line.append(duration(step.seconds()) + "  ", Styles.BUSY);
        }
        String summary = shown(MessageSummary.of(step));
        line.append(summary, event.type() == TraceEvent.Type.ERROR ? Styles.BAD : Styles.PLAIN);
        line(line.toAttributedString());
        if (showsChanges) {
            for (String change : step.changes()) {
                line(Styles.of(" ".repeat(11) + shown(change), Styles.BUSY));
            }
        }
    }

    /** Draws the ends of a chain. */
    private void chain(TraceEvent event, AttributedStringBuilder line) {
        List<String> ends = TraceLanes.names(event);
        for (String end : ends) {
            int width = SafeText.line(end).length();
            leftWidth = Math.max(leftWidth, width);
            rightWidth = Math.max(rightWidth, width);
        }
        String between = display.unicode() ? " — " : " - ";
        line.append("chain  ", Styles.QUIET).append(shown(String.join(between, ends)), Styles.STRONG);
        line(line.toAttributedString());
    }

    /** Shows a table below the events. */
    void table(List<String> rows) {
        rows.forEach(row -> line(Styles.of(shown(row), Styles.PLAIN)));
    }

    void broken(TraceItem.Broken broken) {
        String what = broken.isTorn()
                ? "is incomplete, possibly because the program was killed"
                : "cannot be read: " + broken.why();
        line(Styles.of(symbols.failed() + " line " + broken.line() + " of the file " + shown(what), Styles.BAD));
    }

    /** Shows the totals: the number of events, and missing responses. */
    void end(TraceTotals totals, List<TraceStep> unanswered) {
        line(Styles.of(totals.text(), Styles.QUIET));
        int more = unanswered.size() - MOST_UNANSWERED;
        for (TraceStep request : unanswered.subList(0, Math.min(MOST_UNANSWERED, unanswered.size()))) {
            TraceEvent event = request.event();
            String text = String.format(
                    Locale.ROOT,
                    "%s never answered by %s: %s #%s, asked at %.3f",
                    symbols.failed(),
                    shown(event.to()),
                    shown(request.shownMethod()),
                    shown(String.valueOf(event.id())),
                    event.seconds());
            line(Styles.of(text, Styles.BAD));
        }
        if (more > 0) {
            line(Styles.of("and " + more + " more", Styles.BAD));
        }
    }

    // ---- parts of a line

    private void lanes(TraceEvent event, AttributedStringBuilder line) {
        boolean isForth = lanes.isForth(event);
        String left = SafeText.line(isForth ? event.from() : event.to());
        String right = SafeText.line(isForth ? event.to() : event.from());
        leftWidth = Math.max(leftWidth, left.length());
        rightWidth = Math.max(rightWidth, right.length());
        line.append(" ".repeat(leftWidth - left.length())).append(left);
        String forth = display.unicode() ? " → " : " -> ";
        String back = display.unicode() ? " ← " : " <- ";
        String none = display.unicode() ? "   " : "    ";
        line.append(event.to().isEmpty() ? none : isForth ? forth : back, Styles.CODE);
        line.append(right).append(" ".repeat(rightWidth - right.length() + 2));
    }

    private void head(TraceStep step, AttributedStringBuilder line) {
        TraceEvent event = step.event();
        switch (event.type()) {
            case REQUEST ->
                line.append(symbols.running() + " ", Styles.CODE).append(shown(step.shownMethod()), Styles.STRONG);
            case RESULT -> line.append(symbols.done() + " ", Styles.GOOD).append(shown(step.shownMethod()));
            case ERROR -> line.append(symbols.failed() + " ", Styles.BAD).append(shown(step.shownMethod()));
            case NOTIFICATION ->
                line.append(symbols.bullet() + " ", Styles.QUIET).append(shown(step.shownMethod()));
            case NOISE -> line.append(symbols.question() + " noise", Styles.BAD);
            case STDERR -> line.append(symbols.note() + " stderr", Styles.BUSY);
            case CHAIN -> line.append("chain", Styles.QUIET);
            case END -> line.append(symbols.rule() + " end", Styles.QUIET);
        }
        if (event.id() != null) {
            line.append(" #" + shown(event.id().toString()), Styles.QUIET);
        }
        if (event.flow() > 0) {
            line.append(" @" + event.flow(), Styles.QUIET);
        }
        if (!step.session().isEmpty()) {
            line.append(" ").append(session(step.session()));
        }
        line.append("  ");
    }

    private AttributedString session(String id) {
        int place = sessions.indexOf(id);
        if (place < 0) {
            place = sessions.size();
            sessions.add(id);
        }
        String shown = shown(id);
        String name = shown.length() <= SHORT_SESSION ? shown : shown.substring(shown.length() - 8);
        return Styles.of(name, AttributedStyle.DEFAULT.foreground(SESSION_COLOURS[place % SESSION_COLOURS.length]));
    }

    private String shown(String text) {
        String line = SafeText.line(text);
        return display.unicode()
                ? line
                : line.replace('“', '"')
                        .replace('”', '"')
                        .replace("·", symbols.dot())
                        .replace("…", symbols.more());
    }

    private void line(AttributedString text) {
        AttributedString cut = Wrap.cut(text, display.width() == 0 ? 0 : display.widthAfter(0), symbols.more());
        out.accept(cut);
    }

    /** Returns a duration for people. */
    static String duration(double seconds) {
        if (seconds < 1) {
            return Math.round(seconds * 1000) + " ms";
        }
        if (seconds < 60) {
            return String.format(Locale.ROOT, seconds < 10 ? "%.2f s" : "%.1f s", seconds);
        }
        long whole = Math.round(seconds);
        return whole / 60 + " min " + whole % 60 + " s";
    }
}
