package dev.acp4j;

import java.util.regex.Pattern;

/** The end of a command's output as text, decoded incrementally: a character may be split between reads. */
final class OutputTail {
    private static final Pattern TERMINAL_CODE =
            Pattern.compile("\u001b(?:\\[[0-9;?]*+[ -/]*+[@-~]|\\][^\u0007\u001b]*+(?:\u0007|\u001b\\\\))");

    /** What is before a carriage return: the rest of the line is written over it. */
    private static final Pattern OVERWRITTEN = Pattern.compile("[^\n\r]*+\r(?=[^\n\r])");

    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f]");

    private final int maxLength;
    private final StringBuilder text = new StringBuilder();
    private final Utf8Pieces pieces = new Utf8Pieces();
    private boolean truncated;

    OutputTail(int maxLength) {
        this.maxLength = maxLength;
    }

    /** Adds output. Returns it as text: all characters of it that are complete. */
    String add(byte[] bytes) {
        String piece = pieces.add(bytes);
        add(piece);
        return piece;
    }

    void add(String piece) {
        text.append(piece);
        if (text.length() > 2 * maxLength) {
            cut();
        }
    }

    boolean isTruncated() {
        return truncated || text.length() > maxLength;
    }

    /** Returns the last characters, without colour codes. */
    @Override
    public String toString() {
        cut();
        return plain(text);
    }

    /** Returns the last characters, as they were printed. */
    String raw() {
        cut();
        return text.toString();
    }

    /** Returns at most so many of the last characters, without colour codes. */
    String end(int most) {
        return plain(text.substring(from(most)));
    }

    private static String plain(CharSequence output) {
        String lines = TERMINAL_CODE.matcher(output).replaceAll("").replace("\r\n", "\n");
        return CONTROL.matcher(OVERWRITTEN.matcher(lines).replaceAll("")).replaceAll("");
    }

    private void cut() {
        int from = from(maxLength);
        if (from > 0) {
            truncated = true;
            text.delete(0, from);
        }
    }

    /** Returns where the last characters begin: not between the two halves of one. */
    private int from(int most) {
        int from = Math.max(0, text.length() - most);
        return from > 0 && from < text.length() && Character.isLowSurrogate(text.charAt(from)) ? from + 1 : from;
    }
}
