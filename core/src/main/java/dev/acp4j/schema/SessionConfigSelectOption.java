package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One of the values that a setting can have.
 *
 * @param value names the value, when it is chosen
 * @param name what to call it in front of a user
 * @param description what it does, or null when it does not say
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#configoptionvalue">Values of an
 *     option</a>
 */
@Codable
public record SessionConfigSelectOption(
        SessionConfigValueId value,
        String name,
        @DefaultOnError @Nullable String description,
        Rest rest) implements Extensible {
    @Evolving
    public SessionConfigSelectOption {
        Objects.requireNonNull(value, "value is null");
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts a session config select option with the members it must have. */
    public static SessionConfigSelectOptionBuilder builder(SessionConfigValueId value, String name) {
        return new SessionConfigSelectOptionBuilder(value, name);
    }

    /** Returns a value without a description. */
    public static SessionConfigSelectOption of(SessionConfigValueId value, String name) {
        return new SessionConfigSelectOption(value, name, null, Rest.NONE);
    }

    /** Returns a builder that starts from this. */
    public SessionConfigSelectOptionBuilder toBuilder() {
        return new SessionConfigSelectOptionBuilder(this);
    }
}
