package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import dev.acp4j.schema.codec.Tag;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field for text or, when it has {@code values} or {@code options}, for one choice from a list.
 *
 * @param title the label of the field, or null for its name
 * @param description a description of the expected input, or null if not given
 * @param minLength the minimum number of characters, or null for no bound
 * @param maxLength the maximum number of characters, or null for no bound
 * @param pattern a regular expression the text must match, or null for none
 * @param format the format of the text, or null for any
 * @param defaultValue the initial value, or null for none
 * @param values the choices, shown by value; empty if any text is allowed, or there are {@code options}
 * @param options the choices, each with a title; empty if any text is allowed, or there are {@code values}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#stringpropertyschema">Text fields</a>
 */
@Codable
@Tag("string")
@Rejecting
public record StringPropertySchema(
        @DefaultOnError @Nullable String title,
        @DefaultOnError @Nullable String description,
        @Range(max = Range.UINT32) @Nullable Long minLength,
        @Range(max = Range.UINT32) @Nullable Long maxLength,
        @Nullable String pattern,
        @Nullable StringFormat format,
        @Name("default") @DefaultOnError @Nullable String defaultValue,
        @Name("enum") @OptionalMember List<String> values,
        @Name("oneOf") @OptionalMember List<EnumOption> options,
        Rest rest)
        implements ElicitationPropertySchema, Extensible {
    @Evolving
    public StringPropertySchema {
        values = List.copyOf(values);
        options = List.copyOf(options);
        Objects.requireNonNull(rest, "rest is null");
        Bounds.uint32("minLength", minLength);
        Bounds.uint32("maxLength", maxLength);
    }

    /** Returns a builder of a field for any text. */
    public static StringPropertySchemaBuilder builder() {
        return new StringPropertySchemaBuilder();
    }

    /** Returns a builder initialized from this record. */
    public StringPropertySchemaBuilder toBuilder() {
        return new StringPropertySchemaBuilder(this);
    }
}
