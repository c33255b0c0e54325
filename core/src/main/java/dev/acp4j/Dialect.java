package dev.acp4j;

import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Version;
import java.util.Optional;

/** How one side speaks with a peer, in one version of the protocol: here, what the peer says of itself. */
abstract sealed class Dialect permits AgentDialect, ClientDialect {
    private final Version version;

    Dialect(Version version) {
        this.version = version;
    }

    final Version version() {
        return version;
    }

    abstract Optional<Implementation> info();

    abstract Meta meta();

    abstract boolean supports(Feature feature);

    /** Returns the capabilities that no feature stands for. */
    abstract Rest capabilities();
}
