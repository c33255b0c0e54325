package dev.acp4j.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jline.utils.AttributedString;

/**
 * Lines of text, one below the other, of which the last ones may still change.
 *
 * <p>Not safe for several threads: its user holds a lock.
 */
public final class Screen {
    private final Consumer<TerminalText> out;
    private Display display;
    private boolean pinned;
    private List<AttributedString> live = List.of();

    /**
     * @param out takes whole lines, and shows them at once
     * @param display what the place can do
     */
    public Screen(Consumer<TerminalText> out, Display display) {
        this.out = out;
        this.display = display;
    }

    public Display display() {
        return display;
    }

    /** The size of the window changed: what is shown stays, since nobody knows where the terminal has put it. */
    public void display(Display changed) {
        keep();
        display = changed;
    }

    /** Prints lines for good, in place of those that could still change. */
    public void print(List<AttributedString> lines) {
        replace(lines);
        live = List.of();
    }

    public void print(AttributedString... lines) {
        print(List.of(lines));
    }

    /** Whether lines that are printed now can be changed later. */
    public boolean isRewritable() {
        return display.rewrites() && !pinned;
    }

    /** Shows lines that may change, in place of those shown before. Does nothing where lines cannot be changed. */
    public void live(List<AttributedString> lines) {
        if (isRewritable()) {
            List<AttributedString> rows = rows(lines);
            replace(rows);
            live = rows;
        }
    }

    /** A line wider than the window would take more rows than one, and the way back up would be miscounted. */
    private List<AttributedString> rows(List<AttributedString> lines) {
        int width = display.widthAfter(0);
        List<AttributedString> rows = new ArrayList<>();
        for (AttributedString line : lines) {
            if (width == 0 || line.columnLength() <= width) {
                rows.add(line);
            } else {
                rows.addAll(line.columnSplitLength(width));
            }
        }
        return rows;
    }

    /** Takes the lines away that may still change. */
    public void clear() {
        replace(List.of());
        live = List.of();
    }

    /** What is shown stays as it is. */
    public void keep() {
        live = List.of();
    }

    /** While the user is typing, nothing on the screen is rewritten. */
    public void pin(boolean on) {
        keep();
        pinned = on;
    }

    private void replace(List<AttributedString> lines) {
        int same = 0;
        while (same < live.size() && same < lines.size() && live.get(same).equals(lines.get(same))) {
            same++;
        }
        // Rows that have left the window at its top cannot be reached any more.
        int reachable = Math.max(0, live.size() - Math.max(1, display.height() - 1));
        int from = Math.max(same, reachable);
        int replaced = Math.max(0, live.size() - from);
        List<AttributedString> changed = lines.subList(Math.min(from, lines.size()), lines.size());
        if (replaced > 0 || !changed.isEmpty()) {
            out.accept(TerminalText.of(replaced, changed, display.colour()));
        }
    }
}
