package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of a client beyond those of all clients.
 *
 * @param fs the methods for text files it has
 * @param terminal whether it has all the {@code terminal} methods
 * @param session the session extensions it supports, or null for none
 * @param auth the ways of authentication it supports
 * @param elicitation how it can ask its user, or null if it cannot
 * @param subagents present if it supports {@link SubagentUpdate}, else null; a draft
 * @param plan present if it supports {@link SessionUpdate.PlanUpdate}, else null; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities">Client capabilities</a>
 */
@Codable
public record ClientCapabilities(
        @DefaultTo("NONE") @DefaultOnError FileSystemCapabilities fs,
        @DefaultTo("false") @DefaultOnError boolean terminal,
        @DefaultOnError @Nullable ClientSessionCapabilities session,
        @DefaultTo("NONE") @DefaultOnError AuthCapabilities auth,
        @DefaultOnError @Nullable ElicitationCapabilities elicitation,
        @Unstable @Draft @DefaultOnError @Nullable SubagentCapabilities subagents,
        @Unstable @Draft @DefaultOnError @Nullable PlanCapabilities plan,
        Rest rest)
        implements Extensible {
    /** The capabilities of all clients. */
    public static final ClientCapabilities NONE = new ClientCapabilities(
            FileSystemCapabilities.NONE, false, null, AuthCapabilities.NONE, null, null, null, Rest.NONE);

    @Evolving
    @Unstable
    public ClientCapabilities {
        Objects.requireNonNull(fs, "fs is null");
        Objects.requireNonNull(auth, "auth is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static ClientCapabilitiesBuilder builder() {
        return new ClientCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public ClientCapabilitiesBuilder toBuilder() {
        return new ClientCapabilitiesBuilder(this);
    }
}
