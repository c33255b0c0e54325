package dev.acp4j.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Results as a table of Markdown that can be read as it is. */
final class Table {
    private final Results results;
    private final List<String> subjects;
    private final List<List<String>> lines = new ArrayList<>();

    private Table(Results results) {
        this.results = results;
        List<String> known = List.of(
                Subject.FLOOR,
                Subject.ACP4J,
                Subject.ACP4J_PLAIN,
                Subject.JAVA_SDK,
                Subject.KOTLIN_SDK,
                Subject.TYPESCRIPT_SDK);
        this.subjects = new ArrayList<>(known);
        results.subjects().stream().filter(name -> !known.contains(name)).forEach(subjects::add);
    }

    /** Returns the medians of all rows with least and most, and how many times those of the floor and ours they are. */
    static String of(Results results) {
        Table table = new Table(results);
        List<String> head = new ArrayList<>(List.of("workload", "what"));
        head.addAll(table.subjects);
        table.lines.add(head);
        String workload = "";
        for (Results.Row row : results.rows()) {
            table.lines.add(table.line(row, row.workload().equals(workload) ? "" : row.workload()));
            workload = row.workload();
        }
        return Columns.markdown(table.lines) + table.missing();
    }

    private List<String> line(Results.Row row, String workload) {
        List<String> line = new ArrayList<>(List.of(workload, row.what()));
        for (String subject : subjects) {
            line.add(results.has(row, subject) ? cell(row, subject) : "");
        }
        return line;
    }

    private String cell(Results.Row row, String subject) {
        double median = results.median(row, subject);
        StringBuilder cell = new StringBuilder(number(median));
        double least = results.least(row, subject);
        double most = results.most(row, subject);
        if (least != most) {
            cell.append(" (")
                    .append(number(least))
                    .append("–")
                    .append(number(most))
                    .append(')');
        }
        if (!subject.equals(Subject.FLOOR) && results.has(row, Subject.FLOOR)) {
            cell.append(' ').append(times(median, results.median(row, Subject.FLOOR)));
        }
        return cell.toString();
    }

    static String times(double value, double reference) {
        return reference == 0 ? "" : String.format(Locale.ROOT, "%.2f×", value / reference);
    }

    static String number(double value) {
        double size = Math.abs(value);
        if (size >= 10_000_000) {
            return String.format(Locale.ROOT, "%.1f M", value / 1e6);
        }
        if (size >= 1_000_000) {
            return String.format(Locale.ROOT, "%.2f M", value / 1e6);
        }
        if (size >= 10_000) {
            return String.format(Locale.ROOT, "%.0f k", value / 1e3);
        }
        return String.format(
                Locale.ROOT, size >= 100 || size == Math.rint(size) ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", value);
    }

    private String missing() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Map<String, String>> workload :
                results.failures().entrySet()) {
            workload.getValue()
                    .forEach((subject, why) -> text.append(workload.getKey())
                            .append(", ")
                            .append(subject)
                            .append(": ")
                            .append(why)
                            .append('\n'));
        }
        return text.isEmpty() ? "" : "\nWithout values:\n\n" + text;
    }
}
