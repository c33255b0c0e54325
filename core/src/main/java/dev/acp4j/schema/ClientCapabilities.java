package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a client can do beyond what all clients can.
 *
 * @param fs which methods for text files it has
 * @param terminal whether it has all the {@code terminal} methods
 * @param session which additions to sessions it understands, or null for none
 * @param auth which ways to authenticate it can take part in
 * @param elicitation how it can ask its user, or null when it cannot
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities">Client capabilities</a>
 */
@Codable
public record ClientCapabilities(
        @DefaultTo("NONE") @DefaultOnError FileSystemCapabilities fs,
        @DefaultTo("false") @DefaultOnError boolean terminal,
        @DefaultOnError @Nullable ClientSessionCapabilities session,
        @DefaultTo("NONE") @DefaultOnError AuthCapabilities auth,
        @DefaultOnError @Nullable ElicitationCapabilities elicitation,
        Rest rest)
        implements Extensible {
    /** A client that can do only what all clients can. */
    public static final ClientCapabilities NONE =
            new ClientCapabilities(FileSystemCapabilities.NONE, false, null, AuthCapabilities.NONE, null, Rest.NONE);

    @Evolving
    public ClientCapabilities {
        Objects.requireNonNull(fs, "fs is null");
        Objects.requireNonNull(auth, "auth is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts capabilities that promise nothing. */
    public static ClientCapabilitiesBuilder builder() {
        return new ClientCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public ClientCapabilitiesBuilder toBuilder() {
        return new ClientCapabilitiesBuilder(this);
    }
}
