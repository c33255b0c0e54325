package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A choice with a title.
 *
 * @param value the value of the field if it is chosen
 * @param title the text to show to users
 * @param description its meaning, or null if not given
 * @param rest extension data and unknown members
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

    /** Returns a builder with the required members. */
    public static EnumOptionBuilder builder(String value, String title) {
        return new EnumOptionBuilder(value, title);
    }

    /** Returns a choice without a description. */
    public static EnumOption of(String value, String title) {
        return new EnumOption(value, title, null, Rest.NONE);
    }

    /** Returns a builder initialized from this record. */
    public EnumOptionBuilder toBuilder() {
        return new EnumOptionBuilder(this);
    }
}
