package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The client may cancel the terminal.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#cancelling-terminals">Cancelling terminals</a>
 */
@Codable
@In(2)
@Unstable
public record TerminalCancelCapabilities(Rest rest) implements Extensible {
    @Evolving
    public TerminalCancelCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static TerminalCancelCapabilities of() {
        return new TerminalCancelCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public TerminalCancelCapabilities withMeta(Meta meta) {
        return new TerminalCancelCapabilities(rest.withMeta(meta));
    }
}
