package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The session extensions that a client supports.
 *
 * @param compaction present if it supports {@link CompactionUpdate} and {@link CompactionSummaryChunk}; null if these
 *     must not be sent
 * @param configOptions the types of settings it supports in addition to choices, or null for none
 * @param notices present if it shows {@link Notice}; null if these must not be sent
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#clientsessioncapabilities">Client session
 *     capabilities</a>
 */
@Codable
public record ClientSessionCapabilities(
        @DefaultOnError @Nullable CompactionCapabilities compaction,
        @DefaultOnError @Nullable SessionConfigOptionsCapabilities configOptions,
        @DefaultOnError @Nullable NoticeCapabilities notices,
        Rest rest)
        implements Extensible {
    @Evolving
    public ClientSessionCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static ClientSessionCapabilitiesBuilder builder() {
        return new ClientSessionCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public ClientSessionCapabilitiesBuilder toBuilder() {
        return new ClientSessionCapabilitiesBuilder(this);
    }
}
