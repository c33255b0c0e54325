package dev.acp4j.agent;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The description of a source file: the first comment, or documentation string, before the first definition. */
final class LeadingComment {
    private static final int LONGEST = 16 << 10;
    private static final Pattern COMMENT = Pattern.compile(
            "^[ \\t]*(?:(\"\"\"|''')[\\s\\S]*?\\1|/\\*[\\s\\S]*?\\*/|<!--[\\s\\S]*?-->"
                    + "|(?:[ \\t]*(?://|#(?=[ \\t#\\n])|--(?=[ \\t\\n])).*\\n)++)",
            Pattern.MULTILINE);
    private static final Pattern LEGAL = Pattern.compile("(?i)copyright|licen[sc]ed? |SPDX");

    private LeadingComment() {}

    /** Returns it as Markdown; empty if there is no such comment except a licence. */
    static String of(List<String> lines, Language language) {
        Matcher comment = COMMENT.matcher(beginning(lines, language));
        while (comment.find()) {
            if (!LEGAL.matcher(comment.group()).find()) {
                return DocComment.readable(comment.group().lines().toList());
            }
        }
        return "";
    }

    private static String beginning(List<String> lines, Language language) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            if (language.kind() != Language.Kind.CODE || Definitions.nameIn(line, language) != null) {
                break;
            }
            if (text.length() + line.length() > LONGEST) {
                break; // many beginnings of comments without an end take the square of the length
            }
            text.append(line).append('\n');
        }
        return text.toString();
    }
}
