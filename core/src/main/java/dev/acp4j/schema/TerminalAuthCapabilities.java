package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The client can run a program in a terminal for its user to sign in.
 *
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record TerminalAuthCapabilities(Rest rest) implements Extensible {
    @Evolving
    public TerminalAuthCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static TerminalAuthCapabilities of() {
        return new TerminalAuthCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public TerminalAuthCapabilities withMeta(Meta meta) {
        return new TerminalAuthCapabilities(rest.withMeta(meta));
    }
}
