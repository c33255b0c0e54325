package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A choice with a title.
 *
 * @param value what is filled in when it is chosen
 * @param title what to call it in front of a user
 * @param description what it means, or null when it does not say
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#enumoption">Choices</a>
 */
@Codable
public record EnumOption(
        @Name("const") String value,
        String title,
        @DefaultOnError @Nullable String description,
        Rest rest) implements Extensible {
    @Evolving
    public EnumOption {
        Objects.requireNonNull(value, "value is null");
        Objects.requireNonNull(title, "title is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts a choice with the members it must have. */
    public static EnumOptionBuilder builder(String value, String title) {
        return new EnumOptionBuilder(value, title);
    }

    /** Returns a choice without a description. */
    public static EnumOption of(String value, String title) {
        return new EnumOption(value, title, null, Rest.NONE);
    }

    /** Returns a builder that starts from this. */
    public EnumOptionBuilder toBuilder() {
        return new EnumOptionBuilder(this);
    }
}
