package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens a connection: says which version of the protocol the client speaks and what it can do.
 *
 * @param protocolVersion the newest version the client speaks, from 0 to 65535
 * @param clientCapabilities what the client can do; what is left out it cannot
 * @param clientInfo which program the client is, or null when it does not say; it should
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization">Initialization</a>
 */
@Codable
public record InitializeRequest(
        @Range(max = Range.UINT16) int protocolVersion,
        @DefaultTo("NONE") @DefaultOnError ClientCapabilities clientCapabilities,
        @DefaultOnError @Nullable Implementation clientInfo,
        Rest rest)
        implements Extensible {
    @Evolving
    public InitializeRequest {
        Objects.requireNonNull(clientCapabilities, "clientCapabilities is null");
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
