package dev.acp4j;

import dev.acp4j.json.Tokens;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Takes secrets out of text that is shown to people: known values, what stands where secrets are usually given, and
 * what looks like a key.
 */
final class Secrets {
    static final Secrets NONE = new Secrets(List.of());

    private static final String HIDDEN = "***";
    private static final int SHORTEST_VALUE = 8;
    private static final List<String> SECRET_WORDS =
            List.of("KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "BEARER", "AUTHORIZATION");

    private final List<String> values;

    private Secrets(List<String> values) {
        this.values = values;
    }

    /** Returns those of an environment: the values of variables that are named like secrets. */
    static Secrets of(Map<String, String> environment) {
        List<String> values = new ArrayList<>();
        environment.forEach((name, value) -> {
            // A short value would be found everywhere and make the text unreadable; a path is not the secret itself.
            if (isSecretName(name) && value.length() >= SHORTEST_VALUE && value.indexOf('/') != 0) {
                values.add(value);
            }
        });
        values.sort(Comparator.comparingInt(String::length).reversed());
        return new Secrets(List.copyOf(values));
    }

    private static boolean isSecretName(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        for (String word : SECRET_WORDS) {
            if (upper.contains(word)) {
                return true;
            }
        }
        return false;
    }

    String hide(String text) {
        String hidden = text;
        for (String value : values) {
            hidden = hidden.replace(value, HIDDEN);
        }
        return Tokens.hide(hidden);
    }

    /** Returns a command as one line, without the values of arguments such as {@code --api-key}. */
    String commandLine(String command, List<String> arguments) {
        StringBuilder line = new StringBuilder(quote(command));
        boolean valueIsSecret = false;
        for (String argument : arguments) {
            line.append(' ');
            line.append(quote(valueIsSecret ? HIDDEN : hide(hideIn(argument))));
            valueIsSecret = argument.startsWith("-") && argument.indexOf('=') < 0 && isSecretName(argument);
        }
        return line.toString();
    }

    private static String hideIn(String argument) {
        int separator = separator(argument);
        if (separator > 0 && isSecretName(argument.substring(0, separator))) {
            return argument.substring(0, separator + 1) + HIDDEN;
        }
        int scheme = argument.indexOf("://");
        int at = argument.indexOf('@');
        if (scheme > 0 && at > scheme && argument.lastIndexOf('/', at) == scheme + 2) {
            return argument.substring(0, scheme + 3) + HIDDEN + argument.substring(at);
        }
        return argument;
    }

    /** Returns where {@code NAME=value} or {@code Header: value} is divided, or -1. */
    private static int separator(String argument) {
        int equals = argument.indexOf('=');
        int colon = argument.indexOf(": ");
        return equals < 0 || (colon >= 0 && colon < equals) ? colon : equals;
    }

    private static String quote(String word) {
        boolean isPlain = !word.isEmpty() && word.chars().noneMatch(c -> c <= ' ' || c == '\'' || c == '"');
        return isPlain ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
