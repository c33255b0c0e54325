package dev.acp4j.cli.sessions;

import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads ages as people write them: {@code 12h}, {@code 30d}, {@code 4w}. A unit is required. */
final class Ages implements ITypeConverter<Duration> {
    /** Nothing is older than that; larger numbers would leave the calendar. */
    private static final int MOST_DIGITS = 6;

    @Override
    public Duration convert(String text) {
        String age = text.strip().toLowerCase(Locale.ROOT);
        String number = age.isEmpty() ? "" : age.substring(0, age.length() - 1);
        if (!number.isEmpty()
                && number.length() <= MOST_DIGITS
                && number.chars().allMatch(c -> c >= '0' && c <= '9')) {
            long value = Long.parseLong(number);
            Duration duration = switch (age.charAt(age.length() - 1)) {
                case 'h' -> Duration.ofHours(value);
                case 'd' -> Duration.ofDays(value);
                case 'w' -> Duration.ofDays(7 * value);
                default -> Duration.ZERO;
            };
            if (duration.isPositive()) {
                return duration;
            }
        }
        throw new TypeConversionException("expected an age such as 12h, 30d or 4w, got '" + text + "'");
    }
}
