package dev.acp4j.cli.terminal;

/**
 * The signs before lines.
 *
 * @param pending a thing that has not begun
 * @param running a thing under way
 * @param done a thing that went well
 * @param failed a thing that went wrong
 * @param question a question to the user
 * @param note a remark
 * @param bullet an item of a list
 * @param bar what stands before quoted lines
 * @param rule what a horizontal rule is made of
 * @param more what stands for things left out
 * @param prompt what stands before the user's input
 * @param dot what stands between parts of a line
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
        String dot) {
    static final Symbols UNICODE = new Symbols("○", "▸", "✓", "✗", "?", "!", "•", "│", "─", "…", "›", "·");
    static final Symbols ASCII = new Symbols("o", ">", "+", "x", "?", "!", "*", "|", "-", "...", ">", "-");
}
