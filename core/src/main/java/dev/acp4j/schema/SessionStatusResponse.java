package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The status of a session, which may change at any time.
 *
 * @param status whether the agent has it in memory
 * @param state what the agent does in it, in version 2; null if not given
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SessionStatusResponse(
        SessionStatus status,
        @In(2) @DefaultOnError @Nullable StateUpdate state,
        Rest rest) implements Extensible {
    @Evolving
    public SessionStatusResponse {
        Objects.requireNonNull(status, "status is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static SessionStatusResponseBuilder builder(SessionStatus status) {
        return new SessionStatusResponseBuilder(status);
    }

    /** Returns a builder initialized from this record. */
    public SessionStatusResponseBuilder toBuilder() {
        return new SessionStatusResponseBuilder(this);
    }
}
