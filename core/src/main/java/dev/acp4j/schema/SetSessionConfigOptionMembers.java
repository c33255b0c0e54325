package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A {@link SetSessionConfigOptionRequest} in its wire form: the value is a member, and another member gives its type.
 *
 * @param sessionId the session
 * @param configId the setting
 * @param type the type of the value, or null for one of the choices
 * @param value the value
 * @param rest extension data and unknown members
 */
@Codable
record SetSessionConfigOptionMembers(
        SessionId sessionId,
        SessionConfigId configId,
        @Nullable String type,
        RawJson value,
        Rest rest) implements Extensible {
    @Evolving
    public SetSessionConfigOptionMembers {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(configId, "configId is null");
        Objects.requireNonNull(value, "value is null");
        Objects.requireNonNull(rest, "rest is null");
    }
}
