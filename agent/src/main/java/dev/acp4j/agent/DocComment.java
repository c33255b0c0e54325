package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The documentation of a definition: the comment before it, or the string after it as in Python, as Markdown. Markup of
 * Javadoc, KDoc and HTML becomes Markdown, and the tags for parameters and authors are left out.
 */
final class DocComment {
    private static final int MAX_ABOVE = 400;
    private static final int MAX_ANNOTATIONS = 12;
    private static final int MAX_TEXT = 32 << 10;
    private static final Pattern MARKS = Pattern.compile(
            "^\\s*+(?:\"\"\"|'''|/\\*++!?|\\*++/|\\*++(?!\\*)|<!--|/{2,}+!?|#++|-{2,}+)?\\s?|\\s*+(?:\"\"\"|'''|\\*++/|-->)\\s*+$");
    private static final Pattern INLINE_TAG = Pattern.compile("\\{@(\\w++)\\s*+");
    private static final Pattern HTML = Pattern.compile("<(/?)([a-zA-Z][a-zA-Z0-9]*+)(?:\\s[^<>]*+)?/?>");
    private static final Pattern BLOCK_TAG = Pattern.compile("^@[a-zA-Z]\\w*+(?:\\s.*+)?$");
    private static final Pattern SENTENCE =
            Pattern.compile("^.{4,}?(?<!\\be\\.g|\\bi\\.e)[.!?](?=\\s|$)", Pattern.DOTALL);
    private static final Map<String, String> TAGS = Map.ofEntries(
            Map.entry("p", "\n\n"),
            Map.entry("br", "\n"),
            Map.entry("ul", "\n\n"),
            Map.entry("ol", "\n\n"),
            Map.entry("dl", "\n\n"),
            Map.entry("table", "\n\n"),
            Map.entry("tr", "\n"),
            Map.entry("dd", " "),
            Map.entry("td", " "),
            Map.entry("code", "`"),
            Map.entry("tt", "`"),
            Map.entry("b", "**"),
            Map.entry("strong", "**"),
            Map.entry("i", "*"),
            Map.entry("em", "*"));

    private DocComment() {}

    /** Returns the documentation of what line {@code index}, from 0, defines, as Markdown; empty when there is none. */
    static String of(List<String> lines, int index) {
        List<String> below = below(lines, index + 1);
        return readable(below.isEmpty() ? above(lines, index - 1) : below);
    }

    /** Returns the first sentence of a documentation, in one line. */
    static String firstSentence(String documentation) {
        String paragraph = documentation.split("\n\n", 2)[0].replace('\n', ' ').strip();
        Matcher sentence = SENTENCE.matcher(paragraph);
        return sentence.find() ? sentence.group() : paragraph;
    }

    /** Returns the lines of a comment, with their marks, as Markdown. */
    static String readable(List<String> comment) {
        StringBuilder text = new StringBuilder();
        for (String line : comment) {
            String stripped = MARKS.matcher(line).replaceAll("");
            if (BLOCK_TAG.matcher(stripped.strip()).matches() || text.length() > MAX_TEXT) {
                break; // parameters, results, authors
            }
            text.append(stripped).append('\n');
        }
        return tidy(entities(html(inlineTags(text.toString()))));
    }

    /** Replaces <code>{@code x}</code> and the like, whose text may have braces of its own. */
    private static String inlineTags(String text) {
        StringBuilder result = new StringBuilder(text.length());
        Matcher tag = INLINE_TAG.matcher(text);
        int from = 0;
        while (tag.find(from)) {
            int end = closing(text, tag.end());
            result.append(text, from, tag.start());
            result.append(inline(tag.group(1), text.substring(tag.end(), end).strip()));
            from = Math.min(text.length(), end + 1);
        }
        return result.append(text, from, text.length()).toString();
    }

    private static int closing(String text, int from) {
        int open = 1;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            open += c == '{' ? 1 : c == '}' ? -1 : 0;
            if (open == 0) {
                return i;
            }
        }
        return text.length();
    }

    private static String inline(String tag, String content) {
        return switch (tag) {
            case "link", "linkplain" -> link(content, tag.equals("link"));
            case "code", "value", "systemProperty" -> content.isEmpty() ? "" : quoted(content);
            case "snippet", "inheritDoc", "docRoot" -> "";
            default -> content;
        };
    }

    private static String quoted(String content) {
        return content.indexOf('\n') < 0 ? Markdown.code(content) : content;
    }

    /** The label of a link, or its target; a target may have spaces between parentheses. */
    private static String link(String content, boolean code) {
        int parameters = content.indexOf('(');
        int space = content.indexOf(' ', parameters < 0 ? 0 : Math.max(0, content.indexOf(')', parameters)));
        String label = space < 0 ? "" : content.substring(space + 1).strip();
        if (!label.isEmpty()) {
            return code ? Markdown.code(label) : label;
        }
        String target = content.startsWith("#") ? content.substring(1) : content;
        return Markdown.code(target.replace('#', '.'));
    }

    private static String html(String text) {
        Matcher tag = HTML.matcher(text);
        StringBuilder result = new StringBuilder(text.length());
        while (tag.find()) {
            String name = tag.group(2).toLowerCase(Locale.ROOT);
            boolean closes = !tag.group(1).isEmpty();
            tag.appendReplacement(result, Matcher.quoteReplacement(markdown(name, closes)));
        }
        return tag.appendTail(result).toString();
    }

    private static String markdown(String tag, boolean closes) {
        boolean item = tag.equals("li") || tag.equals("dt");
        if (item || tag.equals("p")) {
            return closes ? "" : item ? "\n- " : "\n\n";
        }
        if (tag.equals("pre")) {
            return closes ? "\n```\n\n" : "\n\n```\n";
        }
        if (tag.length() == 2 && tag.charAt(0) == 'h' && Character.isDigit(tag.charAt(1))) {
            return closes ? "**\n\n" : "\n\n**";
        }
        return TAGS.getOrDefault(tag, "");
    }

    private static String entities(String text) {
        return text.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&#64;", "@")
                .replace("&#42;", "*")
                .replace("&nbsp;", " ")
                .replace("&mdash;", "-")
                .replace("&amp;", "&");
    }

    /** Removes the indentation and the repeated empty lines, but not those of code. */
    private static String tidy(String text) {
        List<String> kept = new ArrayList<>();
        boolean code = false;
        for (String line : text.lines().toList()) {
            boolean fence = line.strip().equals("```");
            code ^= fence;
            String shown = code && !fence ? line.stripTrailing() : line.strip();
            boolean repeated =
                    shown.isEmpty() && (kept.isEmpty() || kept.getLast().isEmpty());
            if (!repeated) {
                kept.add(shown);
            }
        }
        return String.join("\n", kept).strip();
    }

    /** The comment that ends above line {@code index}, where annotations may stand between. */
    private static List<String> above(List<String> lines, int index) {
        int last = index;
        for (int i = 0; i < MAX_ANNOTATIONS && last >= 0 && isBetween(lines.get(last)); i++) {
            last--;
        }
        if (last < 0 || lines.get(last).length() > MAX_TEXT) {
            return List.of();
        }
        boolean block = lines.get(last).stripTrailing().endsWith("*/");
        int first = last;
        for (int i = 0; i < MAX_ABOVE && first >= 0; i++, first--) {
            String line = lines.get(first).strip();
            if (block ? line.startsWith("/*") : !isLineComment(line)) {
                return lines.subList(block ? first : first + 1, last + 1);
            }
        }
        return block ? List.of() : lines.subList(first + 1, last + 1);
    }

    /** A part of an annotation: it does not end a statement or a block. */
    private static boolean isBetween(String line) {
        String stripped = line.strip();
        return stripped.startsWith("@")
                || stripped.startsWith("#[")
                || stripped.endsWith(")")
                || stripped.endsWith(",")
                || stripped.equals("})");
    }

    private static boolean isLineComment(String line) {
        return line.startsWith("//") || line.startsWith("# ") || line.startsWith("-- ");
    }

    /** A documentation string, as in Python. */
    private static List<String> below(List<String> lines, int index) {
        String start = index < lines.size() ? lines.get(index).strip() : "";
        String quotes = start.startsWith("\"\"\"") ? "\"\"\"" : start.startsWith("'''") ? "'''" : "";
        if (quotes.isEmpty()) {
            return List.of();
        }
        for (int i = index; i < Math.min(lines.size(), index + MAX_ABOVE); i++) {
            String line = i == index ? start.substring(3) : lines.get(i);
            if (line.contains(quotes)) {
                return lines.subList(index, i + 1);
            }
        }
        return List.of();
    }
}
