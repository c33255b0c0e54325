package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Tagged;
import java.util.Objects;

/**
 * A field of a form: what may be filled in, and how to present it.
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
     * A field of a type that this version of the library does not know. It must not be shown as one of the others.
     *
     * @param type the type it says it is of
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String type, RawJson raw) implements ElicitationPropertySchema {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
