package dev.acp4j.agent;

import java.time.Duration;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** A search pattern with its replacement. */
final class Replacement {
    /**
     * The options of the search.
     *
     * @param regex a regular expression rather than the text itself
     * @param wholeWord only where no letter, digit or underscore touches it
     * @param ignoreCase small and capital letters alike
     */
    record Options(boolean regex, boolean wholeWord, boolean ignoreCase) {
        static final Options LITERAL = new Options(false, false, false);
    }

    /**
     * A text after the replacement.
     *
     * @param count how many places were changed
     */
    record Replaced(String text, int count) {}

    private static final Duration ALLOWED = Duration.ofSeconds(5);
    private static final int LONGEST = 10_000;
    private static final int MAX_RESULT = 16 << 20;
    private static final Pattern GROUP = Pattern.compile("(?<!\\\\)\\$(\\d)");
    private static final String WORD = "[\\p{L}\\p{N}_]";

    private final Pattern pattern;
    private final Function<MatchResult, String> replacer;

    private final Duration allowed;

    Replacement(Pattern pattern, Function<MatchResult, String> replacer) {
        this(pattern, replacer, ALLOWED);
    }

    private Replacement(Pattern pattern, Function<MatchResult, String> replacer, Duration allowed) {
        this.pattern = pattern;
        this.replacer = replacer;
        this.allowed = allowed;
    }

    /**
     * Returns the replacement of {@code find} by {@code with}. For a regular expression, {@code with} may name groups
     * ({@code $1}) and have {@code \n} and {@code \t}.
     *
     * @throws IllegalArgumentException when {@code find} is empty, not a regular expression, or the same as
     *     {@code with}, or when {@code with} names a group it lacks
     */
    static Replacement of(String find, String with, Options options) {
        if (find.isEmpty()) {
            throw new IllegalArgumentException("there is nothing to find");
        }
        if (find.equals(with) && !options.regex() && !options.ignoreCase()) {
            throw new IllegalArgumentException("the old text and the new one are the same");
        }
        Pattern pattern = pattern(find, options);
        String template = options.regex() ? with.replace("\\n", "\n").replace("\\t", "\t") : "";
        if (highestGroup(template) > pattern.matcher("").groupCount()) {
            throw new IllegalArgumentException("the replacement names a group that the pattern lacks");
        }
        return new Replacement(pattern, options.regex() ? match -> expand(template, match) : match -> with);
    }

    /** Returns the same replacement with another limit to the time it may take for one text. */
    Replacement within(Duration time) {
        return new Replacement(pattern, replacer, time);
    }

    /**
     * Returns the pattern that finds {@code find}.
     *
     * @throws IllegalArgumentException when it is not a regular expression, or too long
     */
    static Pattern pattern(String find, Options options) {
        if (find.length() > LONGEST) {
            // Preparing the search takes quadratic time and cannot be interrupted.
            throw new IllegalArgumentException("the text to find has more than " + LONGEST + " characters");
        }
        String expression = options.regex() ? find : Pattern.quote(find);
        if (options.wholeWord()) {
            expression = "(?<!" + WORD + ")(?:" + expression + ")(?!" + WORD + ")";
        }
        int flags = Pattern.MULTILINE;
        if (options.ignoreCase()) {
            flags |= Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;
        }
        try {
            return Pattern.compile(expression, flags);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("not a regular expression: " + e.getDescription(), e);
        }
    }

    /**
     * Replaces in {@code text}.
     *
     * @throws IllegalArgumentException when the pattern matches where there is no text
     * @throws GuardedText.StoppedException if the pattern takes too long for this text
     * @throws InterruptedException when the thread was interrupted
     */
    Replaced in(String text) throws InterruptedException {
        return GuardedText.run(() -> replace(text));
    }

    private Replaced replace(String text) {
        Matcher matcher = pattern.matcher(new GuardedText(text, allowed));
        StringBuilder result = new StringBuilder(text.length());
        int from = 0;
        int count = 0;
        while (matcher.find()) {
            if (matcher.end() == matcher.start()) {
                throw new IllegalArgumentException("the pattern also matches where there is no text to replace");
            }
            String with = replacer.apply(matcher);
            boolean same = with.contentEquals(text.subSequence(matcher.start(), matcher.end()));
            limit(result.append(text, from, matcher.start()).append(with));
            from = matcher.end();
            count += same ? 0 : 1;
        }
        return new Replaced(
                count == 0 ? text : result.append(text, from, text.length()).toString(), count);
    }

    private static void limit(StringBuilder result) {
        if (result.length() > MAX_RESULT) {
            throw new GuardedText.StoppedException("the text would have more than " + MAX_RESULT + " characters");
        }
    }

    private static int highestGroup(String template) {
        return GROUP.matcher(template)
                .results()
                .mapToInt(match -> Integer.parseInt(match.group(1)))
                .max()
                .orElse(0);
    }

    /**
     * {@code $1} to {@code $9} and {@code $0}; a dollar sign that no digit follows stands for itself, as after
     * {@code \}.
     */
    private static String expand(String template, MatchResult match) {
        StringBuilder result = new StringBuilder();
        for (int i = 0; i < template.length(); i++) {
            char c = template.charAt(i);
            char next = i + 1 < template.length() ? template.charAt(i + 1) : ' ';
            if (c == '\\' && (next == '$' || next == '\\')) {
                result.append(next);
                i++;
            } else if (c == '$' && Character.isDigit(next)) {
                String group = match.group(next - '0');
                limit(result.append(group == null ? "" : group));
                i++;
            } else {
                result.append(c);
            }
        }
        return result.toString();
    }
}
