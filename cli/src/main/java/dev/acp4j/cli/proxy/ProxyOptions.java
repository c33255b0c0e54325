package dev.acp4j.cli.proxy;

import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.NearestName;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/** The options of a ready-made proxy, as somebody has written them. */
final class ProxyOptions {
    private final String proxy;
    private final Map<String, List<String>> values = new LinkedHashMap<>();

    /**
     * Reads options.
     *
     * @param known the names that the proxy knows
     * @param words {@code NAME=VALUE} each
     * @throws UsageException when one has another form, or is unknown
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
            values.computeIfAbsent(name, key -> new ArrayList<>()).add(word.substring(end + 1));
        }
    }

    /** @throws UsageException when it stands twice */
    @Nullable
    String text(String name) {
        List<String> all = texts(name);
        if (all.size() > 1) {
            throw wrong("has the option " + name + " twice");
        }
        return all.isEmpty() ? null : all.get(0);
    }

    /** Returns the values of an option that may stand several times. */
    List<String> texts(String name) {
        return values.getOrDefault(name, List.of());
    }

    Path file(String name) {
        String file = text(name);
        if (file == null || file.isBlank()) {
            throw wrong("needs a file: " + name + "=FILE");
        }
        return Path.of(file);
    }

    /**
     * Returns a list that is written with commas, and perhaps spaces around them; empty if it is not given.
     *
     * @throws UsageException when it has an empty item
     */
    String[] list(String name) {
        String list = text(name);
        if (list == null || list.isBlank()) {
            return new String[0];
        }
        String[] items = Arrays.stream(list.split(",", -1)).map(String::strip).toArray(String[]::new);
        if (Arrays.asList(items).contains("")) {
            throw wrong("has an empty item in " + name + "=" + SafeText.line(list));
        }
        return items;
    }

    /** Returns which of two words is written: true for the second, false for the first, or if there is none. */
    boolean isSecond(String name, String first, String second) {
        String given = text(name);
        String word = given == null ? first : given;
        if (!word.equals(first) && !word.equals(second)) {
            throw wrong(
                    "expects " + name + "=" + first + " or " + name + "=" + second + ", got " + SafeText.line(word));
        }
        return word.equals(second);
    }

    int number(String name, int otherwise) {
        String number = text(name);
        try {
            return number == null ? otherwise : Integer.parseInt(number);
        } catch (NumberFormatException e) {
            throw wrong("expects a number, got " + name + "=" + SafeText.line(number));
        }
    }

    /** Returns a time such as {@code 90s}; null if it is not given. */
    @Nullable
    Duration time(String name) {
        String time = text(name);
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
