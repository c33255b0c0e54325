package dev.acp4j.agent;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a line of a source file defines: a type, a function, a constant, a heading. It considers each line alone
 * and uses common patterns of many languages instead of grammars, so it is sometimes wrong; the result is used for
 * ranking only.
 */
final class Definitions {
    /** The name of the function that a program starts with, in most languages. */
    static final String ENTRY = "main";

    private static final int MAX_LINE = 300;
    private static final Set<String> KEYWORDS = Set.of(
            "class",
            "interface",
            "@interface",
            "enum",
            "record",
            "struct",
            "trait",
            "impl",
            "def",
            "func",
            "fn",
            "function",
            "fun",
            "type",
            "module",
            "namespace",
            "object",
            "protocol",
            "extension",
            "macro",
            "const",
            "let",
            "var",
            "val",
            "table",
            "view",
            "message",
            "service",
            "rpc",
            "defmodule",
            "defp",
            "sub",
            "proc",
            "union",
            "typedef",
            "mod",
            "#define");
    private static final Set<String> TYPES = Set.of(
            "class",
            "interface",
            "@interface",
            "enum",
            "record",
            "struct",
            "trait",
            "object",
            "protocol",
            "type",
            "union",
            "defmodule");
    // These are relevant definitions at the top level of a file, but not inside a function.
    private static final Set<String> LOCAL = Set.of("const", "let", "var", "val");
    private static final Set<String> NOT_A_TYPE = Set.of(
            "return", "new", "else", "throw", "case", "await", "yield", "if", "for", "while", "switch", "catch", "do",
            "in", "is", "and", "or", "not", "from", "import", "assert", "delete", "typeof", "go", "defer", "when",
            "with", "elif", "except", "raise", "unless", "until", "print");
    private static final Pattern MODIFIER = Pattern.compile("[@#]?[\\w\\[\\].:-]++(?:\\([^)]*+\\))?+");
    private static final Pattern NAME = Pattern.compile("\\s*+(?:\\([^)]*+\\)\\s*+)?`?([\\p{L}_$][\\w$]*+)");
    private static final Pattern TYPED_FUNCTION =
            Pattern.compile("^\\s*+(?:[@\\w$<>\\[\\],.?&*:~]++\\s++){1,10}?\\**+([\\p{L}_$~][\\w$]*+)\\s?\\(");
    private static final Pattern CONSTANT =
            Pattern.compile("^\\s*+(?:[\\w<>\\[\\],.?]++\\s++)*?([A-Z][A-Z0-9_]{2,})\\s*+=[^=]");
    private static final Pattern BARE_METHOD =
            Pattern.compile("^\\s++(?:[*#]\\s?)?([\\p{L}_$][\\w$]*+)\\s?\\([^;{]*+\\{\\s*+$");
    private static final Pattern ASSIGNED_FUNCTION = Pattern.compile(
            "^\\s*+(?:[\\w$]++\\.)*+([\\p{L}_$][\\w$]*+)\\s*+[:=]\\s*+(?:async\\s++)?(?:function\\b|\\()");
    private static final Pattern SHELL_FUNCTION = Pattern.compile("^([\\w-]++)\\s?\\(\\)\\s*+\\{?\\s*+$");
    private static final Pattern MAKE_TARGET = Pattern.compile("^([\\w./-]++)\\s*+:(?!=)");
    private static final Pattern HEADING = Pattern.compile("^(?:#{1,6}|={1,6})\\s++(.+?)\\s*+#*+$");
    private static final Pattern XML_NAME =
            Pattern.compile("<(?:artifactId|module|name|id)>([^<]++)<|\\b(?:id|name)=\"([^\"]++)\"");
    private static final Pattern KEY = Pattern.compile("^\\s{0,4}\"?([\\w.-]++)\"?\\s*+[:=]");

    private Definitions() {}

    /** Returns the name that {@code line} defines in a file of {@code language}, or null. */
    static @Nullable String nameIn(String line, Language language) {
        if (line.isBlank() || line.length() > MAX_LINE) {
            return null;
        }
        return switch (language.kind()) {
            case PROSE -> first(HEADING.matcher(line));
            case DATA -> dataName(line, language);
            case CODE -> codeName(line, language);
            case OTHER -> null;
        };
    }

    /** Returns the kind of type that {@code line} defines, such as "class" or "interface", or null. */
    static @Nullable String typeKeyword(String line, Language language) {
        boolean possible = language.kind() == Language.Kind.CODE && line.length() <= MAX_LINE && !isComment(line);
        Keyword found = possible ? keyword(line) : null;
        return found != null && TYPES.contains(found.keyword()) ? found.keyword() : null;
    }

    private static @Nullable String dataName(String line, Language language) {
        if (language.name().equals("XML")) {
            return first(XML_NAME.matcher(line));
        }
        return first(KEY.matcher(line));
    }

    private static @Nullable String codeName(String line, Language language) {
        if (isComment(line)) {
            return null;
        }
        if (language.name().equals("Makefile")) {
            return first(MAKE_TARGET.matcher(line));
        }
        if (language.name().equals("Shell")) {
            return first(SHELL_FUNCTION.matcher(line));
        }
        Keyword found = keyword(line);
        return found != null ? found.name() : functionName(line);
    }

    static boolean isComment(String line) {
        String start = line.stripLeading();
        return start.startsWith("//")
                || start.startsWith("*")
                || start.startsWith("/*")
                || (start.startsWith("#") && !start.startsWith("#define"))
                || start.startsWith("--")
                || start.startsWith("<!--");
    }

    /** A keyword and the name after it. */
    private record Keyword(String keyword, String name) {}

    /** Finds a keyword such as {@code class} with the name after it, when nothing but modifiers stands before it. */
    private static @Nullable Keyword keyword(String line) {
        int from = line.length() - line.stripLeading().length();
        int end = endOfWord(line, from);
        while (from < end) {
            String word = line.substring(from, end);
            if (KEYWORDS.contains(word)) {
                Matcher name = NAME.matcher(line).region(end, line.length());
                if (name.lookingAt() && !KEYWORDS.contains(name.group(1))) {
                    boolean local = LOCAL.contains(word) && Character.isWhitespace(line.charAt(0));
                    return local ? null : new Keyword(word, name.group(1));
                }
            }
            if (NOT_A_TYPE.contains(word) || !MODIFIER.matcher(word).matches()) {
                return null;
            }
            from = end + 1;
            end = endOfWord(line, from);
        }
        return null;
    }

    private static int endOfWord(String line, int from) {
        int i = from;
        while (i < line.length() && !Character.isWhitespace(line.charAt(i))) {
            i++;
        }
        return i;
    }

    private static @Nullable String functionName(String line) {
        String constant = line.indexOf('=') < 0 ? null : first(CONSTANT.matcher(line));
        if (constant != null || line.indexOf('(') < 0) {
            return constant;
        }
        Matcher typed = TYPED_FUNCTION.matcher(line);
        if (typed.find()) {
            String firstWord = line.strip().split("[\\s(]", 2)[0];
            return NOT_A_TYPE.contains(firstWord) || NOT_A_TYPE.contains(typed.group(1)) ? null : typed.group(1);
        }
        String bare = first(BARE_METHOD.matcher(line));
        if (bare != null) {
            return NOT_A_TYPE.contains(bare) ? null : bare;
        }
        return line.contains("=>") || line.contains("function") ? first(ASSIGNED_FUNCTION.matcher(line)) : null;
    }

    private static @Nullable String first(Matcher matcher) {
        if (!matcher.find()) {
            return null;
        }
        String name = matcher.group(1);
        return name == null && matcher.groupCount() > 1 ? matcher.group(2) : name;
    }
}
