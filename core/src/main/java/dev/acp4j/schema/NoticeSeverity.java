package dev.acp4j.schema;

import java.util.List;

/**
 * How loudly to show a notice. Values that begin with an underscore belong to implementations; others that are not
 * known here are left to future versions of the protocol.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/session-notices">Session notices</a>
 */
public final class NoticeSeverity extends StringValue {
    /** Good to know. */
    public static final NoticeSeverity INFO = new NoticeSeverity("info");

    /** Something may need attention. */
    public static final NoticeSeverity WARNING = new NoticeSeverity("warning");

    /** Something went wrong. */
    public static final NoticeSeverity ERROR = new NoticeSeverity("error");

    private NoticeSeverity(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static NoticeSeverity of(String value) {
        return new NoticeSeverity(value);
    }

    /** Returns the constants. */
    public static List<NoticeSeverity> known() {
        return NoticeSeverityCodec.known();
    }
}
