package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Tag;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A field for text or, when it has {@code values} or {@code options}, for one choice from a list.
 *
 * @param title what to call the field, or null for its name
 * @param description what to fill in, or null when it does not say
 * @param minLength the least number of characters, or null for no bound
 * @param maxLength the greatest number of characters, or null for no bound
 * @param pattern a regular expression the text has to match, or null for none
 * @param format what sort of text it is, or null for any
 * @param defaultValue what is filled in at first, or null for nothing
 * @param values the choices, to be shown as they are; empty when any text will do, or there are {@code options}
 * @param options the choices, each with a title; empty when any text will do, or there are {@code values}
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#stringpropertyschema">Text fields</a>
 */
@Codable
@Tag("string")
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

    /** Starts a field for any text. */
    public static StringPropertySchemaBuilder builder() {
        return new StringPropertySchemaBuilder();
    }

    /** Returns a builder that starts from this. */
    public StringPropertySchemaBuilder toBuilder() {
        return new StringPropertySchemaBuilder(this);
    }
}
