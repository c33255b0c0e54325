package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The program of one side.
 *
 * @param name the name for programs
 * @param title the name to show to a user, or null to show {@code name}
 * @param version its version, such as {@code 1.4.0}, for people and for logs
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#implementation-information">Implementation
 *     information</a>
 */
@Codable
public record Implementation(
        String name, @DefaultOnError @Nullable String title, String version, Rest rest) implements Extensible {
    @Evolving
    public Implementation {
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(version, "version is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static ImplementationBuilder builder(String name, String version) {
        return new ImplementationBuilder(name, version);
    }

    /** Returns an implementation without a title. */
    public static Implementation of(String name, String version) {
        return new Implementation(name, null, version, Rest.NONE);
    }

    /** Returns a builder initialized from this record. */
    public ImplementationBuilder toBuilder() {
        return new ImplementationBuilder(this);
    }
}
