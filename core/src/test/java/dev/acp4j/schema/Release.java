package dev.acp4j.schema;

import java.util.EnumMap;
import java.util.Map;

/** The four schemas that the protocol publishes: of each version the stable one, and the one with the drafts. */
enum Release {
    V1(Version.V1, false),
    V1_DRAFTS(Version.V1, true),
    V2(Version.V2, false),
    V2_DRAFTS(Version.V2, true);

    private static final Map<Release, ProtocolSchema> READ = new EnumMap<>(Release.class);

    private final Version version;
    private final boolean drafts;

    Release(Version version, boolean drafts) {
        this.version = version;
        this.drafts = drafts;
    }

    Version version() {
        return version;
    }

    boolean hasDrafts() {
        return drafts;
    }

    /** Returns the stable release of the same version. */
    Release stable() {
        return version == Version.V1 ? V1 : V2;
    }

    /** Returns its schema, or skips the test where the specification is not at hand. */
    ProtocolSchema schema() {
        return READ.computeIfAbsent(this, ProtocolSchema::read);
    }

    /** Returns the path of its schema in the folder of the specification. */
    String path() {
        return "v" + version.number() + (drafts ? "/schema.unstable.json" : "/schema.json");
    }
}
