package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field for a whole number.
 *
 * @param title what to call the field, or null for its name
 * @param description what to fill in, or null when it does not say
 * @param minimum the least number, itself allowed, or null for no bound
 * @param maximum the greatest number, itself allowed, or null for no bound
 * @param defaultValue what is filled in at first, or null for nothing
 * @param rest extension data, and members that are not known here
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

    /** Starts a field for any whole number. */
    public static IntegerPropertySchemaBuilder builder() {
        return new IntegerPropertySchemaBuilder();
    }

    /** Returns a builder that starts from this. */
    public IntegerPropertySchemaBuilder toBuilder() {
        return new IntegerPropertySchemaBuilder(this);
    }
}
