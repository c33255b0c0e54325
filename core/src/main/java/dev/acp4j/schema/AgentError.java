package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The error that stopped an agent, in the form of a JSON-RPC error.
 *
 * @param code the error code, see {@link ErrorCode}
 * @param message the error as a sentence
 * @param data details, any JSON, or null if there is none
 * @param rest extension data and unknown members
 */
@Codable
@Draft(1)
@Unstable
public record AgentError(
        int code, String message, @DefaultOnError @Nullable RawJson data, Rest rest) implements Extensible {
    @Evolving
    public AgentError {
        Objects.requireNonNull(message, "message is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static AgentErrorBuilder builder(int code, String message) {
        return new AgentErrorBuilder(code, message);
    }

    /** Returns a builder initialized from this record. */
    public AgentErrorBuilder toBuilder() {
        return new AgentErrorBuilder(this);
    }
}
