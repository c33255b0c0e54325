package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field for a number.
 *
 * @param title what to call the field, or null for its name
 * @param description what to fill in, or null when it does not say
 * @param minimum the least number, itself allowed, or null for no bound
 * @param maximum the greatest number, itself allowed, or null for no bound
 * @param defaultValue what is filled in at first, or null for nothing
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#numberpropertyschema">Number fields</a>
 */
@Codable
@Tag("number")
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

    /** Starts a field for any number. */
    public static NumberPropertySchemaBuilder builder() {
        return new NumberPropertySchemaBuilder();
    }

    /** Returns a builder that starts from this. */
    public NumberPropertySchemaBuilder toBuilder() {
        return new NumberPropertySchemaBuilder(this);
    }
}
