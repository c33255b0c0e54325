package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A {@link SetSessionConfigOptionRequest} as it is on the wire: the value is a member, and another beside it says how
 * to read it.
 *
 * @param sessionId the session
 * @param configId the setting
 * @param type the type of the value, or null for one from a choice
 * @param value the value
 * @param meta extension data of the implementations, empty when there is none
 */
@Codable
record SetSessionConfigOptionMembers(
        SessionId sessionId,
        SessionConfigId configId,
        @Nullable String type,
        RawJson value,
        Meta meta) {
    @Evolving
    public SetSessionConfigOptionMembers {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(configId, "configId is null");
        Objects.requireNonNull(value, "value is null");
        Objects.requireNonNull(meta, "meta is null");
    }
}
