package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field for an integer.
 *
 * @param title the label of the field, or null for its name
 * @param description a description of the expected input, or null if not given
 * @param minimum the minimum, inclusive, or null for no bound
 * @param maximum the maximum, inclusive, or null for no bound
 * @param defaultValue the initial value, or null for none
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#integerpropertyschema">Number fields</a>
 */
@Codable
@Tag("integer")
public record IntegerPropertySchema(
        @DefaultOnError @Nullable String title,
        @DefaultOnError @Nullable String description,
        @Nullable Long minimum,
        @Nullable Long maximum,
        @Name("default") @DefaultOnError @Nullable Long defaultValue,
        Rest rest)
        implements ElicitationPropertySchema, Extensible {
    @Evolving
    public IntegerPropertySchema {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of a field for any integer. */
    public static IntegerPropertySchemaBuilder builder() {
        return new IntegerPropertySchemaBuilder();
    }

    /** Returns a builder initialized from this record. */
    public IntegerPropertySchemaBuilder toBuilder() {
        return new IntegerPropertySchemaBuilder(this);
    }
}
