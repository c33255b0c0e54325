package dev.acp4j.bench;

import java.util.List;

/** Cells in columns. */
final class Columns {
    private Columns() {}

    /** Returns the lines, of which the first is the head, as a table of Markdown with aligned columns. */
    static String markdown(List<List<String>> lines) {
        int[] widths = new int[lines.getFirst().size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        append(text, lines.getFirst(), widths);
        text.append('|');
        for (int width : widths) {
            text.append("-".repeat(width + 2)).append('|');
        }
        text.append('\n');
        lines.stream().skip(1).forEach(line -> append(text, line, widths));
        return text.toString();
    }

    private static void append(StringBuilder text, List<String> line, int[] widths) {
        text.append('|');
        for (int i = 0; i < widths.length; i++) {
            text.append(' ')
                    .append(line.get(i))
                    .append(" ".repeat(widths[i] - line.get(i).length() + 1))
                    .append('|');
        }
        text.append('\n');
    }
}
