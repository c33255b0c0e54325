package dev.acp4j.cli.terminal;

/**
 * The signs before lines.
 *
 * @param pending an item that has not begun
 * @param running an item in progress
 * @param done an item that succeeded
 * @param failed an item that failed
 * @param question a question to the user
 * @param note a remark
 * @param bullet an item of a list
 * @param bar the prefix of quoted lines
 * @param rule the character of a horizontal rule
 * @param more the sign for omitted content
 * @param prompt the sign before the user's input
 * @param dot the separator between parts of a line
 * @param spinner the characters that follow each other while something is in progress
 */
public record Symbols(
        String pending,
        String running,
        String done,
        String failed,
        String question,
        String note,
        String bullet,
        String bar,
        String rule,
        String more,
        String prompt,
        String dot,
        String spinner) {
    static final Symbols UNICODE =
            new Symbols("○", "▸", "✓", "✗", "?", "!", "•", "│", "─", "…", "›", "·", "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏");
    static final Symbols ASCII = new Symbols("o", ">", "+", "x", "?", "!", "*", "|", "-", "...", ">", "-", "|/-\\");
}
