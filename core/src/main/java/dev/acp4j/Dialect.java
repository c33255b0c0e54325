package dev.acp4j;

import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Version;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** How one side speaks with a peer, in one version of the protocol: here, what the peer says of itself. */
abstract sealed class Dialect permits AgentDialect, ClientDialect {
    private final Version version;

    /** What the peer has; filled while this is made. */
    private final Set<Feature> offered = EnumSet.noneOf(Feature.class);

    Dialect(Version version) {
        this.version = version;
    }

    final Version version() {
        return version;
    }

    /** Refuses a request whose id is null, which only version 1 allows. */
    final void requireId(IncomingRequest request) {
        if (version != Version.V1 && request.id().isNull()) {
            throw RpcError.invalidRequest("\"id\" must be a string or an integer");
        }
    }

    abstract Optional<Implementation> info();

    abstract Meta meta();

    /** Notes whether the peer has a feature. For constructors. */
    final void offers(Feature feature, boolean isOffered) {
        if (isOffered) {
            offered.add(feature);
        }
    }

    final boolean supports(Feature feature) {
        return offered.contains(feature);
    }

    /** Returns the capabilities that no feature stands for. */
    abstract Rest capabilities();
}
