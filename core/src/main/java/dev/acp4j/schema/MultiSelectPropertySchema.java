package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field for any number of choices from a list.
 *
 * @param title the label of the field, or null for its name
 * @param description a description of the expected input, or null if not given
 * @param minItems the minimum number of choices, or null for no bound
 * @param maxItems the maximum number of choices, or null for no bound
 * @param items the choices
 * @param defaultValue the initial choices
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#multiselectpropertyschema">Choices</a>
 */
@Codable
@Tag("array")
@Rejecting
public record MultiSelectPropertySchema(
        @DefaultOnError @Nullable String title,
        @DefaultOnError @Nullable String description,
        @Range @Nullable Long minItems,
        @Range @Nullable Long maxItems,
        MultiSelectItems items,

        @Name("default") @OptionalMember @DefaultOnError @SkipInvalidItems
        List<String> defaultValue,

        Rest rest)
        implements ElicitationPropertySchema, Extensible {
    @Evolving
    public MultiSelectPropertySchema {
        Objects.requireNonNull(items, "items is null");
        defaultValue = List.copyOf(defaultValue);
        Objects.requireNonNull(rest, "rest is null");
        Bounds.unsigned("minItems", minItems);
        Bounds.unsigned("maxItems", maxItems);
    }

    /** Returns a builder of a field with these choices. */
    public static MultiSelectPropertySchemaBuilder builder(MultiSelectItems items) {
        return new MultiSelectPropertySchemaBuilder(items);
    }

    /** Returns a builder initialized from this record. */
    public MultiSelectPropertySchemaBuilder toBuilder() {
        return new MultiSelectPropertySchemaBuilder(this);
    }
}
