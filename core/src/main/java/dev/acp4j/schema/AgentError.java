package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The error that an agent stopped with, in the form of an error of JSON-RPC.
 *
 * @param code the number that says which sort of error it is, see {@link ErrorCode}
 * @param message what happened, in a sentence
 * @param data more about it, any JSON, or null when there is none
 * @param rest extension data, and members that are not known here
 */
@Codable
@In(2)
@Unstable
public record AgentError(
        int code, String message, @DefaultOnError @Nullable RawJson data, Rest rest) implements Extensible {
    @Evolving
    public AgentError {
        Objects.requireNonNull(message, "message is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts one with the members it must have. */
    public static AgentErrorBuilder builder(int code, String message) {
        return new AgentErrorBuilder(code, message);
    }

    /** Returns a builder that starts from this. */
    public AgentErrorBuilder toBuilder() {
        return new AgentErrorBuilder(this);
    }
}
