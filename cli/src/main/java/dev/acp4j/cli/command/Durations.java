package dev.acp4j.cli.command;

import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads times as people write them: {@code 90}, {@code 90s}, {@code 500ms}, {@code 5m}, {@code 1h}. */
public final class Durations implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        String number = text.strip().toLowerCase(Locale.ROOT);
        int digits = 0;
        while (digits < number.length() && Character.isDigit(number.charAt(digits))) {
            digits++;
        }
        try {
            long value = Long.parseLong(number.substring(0, digits));
            Duration duration = switch (number.substring(digits)) {
                case "", "s" -> Duration.ofSeconds(value);
                case "ms" -> Duration.ofMillis(value);
                case "m" -> Duration.ofMinutes(value);
                case "h" -> Duration.ofHours(value);
                default -> Duration.ZERO;
            };
            if (duration.isPositive()) {
                return duration;
            }
        } catch (NumberFormatException | ArithmeticException e) {
            // Reported below, for all invalid times.
        }
        throw new TypeConversionException("expected a time such as 90s, 5m or 1h, got '" + text + "'");
    }

    /** Returns a time as {@link #convert} reads it. */
    public static String text(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 1000 != 0) {
            return millis + " ms";
        }
        long seconds = millis / 1000;
        return seconds % 60 == 0 && seconds >= 120 ? seconds / 60 + " minutes" : seconds + " s";
    }
}
