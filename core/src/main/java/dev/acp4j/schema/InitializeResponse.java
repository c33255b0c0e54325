package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Required;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says which version of the protocol the connection uses and what the agent can do.
 *
 * @param protocolVersion the version the client asked for or, if the agent does not speak that, the newest it does;
 *     from 0 to 65535. A client that does not speak it closes the connection
 * @param agentCapabilities what the agent can do; what is left out it cannot
 * @param authMethods the ways to authenticate, none when there is no need to
 * @param agentInfo which program the agent is, or null when it does not say; it should
 * @param capabilities what the agent can do in version 2; what is left out it cannot
 * @param info which program the agent is, or null when it speaks version 1
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#version-negotiation">Version negotiation</a>
 */
@Codable
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

    /** Starts a response with the members it must have. */
    public static InitializeResponseBuilder builder(int protocolVersion) {
        return new InitializeResponseBuilder(protocolVersion);
    }

    /** Returns a builder that starts from this. */
    public InitializeResponseBuilder toBuilder() {
        return new InitializeResponseBuilder(this);
    }
}
