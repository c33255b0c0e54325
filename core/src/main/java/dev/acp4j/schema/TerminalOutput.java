package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Base64;
import java.util.Objects;

/**
 * The whole output of a terminal, replacing the previous one.
 *
 * @param data the bytes of the output, in Base64
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#content">Content</a>
 */
@Codable
@In(2)
@Unstable
public record TerminalOutput(String data, Rest rest) implements Extensible {
    @Evolving
    public TerminalOutput {
        Objects.requireNonNull(data, "data is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the output with these bytes. */
    public static TerminalOutput of(byte[] bytes) {
        return new TerminalOutput(Base64.getEncoder().encodeToString(bytes), Rest.NONE);
    }

    /**
     * Returns the bytes.
     *
     * @throws IllegalArgumentException if {@code data} is not Base64
     */
    public byte[] bytes() {
        return Base64.getDecoder().decode(data);
    }

    /** Returns a copy with other extension data. */
    public TerminalOutput withMeta(Meta meta) {
        return new TerminalOutput(data, rest.withMeta(meta));
    }
}
