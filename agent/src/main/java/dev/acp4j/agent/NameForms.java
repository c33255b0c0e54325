package dev.acp4j.agent;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * One name in all the forms it is written in: {@code userName}, {@code UserName}, {@code user_name}, {@code USER_NAME},
 * {@code user-name}. A form is found inside a longer name too, where the words of that name part: {@code getUserName},
 * but not {@code userNames}.
 */
final class NameForms {
    private static final Pattern NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$-]*");
    private static final String NO_LETTER_BEFORE = "(?<![\\p{L}\\p{N}])";
    private static final String NO_CAPITAL_BEFORE = "(?<!\\p{Lu})";
    private static final String NO_SMALL_AFTER = "(?![\\p{Ll}\\p{N}])";
    private static final String NO_LETTER_AFTER = "(?![\\p{L}\\p{N}])";

    private NameForms() {}

    /** Whether {@code text} is a name that can take these forms. */
    static boolean isName(String text) {
        return NAME.matcher(text).matches() && !IdentifierParts.of(text).isEmpty();
    }

    /** Returns the forms of {@code name}, each with the same form of {@code other}. */
    static Map<String, String> of(String name, String other) {
        List<String> from = IdentifierParts.of(name);
        List<String> to = IdentifierParts.of(other);
        Map<String, String> forms = new LinkedHashMap<>();
        forms.put(name, other);
        forms.putIfAbsent(camel(from, false), camel(to, false));
        forms.putIfAbsent(camel(from, true), camel(to, true));
        forms.putIfAbsent(joined(from, "_"), joined(to, "_"));
        forms.putIfAbsent(upper(joined(from, "_")), upper(joined(to, "_")));
        forms.putIfAbsent(joined(from, "-"), joined(to, "-"));
        return forms;
    }

    /** Returns the replacement of all forms of {@code name} at once. */
    static Replacement replacement(String name, String other) {
        Map<String, String> forms = of(name, other);
        List<String> longestFirst = new ArrayList<>(forms.keySet());
        longestFirst.sort(Comparator.comparingInt(String::length).reversed());
        StringBuilder expression = new StringBuilder();
        for (String form : longestFirst) {
            expression.append(expression.isEmpty() ? "" : "|").append(bounded(form));
        }
        return new Replacement(
                Pattern.compile(expression.toString()), match -> forms.getOrDefault(match.group(), match.group()));
    }

    private static String bounded(String form) {
        boolean capitals = form.equals(upper(form));
        boolean pascal = Character.isUpperCase(form.charAt(0)) && !capitals;
        String before = pascal ? NO_CAPITAL_BEFORE : NO_LETTER_BEFORE;
        String after = capitals ? NO_LETTER_AFTER : NO_SMALL_AFTER;
        return before + Pattern.quote(form) + after;
    }

    private static String camel(List<String> parts, boolean pascal) {
        StringBuilder result = new StringBuilder();
        for (String part : parts) {
            String lower = part.toLowerCase(Locale.ROOT);
            boolean capital = pascal || !result.isEmpty();
            result.append(capital ? upper(lower.substring(0, 1)) + lower.substring(1) : lower);
        }
        return result.toString();
    }

    private static String joined(List<String> parts, String by) {
        return String.join(by, parts).toLowerCase(Locale.ROOT);
    }

    private static String upper(String text) {
        return text.toUpperCase(Locale.ROOT);
    }
}
