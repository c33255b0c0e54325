package dev.acp4j.schema;

import java.util.List;

/**
 * The format of text in a field of a form.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#stringformat">String formats</a>
 */
public final class StringFormat extends StringValue {
    /** An e-mail address. */
    public static final StringFormat EMAIL = new StringFormat("email");

    /** A URI. */
    public static final StringFormat URI = new StringFormat("uri");

    /** A date, such as {@code 2026-11-20}. */
    public static final StringFormat DATE = new StringFormat("date");

    /** A date and time in ISO 8601 form. */
    public static final StringFormat DATE_TIME = new StringFormat("date-time");

    private StringFormat(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static StringFormat of(String value) {
        return new StringFormat(value);
    }

    /** Returns the constants. */
    public static List<StringFormat> known() {
        return StringValueCodec.STRING_FORMAT.known();
    }
}
