package dev.acp4j.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jline.utils.AttributedString;

/**
 * Lines of text, of which the last ones can still change.
 *
 * <p>Not thread-safe: the caller must hold a lock.
 */
public final class Screen {
    private final Consumer<TerminalText> out;
    private Display display;
    private boolean pinned;
    private List<AttributedString> live = List.of();

    /**
     * @param out receives whole lines and shows them at once
     * @param display the capabilities of the display
     */
    public Screen(Consumer<TerminalText> out, Display display) {
        this.out = out;
        this.display = display;
    }

    public Display display() {
        return display;
    }

    /** Handles a change of the window size: shown lines become permanent, because their position is unknown. */
    public void display(Display changed) {
        keep();
        display = changed;
    }

    /** Prints lines permanently, replacing those that could still change. */
    public void print(List<AttributedString> lines) {
        replace(lines);
        live = List.of();
    }

    public void print(AttributedString... lines) {
        print(List.of(lines));
    }

    /** Returns whether lines printed now can be changed later. */
    public boolean isRewritable() {
        return display.rewrites() && !pinned;
    }

    /** Shows lines that may change, replacing those shown before. Does nothing if the display cannot rewrite lines. */
    public void live(List<AttributedString> lines) {
        if (isRewritable()) {
            List<AttributedString> rows = rows(lines);
            replace(rows);
            live = rows;
        }
    }

    /**
     * Truncates lines: one wider than the window would take several rows, and the cursor would be moved up by too few.
     */
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

    /** Removes the lines that may still change. */
    public void clear() {
        replace(List.of());
        live = List.of();
    }

    /** Makes the shown lines permanent. */
    public void keep() {
        live = List.of();
    }

    /** Disables rewriting while the user is typing. */
    public void pin(boolean on) {
        keep();
        pinned = on;
    }

    private void replace(List<AttributedString> lines) {
        int same = 0;
        while (same < live.size() && same < lines.size() && live.get(same).equals(lines.get(same))) {
            same++;
        }
        // Rows that have scrolled out of the window cannot be rewritten.
        int reachable = Math.max(0, live.size() - Math.max(1, display.height() - 1));
        int from = Math.max(same, reachable);
        int replaced = Math.max(0, live.size() - from);
        List<AttributedString> changed = lines.subList(Math.min(from, lines.size()), lines.size());
        if (replaced > 0 || !changed.isEmpty()) {
            out.accept(TerminalText.of(replaced, changed, display.colour()));
        }
    }
}
