package dev.acp4j.schema;

import java.util.Objects;

/**
 * Sets the value of a setting of a session, during a turn or outside of one.
 *
 * @param sessionId the session
 * @param configId the setting, one of those offered by the session
 * @param value the value; on the wire the member of this name, together with {@code type}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#setting-a-config-option">Setting a
 *     config option</a>
 */
public record SetSessionConfigOptionRequest(
        SessionId sessionId, SessionConfigId configId, SessionConfigOptionValue value, Rest rest)
        implements Extensible {
    @Evolving
    public SetSessionConfigOptionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(configId, "configId is null");
        Objects.requireNonNull(value, "value is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static SetSessionConfigOptionRequest of(
            SessionId sessionId, SessionConfigId configId, SessionConfigOptionValue value) {
        return new SetSessionConfigOptionRequest(sessionId, configId, value, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SetSessionConfigOptionRequest withMeta(Meta meta) {
        return new SetSessionConfigOptionRequest(sessionId, configId, value, rest.withMeta(meta));
    }
}
