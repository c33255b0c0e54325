package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.MapCodec;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Required;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a form, as a JSON Schema that is an object with simple members.
 *
 * @param type always {@link ElicitationSchemaType#OBJECT}, also if absent
 * @param title the heading, or null for none
 * @param properties the fields by name, in the order to show them
 * @param required the names of the required fields
 * @param description the purpose of the form, or null if not given
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationschema">Elicitation</a>
 */
@Codable
public record ElicitationSchema(
        @DefaultTo(value = "OBJECT", written = true) @DefaultOnError(1) @Required(2)
        ElicitationSchemaType type,

        @DefaultOnError @Nullable String title,
        @OptionalMember @Required(2) Map<String, ElicitationPropertySchema> properties,
        @OptionalMember List<String> required,
        @DefaultOnError @Nullable String description,
        Rest rest)
        implements Extensible {
    @Evolving
    public ElicitationSchema {
        Objects.requireNonNull(type, "type is null");
        properties = MapCodec.copyOf(properties);
        required = List.copyOf(required);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of a form without fields. */
    public static ElicitationSchemaBuilder builder() {
        return new ElicitationSchemaBuilder();
    }

    /** Returns a builder initialized from this record. */
    public ElicitationSchemaBuilder toBuilder() {
        return new ElicitationSchemaBuilder(this);
    }
}
