package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import dev.acp4j.schema.codec.Required;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives the protocol version of the connection and the capabilities of the agent.
 *
 * @param protocolVersion the version the client requested or, if the agent does not support it, the newest that it
 *     supports; from 0 to 65535. A client that does not support it closes the connection
 * @param agentCapabilities the capabilities of the agent
 * @param authMethods the ways of authentication, none if authentication is not needed
 * @param agentInfo the program of the agent; should be given, may be null
 * @param capabilities the capabilities of the agent in version 2
 * @param info the program of the agent, or null in version 1
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#version-negotiation">Version negotiation</a>
 */
@Codable
@Rejecting
public record InitializeResponse(
        @Range(max = Range.UINT16) int protocolVersion,
        @In(1) @DefaultTo("NONE") @DefaultOnError AgentCapabilities agentCapabilities,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<AuthMethod> authMethods,
        @In(1) @DefaultOnError @Nullable Implementation agentInfo,
        @Unstable @In(2) @DefaultTo("NONE") @DefaultOnError AgentCapabilitiesV2 capabilities,
        @Unstable @In(2) @Required(2) @Nullable Implementation info,
        Rest rest)
        implements Extensible {
    @Evolving
    @Unstable
    public InitializeResponse {
        Objects.requireNonNull(agentCapabilities, "agentCapabilities is null");
        authMethods = List.copyOf(authMethods);
        Objects.requireNonNull(capabilities, "capabilities is null");
        Objects.requireNonNull(rest, "rest is null");
        Bounds.uint16("protocolVersion", protocolVersion);
    }

    /** Returns a builder with the required members. */
    public static InitializeResponseBuilder builder(int protocolVersion) {
        return new InitializeResponseBuilder(protocolVersion);
    }

    /** Returns a builder initialized from this record. */
    public InitializeResponseBuilder toBuilder() {
        return new InitializeResponseBuilder(this);
    }
}
