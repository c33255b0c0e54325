package dev.acp4j.schema;

import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import org.jspecify.annotations.Nullable;

/**
 * The common members of settings of all types, read from a setting of an unknown type.
 *
 * @param id the id of the setting
 * @param name what to call it
 * @param description a description, or null
 * @param category the category, or null
 */
@Codable
record SessionConfigOptionHead(
        @Name(v2 = "configId") SessionConfigId id,
        String name,
        @DefaultOnError @Nullable String description,
        @DefaultOnError @Nullable SessionConfigOptionCategory category) {
    /** The name of the id in version 2. */
    private static final Names IDS = Names.of("configId");

    /** Reads the common members of a setting. */
    static SessionConfigOptionHead of(RawJson setting) {
        boolean second = Shape.of(setting.reader(), IDS) == 0;
        return setting.decode(second ? SessionConfigOptionHeadCodec.V2 : SessionConfigOptionHeadCodec.INSTANCE);
    }
}
