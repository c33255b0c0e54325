package dev.acp4j.cli.proxy;

import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.NearestName;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/** The options of a ready-made proxy, as somebody has written them. */
final class ProxyOptions {
    private final String proxy;
    private final Map<String, String> values = new LinkedHashMap<>();

    /**
     * Reads options.
     *
     * @param known the names that the proxy knows
     * @param words {@code NAME=VALUE} each
     * @throws UsageException when one has another form, is unknown, or stands twice
     */
    ProxyOptions(String proxy, List<String> known, List<String> words) {
        this.proxy = proxy;
        for (String word : words) {
            int end = word.indexOf('=');
            String name = end < 0 ? word : word.substring(0, end);
            if (!known.contains(name)) {
                String there = known.isEmpty() ? "." : ", but " + String.join(", ", known) + ".";
                throw wrong("has no option " + SafeText.line(name) + there + NearestName.suggestion(name, known));
            }
            if (end < 0) {
                throw wrong("expects a value: " + name + "=...");
            }
            if (values.put(name, word.substring(end + 1)) != null) {
                throw wrong("has the option " + name + " twice");
            }
        }
    }

    @Nullable
    String text(String name) {
        return values.get(name);
    }

    Path file(String name) {
        String file = values.get(name);
        if (file == null || file.isBlank()) {
            throw wrong("needs a file: " + name + "=FILE");
        }
        return Path.of(file);
    }

    /** Returns a list that is written with commas; empty if it is not given. */
    String[] list(String name) {
        String list = values.get(name);
        return list == null || list.isBlank() ? new String[0] : list.split(",", -1);
    }

    /** Returns which of two words is written: true for the second, false for the first, or if there is none. */
    boolean isSecond(String name, String first, String second) {
        String word = values.getOrDefault(name, first);
        if (!word.equals(first) && !word.equals(second)) {
            throw wrong(
                    "expects " + name + "=" + first + " or " + name + "=" + second + ", got " + SafeText.line(word));
        }
        return word.equals(second);
    }

    int number(String name, int otherwise) {
        String number = values.get(name);
        try {
            return number == null ? otherwise : Integer.parseInt(number);
        } catch (NumberFormatException e) {
            throw wrong("expects a number, got " + name + "=" + SafeText.line(number));
        }
    }

    /** Returns a time such as {@code 90s}; null if it is not given. */
    @Nullable
    Duration time(String name) {
        String time = values.get(name);
        try {
            return time == null ? null : new Durations().convert(time);
        } catch (TypeConversionException e) {
            throw wrong("expects a time such as 90s, 5m or 1h, got " + name + "=" + SafeText.line(time));
        }
    }

    UsageException wrong(String problem) {
        return new UsageException("the proxy " + proxy + " " + problem);
    }
}
