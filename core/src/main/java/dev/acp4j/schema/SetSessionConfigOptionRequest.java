package dev.acp4j.schema;

import java.util.Objects;

/**
 * Asks the agent to give a setting of a session another value, at work or not.
 *
 * @param sessionId the session
 * @param configId the setting, one of those that the session offers
 * @param value the value; on the wire the member of this name, and {@code type} beside it
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public SetSessionConfigOptionRequest withMeta(Meta meta) {
        return new SetSessionConfigOptionRequest(sessionId, configId, value, rest.withMeta(meta));
    }
}
