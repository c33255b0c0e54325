package dev.acp4j.json;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keys and tokens of well-known services, found in text by how they look, wherever they stand. */
public final class Tokens {
    private static final String HIDDEN = "***";

    /** Each alternative begins where a run of its characters begins, so no run is read more than a few times. */
    private static final Pattern LOOKS = Pattern.compile("(?<![A-Za-z0-9_-])(?:sk-[A-Za-z0-9_-]{16,}"
            + "|gh[pousr]_[A-Za-z0-9]{20,}"
            + "|github_pat_[A-Za-z0-9_]{20,}"
            + "|glpat-[A-Za-z0-9_-]{16,}"
            + "|xox[a-z]-[A-Za-z0-9-]{10,}"
            + "|AKIA[0-9A-Z]{16}"
            + "|AIza[0-9A-Za-z_-]{30,}"
            + "|eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]*"
            + "|(?i:bearer )[A-Za-z0-9._~+/=-]{16,}"
            + "|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*)");

    /** What stands behind a name of a secret, in text that is not JSON or is broken JSON. */
    private static final List<Pattern> NAMED = List.of(
            // Of many parts: what stands behind it on the line.
            named("authorization|cookie", "[^\\r\\n]+"),
            // Of many words, as people remember them.
            named("passw[a-z]{0,8}|passphrase", "[^\"',;\\r\\n]+"),
            named("(?:api|private)[_-]?key|bearer|token|secret|credentials?", "[^\\s\"',;]+"));

    private Tokens() {}

    /**
     * What stands in quotation marks is hidden as far as they reach; what does not, as far as {@code value} does.
     * Blanks that align columns are read once: none is given back.
     */
    private static Pattern named(String names, String value) {
        return Pattern.compile(
                "(?i)((?:" + names + ")\\\\?[\"']?[ \\t]*+(?:=>|:=|[=:])[ \\t]*+(?:\\\\?[\"'](?=[^\"'\\r\\n]))?)"
                        + "(?:(?<=\")[^\"\\r\\n]+|(?<=')[^'\\r\\n]+|" + value + ")");
    }

    /** Returns the text without what looks like a key or a token. */
    public static String hide(String text) {
        return LOOKS.matcher(text).replaceAll(HIDDEN);
    }

    /**
     * Returns the text without what stands behind a name such as {@code token=} either: for what programs write, in
     * which people do not talk of tokens.
     */
    public static String hideNamed(String text) {
        String hidden = hide(text);
        for (Pattern named : NAMED) {
            hidden = named.matcher(hidden).replaceAll("$1" + Matcher.quoteReplacement(HIDDEN));
        }
        return hidden;
    }
}
