package dev.acp4j.schema;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Timestamps of the protocol: ISO 8601 text, not checked when it is read. */
final class Timestamps {
    private Timestamps() {}

    /** Returns the point in time, or empty if the text is malformed. */
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
