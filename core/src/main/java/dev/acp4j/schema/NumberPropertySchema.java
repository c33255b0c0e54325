package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.Rejecting;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field for a number.
 *
 * @param title the label of the field, or null for its name
 * @param description a description of the expected input, or null if not given
 * @param minimum the minimum, inclusive, or null for no bound
 * @param maximum the maximum, inclusive, or null for no bound
 * @param defaultValue the initial value, or null for none
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#numberpropertyschema">Number fields</a>
 */
@Codable
@Tag("number")
@Rejecting
public record NumberPropertySchema(
        @DefaultOnError @Nullable String title,
        @DefaultOnError @Nullable String description,
        @Nullable Double minimum,
        @Nullable Double maximum,
        @Name("default") @DefaultOnError @Nullable Double defaultValue,
        Rest rest)
        implements ElicitationPropertySchema, Extensible {
    @Evolving
    public NumberPropertySchema {
        Objects.requireNonNull(rest, "rest is null");
        Bounds.finite("minimum", minimum);
        Bounds.finite("maximum", maximum);
        Bounds.finite("defaultValue", defaultValue);
    }

    /** Returns a builder of a field for any number. */
    public static NumberPropertySchemaBuilder builder() {
        return new NumberPropertySchemaBuilder();
    }

    /** Returns a builder initialized from this record. */
    public NumberPropertySchemaBuilder toBuilder() {
        return new NumberPropertySchemaBuilder(this);
    }
}
