package dev.acp4j.schema;

import java.util.List;

/**
 * The severity of a notice. Values that begin with an underscore belong to implementations; other unknown values are
 * reserved for future versions of the protocol.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/session-notices">Session notices</a>
 */
public final class NoticeSeverity extends StringValue {
    /** Information. */
    public static final NoticeSeverity INFO = new NoticeSeverity("info");

    /** A warning that may need attention. */
    public static final NoticeSeverity WARNING = new NoticeSeverity("warning");

    /** An error. */
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
        return StringValueCodec.NOTICE_SEVERITY.known();
    }
}
