package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which additions to sessions a client understands.
 *
 * @param compaction there when it understands {@link CompactionUpdate} and {@link CompactionSummaryChunk}, null when
 *     those may not be sent
 * @param configOptions which sorts of settings it understands beside choices, or null for none
 * @param notices there when it shows {@link Notice}, null when that may not be sent
 * @param rest extension data, and members that are not known here
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

    /** Starts capabilities that promise nothing. */
    public static ClientSessionCapabilitiesBuilder builder() {
        return new ClientSessionCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public ClientSessionCapabilitiesBuilder toBuilder() {
        return new ClientSessionCapabilitiesBuilder(this);
    }
}
