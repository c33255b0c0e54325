package dev.acp4j.schema;

import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
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
        @Name(v2 = "configId") SessionConfigId id,
        String name,
        @DefaultOnError @Nullable String description,
        @DefaultOnError @Nullable SessionConfigOptionCategory category) {
    /** What version 2 calls the id. */
    private static final Names IDS = Names.of("configId");

    /** Reads the common members of a setting. */
    static SessionConfigOptionHead of(RawJson setting) {
        boolean second = Shape.of(setting.reader(), IDS) == 0;
        return setting.decode(second ? SessionConfigOptionHeadCodecV2.INSTANCE : SessionConfigOptionHeadCodec.INSTANCE);
    }
}
