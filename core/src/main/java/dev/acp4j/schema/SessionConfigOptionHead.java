package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * What settings of all types have in common, read from one of a type that is not known.
 *
 * @param id names the setting
 * @param name what to call it
 * @param description what it does, or null
 * @param category what it is about, or null
 */
@Codable
record SessionConfigOptionHead(
        SessionConfigId id,
        String name,
        @DefaultOnError @Nullable String description,
        @DefaultOnError @Nullable SessionConfigOptionCategory category) {
    /** Reads the common members of a setting. */
    static SessionConfigOptionHead of(RawJson setting) {
        return setting.decode(SessionConfigOptionHeadCodec.INSTANCE);
    }
}
