package dev.acp4j.schema;

/**
 * Identifies a mode of a session, such as {@code ask} or {@code code}. The agent chooses it.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-modes">Session modes</a>
 */
public final class SessionModeId extends StringValue {
    private SessionModeId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static SessionModeId of(String value) {
        return new SessionModeId(value);
    }
}
