package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a command: words, or text in quotes, and options that begin with {@code --}.
 *
 * @param words in order, without the options
 * @param arrow the index among the words of the first {@code ->} without quotes; -1 if there is none
 * @param flags the names of options without a value
 * @param values those with a value; an option may be given several times
 */
record Arguments(List<String> words, int arrow, Set<String> flags, Map<String, List<String>> values) {
    Arguments {
        words = List.copyOf(words);
    }

    /**
     * Parses {@code text}.
     *
     * @param flags the options without a value that the command knows
     * @param valued those with a value
     * @throws UsageException for an option the command does not know, or a quote that is not closed
     */
    static Arguments parse(String text, Set<String> flags, Set<String> valued) {
        List<String> words = new ArrayList<>();
        Set<String> found = new LinkedHashSet<>();
        Map<String, List<String>> values = new LinkedHashMap<>();
        int arrow = -1;
        List<Token> tokens = tokens(text);
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            String option = token.option();
            if (option == null) {
                arrow = arrow < 0 && token.isArrow() ? words.size() : arrow;
                words.add(token.text());
            } else if (flags.contains(option)) {
                found.add(option);
            } else if (valued.contains(option)) {
                i++;
                if (i == tokens.size()) {
                    throw new UsageException("--" + option + " requires a value");
                }
                values.computeIfAbsent(option, o -> new ArrayList<>())
                        .add(tokens.get(i).text());
            } else {
                throw new UsageException("there is no option --" + option);
            }
        }
        return new Arguments(words, arrow, found, values);
    }

    boolean has(String flag) {
        return flags.contains(flag);
    }

    List<String> values(String option) {
        return values.getOrDefault(option, List.of());
    }

    private record Token(String text, boolean quoted) {
        boolean isArrow() {
            return !quoted && text.equals("->");
        }

        @Nullable
        String option() {
            return !quoted && text.length() > 2 && text.startsWith("--") ? text.substring(2) : null;
        }
    }

    private static List<Token> tokens(String text) {
        List<Token> tokens = new ArrayList<>();
        int i = 0;
        while (i < text.length()) {
            if (Character.isWhitespace(text.charAt(i))) {
                i++;
            } else {
                i = token(text, i, tokens);
            }
        }
        return tokens;
    }

    /** Reads the token at {@code from} and returns its end. A backslash escapes a quote. */
    private static int token(String text, int from, List<Token> tokens) {
        char quote = text.charAt(from);
        boolean quoted = quote == '"' || quote == '\'';
        StringBuilder token = new StringBuilder();
        int i = quoted ? from + 1 : from;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (quoted && c == '\\' && i + 1 < text.length() && isSpecial(text.charAt(i + 1), quote)) {
                token.append(text.charAt(i + 1));
                i += 2;
                continue;
            }
            if (quoted ? c == quote : Character.isWhitespace(c)) {
                tokens.add(new Token(token.toString(), quoted));
                return i + 1;
            }
            token.append(c);
            i++;
        }
        if (quoted) {
            throw new UsageException("a quote is not closed: " + text.substring(from));
        }
        tokens.add(new Token(token.toString(), false));
        return i;
    }

    private static boolean isSpecial(char c, char quote) {
        return c == quote || c == '\\';
    }
}
