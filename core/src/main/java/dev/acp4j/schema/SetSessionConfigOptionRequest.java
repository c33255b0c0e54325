package dev.acp4j.schema;

import java.util.Objects;

/**
 * Asks the agent to give a setting of a session another value, at work or not.
 *
 * @param sessionId the session
 * @param configId the setting, one of those that the session offers
 * @param value the value; on the wire the member of this name, and {@code type} beside it
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#setting-a-config-option">Setting a
 *     config option</a>
 */
public record SetSessionConfigOptionRequest(
        SessionId sessionId, SessionConfigId configId, SessionConfigOptionValue value, Meta meta) {
    @Evolving
    public SetSessionConfigOptionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(configId, "configId is null");
        Objects.requireNonNull(value, "value is null");
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the request with these members. */
    public static SetSessionConfigOptionRequest of(
            SessionId sessionId, SessionConfigId configId, SessionConfigOptionValue value) {
        return new SetSessionConfigOptionRequest(sessionId, configId, value, Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public SetSessionConfigOptionRequest withMeta(Meta meta) {
        return new SetSessionConfigOptionRequest(sessionId, configId, value, meta);
    }
}
