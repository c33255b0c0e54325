package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a client can do with a terminal of the agent.
 *
 * @param cancel present if the client may cancel it, else null
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#cancelling-terminals">Cancelling terminals</a>
 */
@Codable
@In(2)
@Unstable
public record TerminalCapabilities(@DefaultOnError @Nullable TerminalCancelCapabilities cancel, Rest rest)
        implements Extensible {
    @Evolving
    public TerminalCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of an instance without capabilities. */
    public static TerminalCapabilitiesBuilder builder() {
        return new TerminalCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public TerminalCapabilitiesBuilder toBuilder() {
        return new TerminalCapabilitiesBuilder(this);
    }
}
