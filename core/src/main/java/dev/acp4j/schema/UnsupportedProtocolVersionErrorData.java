package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import java.util.List;
import java.util.Objects;

/**
 * The data of the error {@link ErrorCode#UNSUPPORTED_PROTOCOL_VERSION}.
 *
 * @param requested the version that the client requested, from 0 to 65,535
 * @param supported the versions that the agent supports, each from 0 to 65,535
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/initialization#version-negotiation">Version negotiation</a>
 */
@Codable
@In(2)
@Unstable
@Rejecting
public record UnsupportedProtocolVersionErrorData(
        @Range(max = Range.UINT16) int requested,
        @Range(max = Range.UINT16) List<Integer> supported,
        Rest rest) implements Extensible {
    @Evolving
    public UnsupportedProtocolVersionErrorData {
        Bounds.uint16("requested", requested);
        supported = List.copyOf(supported);
        for (int version : supported) {
            Bounds.uint16("supported", version);
        }
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the data with these members. */
    public static UnsupportedProtocolVersionErrorData of(int requested, List<Integer> supported) {
        return new UnsupportedProtocolVersionErrorData(requested, supported, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public UnsupportedProtocolVersionErrorData withMeta(Meta meta) {
        return new UnsupportedProtocolVersionErrorData(requested, supported, rest.withMeta(meta));
    }
}
