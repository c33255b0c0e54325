package dev.acp4j.agent;

/** Cleans up white space: no space at the end of a line, one line end at the end of the file. */
final class Whitespace {
    private Whitespace() {}

    /**
     * Returns {@code text} with clean white space. Two spaces at the end of a Markdown line are kept: they are a line
     * break.
     */
    static Replacement.Replaced tidy(String text, boolean markdown) {
        StringBuilder result = new StringBuilder(text.length());
        int places = 0;
        int from = 0;
        while (from < text.length()) {
            int newline = text.indexOf('\n', from);
            int end = newline < 0 ? text.length() : newline;
            boolean carriage = end > from && text.charAt(end - 1) == '\r';
            int content = carriage ? end - 1 : end;
            int kept = keptUntil(text, from, content, markdown);
            places += kept < content ? 1 : 0;
            result.append(text, from, kept).append(carriage ? "\r" : "").append(newline < 0 ? "" : "\n");
            from = end + 1;
        }
        if (!result.isEmpty() && result.charAt(result.length() - 1) != '\n') {
            result.append(text.contains("\r\n") ? "\r\n" : "\n");
            places++;
        }
        return new Replacement.Replaced(result.toString(), places);
    }

    private static int keptUntil(String text, int from, int end, boolean markdown) {
        int kept = end;
        while (kept > from && isSpace(text.charAt(kept - 1))) {
            kept--;
        }
        boolean lineBreak = markdown && kept > from && end - kept == 2 && text.charAt(kept) == ' ';
        return lineBreak ? end : kept;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }
}
