package dev.acp4j.cli.markdown;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.node.Node;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;

/** A table as lines: columns as wide as they need, the widest ones narrowed until the table fits. */
final class TableText {
    private static final int GAP = 2;
    private static final int NARROWEST = 6;

    private final Display display;
    private final List<List<AttributedString>> rows = new ArrayList<>();
    private final int[] widths;

    TableText(TableBlock table, Display display, int width) {
        this.display = display;
        read(table);
        int columns = rows.stream().mapToInt(List::size).max().orElse(0);
        widths = new int[columns];
        for (List<AttributedString> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                widths[i] = Math.max(widths[i], row.get(i).columnLength());
            }
        }
        if (width > 0) {
            fit(width);
        }
    }

    List<AttributedString> lines() {
        List<AttributedString> lines = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            row(rows.get(i), lines);
            if (i == 0) {
                lines.add(rule());
            }
        }
        return lines;
    }

    private void read(Node node) {
        for (Node child = node.getFirstChild(); child != null; child = child.getNext()) {
            if (child instanceof TableRow row) {
                rows.add(cells(row));
            } else {
                read(child);
            }
        }
    }

    private static List<AttributedString> cells(TableRow row) {
        List<AttributedString> cells = new ArrayList<>();
        for (Node child = row.getFirstChild(); child != null; child = child.getNext()) {
            boolean head = child instanceof TableCell cell && cell.isHeader();
            cells.add(InlineText.of(child, head ? Styles.STRONG : Styles.PLAIN));
        }
        return cells;
    }

    private void fit(int width) {
        int room = width - GAP * Math.max(0, widths.length - 1);
        int total = 0;
        for (int w : widths) {
            total += w;
        }
        while (total > room) {
            int widest = 0;
            for (int i = 1; i < widths.length; i++) {
                widest = widths[i] > widths[widest] ? i : widest;
            }
            if (widths[widest] <= NARROWEST) {
                return;
            }
            widths[widest]--;
            total--;
        }
    }

    private void row(List<AttributedString> cells, List<AttributedString> lines) {
        List<List<AttributedString>> wrapped = new ArrayList<>();
        int height = 1;
        for (int i = 0; i < cells.size(); i++) {
            wrapped.add(Wrap.lines(cells.get(i), Math.max(1, widths[i])));
            height = Math.max(height, wrapped.get(i).size());
        }
        for (int y = 0; y < height; y++) {
            AttributedStringBuilder line = new AttributedStringBuilder();
            for (int x = 0; x < wrapped.size(); x++) {
                List<AttributedString> cell = wrapped.get(x);
                AttributedString part = y < cell.size() ? cell.get(y) : AttributedString.EMPTY;
                line.append(part);
                if (x < wrapped.size() - 1) {
                    line.append(" ".repeat(Math.max(0, widths[x] - part.columnLength()) + GAP));
                }
            }
            lines.add(line.toAttributedString());
        }
    }

    private AttributedString rule() {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(i == 0 ? "" : " ".repeat(GAP))
                    .append(display.symbols().rule().repeat(Math.max(1, widths[i])));
        }
        return Styles.of(line.toString(), Styles.QUIET);
    }
}
