package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import dev.acp4j.schema.codec.Together;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Initializes a connection: gives the protocol version and the capabilities of the client. One object has the members
 * of both versions, because the version is not known yet.
 *
 * @param protocolVersion the newest version the client supports, from 0 to 65535
 * @param clientCapabilities the capabilities of the client
 * @param clientInfo the program of the client; should be given, may be null
 * @param capabilities the capabilities of the client in version 2
 * @param info the program of the client, for version 2, or null if it does not support that
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization">Initialization</a>
 */
@Codable
@Together
@Rejecting
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

    /** Returns a builder with the required members. */
    public static InitializeRequestBuilder builder(int protocolVersion) {
        return new InitializeRequestBuilder(protocolVersion);
    }

    /** Returns a builder initialized from this record. */
    public InitializeRequestBuilder toBuilder() {
        return new InitializeRequestBuilder(this);
    }
}
