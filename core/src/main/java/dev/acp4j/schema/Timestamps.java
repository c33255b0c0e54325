package dev.acp4j.schema;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Points in time as the protocol writes them: text in the form of ISO 8601, not checked when it is read. */
final class Timestamps {
    private Timestamps() {}

    /** Returns the point in time, or nothing when the text is not one. */
    static Optional<Instant> parse(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
