package dev.acp4j.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jline.utils.AttributedString;

/**
 * Lines of text, of which the last ones can still change, and below them a footer while something is in progress.
 *
 * <p>Not thread-safe: the caller must hold a lock.
 */
public final class Screen {
    private final Consumer<TerminalText> out;
    private Display display;
    private boolean pinned;

    /** The lines that may change. */
    private List<AttributedString> live = List.of();

    /** The lines below them; removed while the user is typing. */
    private List<AttributedString> footer = List.of();

    /** The rows of the window that these lines take, each at most as wide as the window. */
    private List<AttributedString> shown = List.of();

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

    /** Returns the number of lines that can be rewritten above the footer. */
    public int room() {
        return Math.max(1, display.height() - 2 - footer.size());
    }

    /**
     * Handles a change of the window size. Most terminals break the rows of a window that became narrower; the lines
     * that may change are shown again in the place of all their rows. If some of these are out of reach, they remain.
     */
    public void display(Display changed) {
        int rows = 0;
        for (AttributedString row : shown) {
            rows += changed.reflows() ? Math.max(1, (row.columnLength() + changed.width() - 1) / changed.width()) : 1;
        }
        display = changed;
        if (shown.isEmpty()) {
            return;
        }
        if (rows > changed.height() - 1) {
            live = List.of();
            rows = 0;
        }
        List<AttributedString> again = rows();
        out.accept(TerminalText.of(rows, again, display.colour()));
        shown = again;
    }

    /** Prints lines permanently, replacing those that could still change. */
    public void print(List<AttributedString> lines) {
        live = List.of();
        show(lines);
    }

    public void print(AttributedString... lines) {
        print(List.of(lines));
    }

    /**
     * Draws an image below the lines printed so far; does nothing if the display cannot draw it, or the user is typing.
     *
     * @param base64 the file
     */
    public void image(String base64) {
        TerminalImage image = isRewritable() && display.showsImages() ? TerminalImage.of(base64) : null;
        if (image == null) {
            return;
        }
        List<AttributedString> below = footer;
        live = List.of();
        footer = List.of();
        show(List.of());
        out.accept(TerminalText.image(image, display));
        footer = below;
        show(List.of());
    }

    /** Returns whether lines printed now can be changed later. */
    public boolean isRewritable() {
        return display.rewrites() && !pinned;
    }

    /** Shows lines that may change, replacing those shown before. Does nothing if the display cannot rewrite lines. */
    public void live(List<AttributedString> lines) {
        if (isRewritable()) {
            live = List.copyOf(lines);
            show(List.of());
        }
    }

    /** Shows lines below all others, until they are replaced; none if the display cannot rewrite lines. */
    public void footer(List<AttributedString> lines) {
        if (!footer.equals(lines) && isRewritable()) {
            footer = List.copyOf(lines);
            show(List.of());
        }
    }

    /** Removes the lines that may still change. */
    public void clear() {
        live = List.of();
        show(List.of());
    }

    /** Makes the shown lines permanent, except the footer. */
    public void keep() {
        live = List.of();
        shown = rows();
    }

    /** Disables rewriting while the user is typing; removes the footer. */
    public void pin(boolean on) {
        keep();
        if (on) {
            footer = List.of();
            show(List.of());
        }
        pinned = on;
    }

    /** Splits lines: one wider than the window would take several rows, and the cursor would be moved up by too few. */
    private List<AttributedString> rows() {
        int width = display.widthAfter(0);
        List<AttributedString> rows = new ArrayList<>();
        for (List<AttributedString> lines : List.of(live, footer)) {
            for (AttributedString line : lines) {
                if (width == 0 || line.columnLength() <= width) {
                    rows.add(line);
                } else {
                    rows.addAll(line.columnSplitLength(width));
                }
            }
        }
        return rows;
    }

    /** Replaces the rows that can change by permanent lines and the current rows. */
    private void show(List<AttributedString> permanent) {
        List<AttributedString> rows = rows();
        List<AttributedString> lines = new ArrayList<>(permanent);
        lines.addAll(rows);
        int same = 0;
        while (same < shown.size() && same < lines.size() && shown.get(same).equals(lines.get(same))) {
            same++;
        }
        // Rows that have scrolled out of the window cannot be rewritten.
        int reachable = Math.max(0, shown.size() - Math.max(1, display.height() - 1));
        int from = Math.max(same, reachable);
        int replaced = Math.max(0, shown.size() - from);
        List<AttributedString> changed = lines.subList(Math.min(from, lines.size()), lines.size());
        if (replaced > 0 || !changed.isEmpty()) {
            out.accept(TerminalText.of(replaced, changed, display.colour()));
        }
        shown = rows;
    }
}
