package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;

/**
 * A field of a form: its allowed values and its presentation.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationpropertyschema">Elicitation</a>
 */
@Codable
@Tagged("type")
public sealed interface ElicitationPropertySchema
        permits StringPropertySchema,
                NumberPropertySchema,
                IntegerPropertySchema,
                BooleanPropertySchema,
                MultiSelectPropertySchema,
                ElicitationPropertySchema.Unknown {
    /**
     * A field of a type unknown to this version of the library. It must not be shown as one of the known types.
     *
     * @param type the unknown type
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String type, RawJson raw) implements ElicitationPropertySchema {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
