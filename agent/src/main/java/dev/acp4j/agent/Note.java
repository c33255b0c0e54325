package dev.acp4j.agent;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A note left in the code: TODO, FIXME and the like.
 *
 * @param file name of the file
 * @param line counted from 1
 * @param text from the mark to the end of the line
 */
record Note(String file, int line, String text) {
    private static final Pattern MARK =
            Pattern.compile("(?:^|//|/\\*|\\*|#|--|<!--|;|%)\\s*+((?:TODO|FIXME|XXX|HACK)\\b[:( ]?.*)");
    private static final int MAX_TEXT = 120;

    /** Returns the note on {@code line}, or null. */
    static @Nullable Note in(String line, String file, int number) {
        // Most lines have none of the marks, and looking for a letter is cheaper than matching.
        if (line.length() > 1000 || !(line.contains("TODO") || line.contains("FIXME") || isRare(line))) {
            return null;
        }
        Matcher matcher = MARK.matcher(line);
        if (!matcher.find() || isInString(line, matcher.start())) {
            return null;
        }
        String text = matcher.group(1).replaceFirst("\\s*(?:\\*/|-->)\\s*$", "").strip();
        return new Note(file, number, text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "…" : text);
    }

    private static boolean isInString(String line, int index) {
        long quotes = line.substring(0, index).chars().filter(c -> c == '"').count();
        return quotes % 2 == 1;
    }

    private static boolean isRare(String line) {
        return line.contains("XXX") || line.contains("HACK");
    }
}
