package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One of the values of a setting.
 *
 * @param value the id of the value
 * @param name the name to show to users
 * @param description a description, or null if not given
 * @param rest extension data and unknown members
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

    /** Returns a builder with the required members. */
    public static SessionConfigSelectOptionBuilder builder(SessionConfigValueId value, String name) {
        return new SessionConfigSelectOptionBuilder(value, name);
    }

    /** Returns a value without a description. */
    public static SessionConfigSelectOption of(SessionConfigValueId value, String name) {
        return new SessionConfigSelectOption(value, name, null, Rest.NONE);
    }

    /** Returns a builder initialized from this record. */
    public SessionConfigSelectOptionBuilder toBuilder() {
        return new SessionConfigSelectOptionBuilder(this);
    }
}
