package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Together;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens a connection: says which version of the protocol the client speaks and what it can do. One object has the
 * members of both versions, as the version is not known yet.
 *
 * @param protocolVersion the newest version the client speaks, from 0 to 65535
 * @param clientCapabilities what the client can do; what is left out it cannot
 * @param clientInfo which program the client is, or null when it does not say; it should
 * @param capabilities what the client can do in version 2; what is left out it cannot
 * @param info which program the client is, for version 2, or null when it does not speak that
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization">Initialization</a>
 */
@Codable
@Together
public record InitializeRequest(
        @Range(max = Range.UINT16) int protocolVersion,
        @In(1) @DefaultTo("NONE") @DefaultOnError ClientCapabilities clientCapabilities,
        @In(1) @DefaultOnError @Nullable Implementation clientInfo,
        @Unstable @In(2) @DefaultTo("NONE") @DefaultOnError ClientCapabilitiesV2 capabilities,
        @Unstable @In(2) @DefaultOnError @Nullable Implementation info,
        Rest rest)
        implements Extensible {
    @Evolving
    @Unstable
    public InitializeRequest {
        Objects.requireNonNull(clientCapabilities, "clientCapabilities is null");
        Objects.requireNonNull(capabilities, "capabilities is null");
        Objects.requireNonNull(rest, "rest is null");
        Bounds.uint16("protocolVersion", protocolVersion);
    }

    /** Starts a request with the members it must have. */
    public static InitializeRequestBuilder builder(int protocolVersion) {
        return new InitializeRequestBuilder(protocolVersion);
    }

    /** Returns a builder that starts from this. */
    public InitializeRequestBuilder toBuilder() {
        return new InitializeRequestBuilder(this);
    }
}
