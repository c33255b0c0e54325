package dev.acp4j.schema;

import java.util.List;

/**
 * The type that the schema of a form declares for the form as a whole, which is always {@link #OBJECT}.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationschematype">Elicitation</a>
 */
public final class ElicitationSchemaType extends StringValue {
    /** A JSON object, one member for each field of the form. */
    public static final ElicitationSchemaType OBJECT = new ElicitationSchemaType("object");

    private ElicitationSchemaType(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static ElicitationSchemaType of(String value) {
        return new ElicitationSchemaType(value);
    }

    /** Returns the constants. */
    public static List<ElicitationSchemaType> known() {
        return StringValueCodec.ELICITATION_SCHEMA_TYPE.known();
    }
}
