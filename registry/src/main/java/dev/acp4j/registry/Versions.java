package dev.acp4j.registry;

import java.util.Comparator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.semver4j.Semver;

/** The order and the form of versions. */
final class Versions {
    /** Also the name of a folder. */
    private static final Pattern SAFE = Pattern.compile("[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}");

    /** Semantic versions by their order, others by their text, and before them. */
    static final Comparator<String> ORDER = Versions::compare;

    private Versions() {}

    static boolean isExact(String text) {
        return Semver.isValid(text) && Character.isDigit(text.charAt(0)) && isSafe(text);
    }

    static boolean isSafe(String text) {
        return SAFE.matcher(text).matches() && !text.endsWith(".");
    }

    private static int compare(String one, String other) {
        @Nullable Semver first = Semver.parse(one);
        @Nullable Semver second = Semver.parse(other);
        if (first != null && second != null) {
            return first.compareTo(second);
        }
        return first == null && second == null ? one.compareTo(other) : first == null ? -1 : 1;
    }
}
