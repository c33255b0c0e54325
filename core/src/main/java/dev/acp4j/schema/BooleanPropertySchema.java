package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field for yes or no.
 *
 * @param title what to call the field, or null for its name
 * @param description what to fill in, or null when it does not say
 * @param defaultValue what is filled in at first, or null for nothing
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#booleanpropertyschema">Yes or no</a>
 */
@Codable
@Tag("boolean")
public record BooleanPropertySchema(
        @DefaultOnError @Nullable String title,
        @DefaultOnError @Nullable String description,
        @Name("default") @DefaultOnError @Nullable Boolean defaultValue,
        Rest rest)
        implements ElicitationPropertySchema, Extensible {
    @Evolving
    public BooleanPropertySchema {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts a field. */
    public static BooleanPropertySchemaBuilder builder() {
        return new BooleanPropertySchemaBuilder();
    }

    /** Returns a builder that starts from this. */
    public BooleanPropertySchemaBuilder toBuilder() {
        return new BooleanPropertySchemaBuilder(this);
    }
}
