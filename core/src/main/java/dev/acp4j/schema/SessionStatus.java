package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;
import java.util.List;

/** Whether an agent has a session in memory. */
@Draft
@Unstable
public final class SessionStatus extends StringValue {
    /** The agent has it in memory, for this connection or another. */
    public static final SessionStatus OPEN = new SessionStatus("open");

    /** The agent can load or resume it. Any other value means the same. */
    public static final SessionStatus SAVED = new SessionStatus("saved");

    private SessionStatus(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static SessionStatus of(String value) {
        return new SessionStatus(value);
    }

    /** Returns the constants. */
    public static List<SessionStatus> known() {
        return StringValueCodec.SESSION_STATUS.known();
    }
}
