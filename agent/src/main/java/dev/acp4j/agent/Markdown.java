package dev.acp4j.agent;

import java.util.List;

/** Pieces of Markdown with escaping, so that any text in them is safe. */
final class Markdown {
    private static final int MAX_INLINE = 160;
    private static final int MAX_QUOTED = 1_500;

    private Markdown() {}

    /** Code within a line. */
    static String code(String text) {
        String line = text.replace('\n', ' ').replace('\r', ' ');
        String shown = line.length() > MAX_INLINE ? line.substring(0, MAX_INLINE) + "…" : line;
        String ticks = "`".repeat(longestRun(shown) + 1);
        String space = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
        return ticks + space + shown + space + ticks;
    }

    /** A block of code; {@code language} may be empty. */
    static String block(String language, String text) {
        String ticks = "`".repeat(Math.max(3, longestRun(text) + 1));
        String end = text.isEmpty() || text.endsWith("\n") ? "" : "\n";
        return ticks + language + "\n" + text + end + ticks + "\n";
    }

    /** A position in a file that editors and terminals turn into a link. */
    static String place(String name, int line) {
        return code(name + ":" + line);
    }

    /** Lines with their numbers, from {@code first} on. */
    static String numbered(List<String> lines, int first) {
        int width = Integer.toString(first + lines.size() - 1).length();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            String number = Integer.toString(first + i);
            text.append(" ".repeat(width - number.length())).append(number).append("  ");
            text.append(shortened(lines.get(i))).append('\n');
        }
        return text.toString();
    }

    /** A list under a heading; nothing when there are no items. */
    static String list(String heading, List<String> items) {
        return items.isEmpty() ? "" : heading + ":\n\n- " + String.join("\n- ", items) + "\n\n";
    }

    /** Text as a quotation, of at most {@link #MAX_QUOTED} characters; nothing when it is empty. */
    static String quote(String text) {
        if (text.isEmpty()) {
            return "";
        }
        int paragraph = text.lastIndexOf("\n\n", MAX_QUOTED);
        boolean whole = text.length() <= MAX_QUOTED;
        String shown = whole ? text : text.substring(0, paragraph > 0 ? paragraph : MAX_QUOTED) + "\n\n…";
        boolean openCode = shown.split("\n```", -1).length % 2 == 0;
        StringBuilder quote = new StringBuilder();
        (openCode ? shown + "\n```" : shown)
                .lines()
                .forEach(line ->
                        quote.append(line.isEmpty() ? ">" : "> ").append(line).append('\n'));
        return quote.append('\n').toString();
    }

    /** "1 file", "3 files", "12,345 files". */
    static String count(long number, String one, String many) {
        return grouped(number) + " " + (number == 1 ? one : many);
    }

    static String grouped(long number) {
        String digits = Long.toString(number);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < digits.length(); i++) {
            boolean comma = i > 0 && (digits.length() - i) % 3 == 0;
            text.append(comma ? "," : "").append(digits.charAt(i));
        }
        return text.toString();
    }

    private static String shortened(String line) {
        return line.length() > 200 ? line.substring(0, 200) + " …" : line;
    }

    private static int longestRun(String text) {
        int longest = 0;
        int run = 0;
        for (int i = 0; i < text.length(); i++) {
            run = text.charAt(i) == '`' ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        return longest;
    }
}
