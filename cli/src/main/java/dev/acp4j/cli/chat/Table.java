package dev.acp4j.cli.chat;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jline.utils.AttributedString;

/** Names with their descriptions in two columns, which may stand under headings. */
final class Table {
    private static final int WIDEST_NAME = 24;

    private record Row(String name, String text, boolean isHeading) {}

    private final List<Row> rows = new ArrayList<>();

    /** Returns the lines of a table without headings. */
    static List<AttributedString> lines(Map<String, String> rows, Display display) {
        Table table = new Table();
        rows.forEach(table::row);
        return table.lines(display);
    }

    Table row(String name, String text) {
        rows.add(new Row(name, text, false));
        return this;
    }

    Table heading(String text) {
        rows.add(new Row(text, "", true));
        return this;
    }

    List<AttributedString> lines(Display display) {
        int widest = 0;
        for (Row row : rows) {
            widest = row.isHeading
                    ? widest
                    : Math.max(widest, Styles.plain(row.name).columnLength());
        }
        widest = Math.min(widest, WIDEST_NAME);
        List<AttributedString> lines = new ArrayList<>();
        for (Row row : rows) {
            if (row.isHeading) {
                lines.addAll(Wrap.lines(Styles.of(row.name, Styles.STRONG), display.widthAfter(0)));
                continue;
            }
            String pad = " ".repeat(Math.max(0, widest - Styles.plain(row.name).columnLength()) + 2);
            lines.addAll(Wrap.lines(
                    Styles.of(row.text, Styles.QUIET),
                    display.widthAfter(0),
                    Styles.plain(row.name + pad),
                    Styles.plain(" ".repeat(widest + 2))));
        }
        return lines;
    }
}
