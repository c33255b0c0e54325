package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field with a boolean value.
 *
 * @param title the label of the field, or null for its name
 * @param description a description of the expected input, or null if not given
 * @param defaultValue the initial value, or null for none
 * @param rest extension data and unknown members
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

    /** Returns a builder of a field. */
    public static BooleanPropertySchemaBuilder builder() {
        return new BooleanPropertySchemaBuilder();
    }

    /** Returns a builder initialized from this record. */
    public BooleanPropertySchemaBuilder toBuilder() {
        return new BooleanPropertySchemaBuilder(this);
    }
}
