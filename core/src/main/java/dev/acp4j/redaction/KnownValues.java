package dev.acp4j.redaction;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Values known to be secrets, because they are the values of environment variables named like secrets. They are found
 * in every JSON spelling, and each line of a multi-line value is found separately.
 */
final class KnownValues {
    static final KnownValues NONE = new KnownValues(List.of());

    /** Shorter values are ignored: they would match everywhere. */
    private static final int SHORTEST = 6;

    /** Shorter values are matched as whole words only: as parts of words they would match too often. */
    private static final int SHORTEST_PART = 8;

    /** In the form of {@link Unescaped}, longest first. */
    private final List<String> values;

    private KnownValues(List<String> values) {
        this.values = values;
    }

    /** Returns these values together with the secrets of an environment. */
    KnownValues and(Map<String, String> environment) {
        Set<String> all = new HashSet<>(values);
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            String value = variable.getValue();
            if (SecretName.ofVariable(variable.getKey()).hides(value) && !isPath(value)) {
                add(value, all);
            }
            add(Urls.password(value), all);
        }
        List<String> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingInt(String::length).reversed());
        return new KnownValues(List.copyOf(sorted));
    }

    private static void add(String value, Set<String> all) {
        String whole = value.strip();
        addLine(whole, all);
        if (whole.indexOf('\n') >= 0 || whole.indexOf('\r') >= 0) {
            for (String line : whole.lines().toList()) {
                addLine(line.strip(), all);
            }
        }
    }

    private static void addLine(String line, Set<String> all) {
        // The first and last lines of a PEM key are public, and the first must remain visible.
        if (line.length() >= SHORTEST && !line.startsWith("-----") && !isWordForNone(line)) {
            all.add(Unescaped.of(line).text());
        }
    }

    /** Examples set {@code PASSWORD=password}: hiding that word would hide the names of secrets. */
    private static boolean isWordForNone(String value) {
        return SecretName.isNothing(value) || SecretName.of(value).isSecret();
    }

    /** Returns whether a value is a path, judged by its first folder: the file itself may be missing. */
    private static boolean isPath(String value) {
        if (!value.startsWith("/")) {
            return false;
        }
        int end = value.indexOf('/', 1);
        if (end == 1) {
            // A Base64 key may start like this; the empty folder name would be the root, which exists.
            return false;
        }
        try {
            return Files.exists(Path.of(end < 0 ? value : value.substring(0, end)));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    /** Returns the text without the values. */
    String hide(String text) {
        return hide(text, Hidden.AS_MARK);
    }

    /** Returns the text with something else in place of the values. */
    String hide(String text, UnaryOperator<String> other) {
        if (values.isEmpty() || text.length() < SHORTEST) {
            return text;
        }
        Unescaped form = Unescaped.of(text);
        Hidden hidden = null;
        for (String value : values) {
            int at = form.text().indexOf(value);
            while (at >= 0) {
                int end = at + value.length();
                if (value.length() >= SHORTEST_PART || isWord(form.text(), at, end)) {
                    hidden = hidden == null ? new Hidden(text) : hidden;
                    hidden.add(form.place(at), form.place(end));
                    at = end - 1;
                }
                at = form.text().indexOf(value, at + 1);
            }
        }
        return hidden == null ? text : hidden.with(other);
    }

    private static boolean isWord(String text, int at, int end) {
        return (at == 0 || !Character.isLetterOrDigit(text.charAt(at - 1)))
                && (end == text.length() || !Character.isLetterOrDigit(text.charAt(end)));
    }
}
