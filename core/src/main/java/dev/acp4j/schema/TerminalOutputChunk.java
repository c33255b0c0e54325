package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Tag;
import java.util.Base64;
import java.util.Objects;

/**
 * Bytes that a terminal of the agent has appended to its output. A chunk may end within a character.
 *
 * @param terminalId the terminal
 * @param data the appended bytes, in Base64; each chunk is encoded by itself
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#content">Content</a>
 */
@Codable
@Tag("terminal_output_chunk")
@In(2)
@Unstable
public record TerminalOutputChunk(TerminalId terminalId, String data, Rest rest) implements SessionUpdate, Extensible {
    @Evolving
    public TerminalOutputChunk {
        Objects.requireNonNull(terminalId, "terminalId is null");
        Objects.requireNonNull(data, "data is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the chunk with these bytes. */
    public static TerminalOutputChunk of(TerminalId terminalId, byte[] bytes) {
        return new TerminalOutputChunk(terminalId, Base64.getEncoder().encodeToString(bytes), Rest.NONE);
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
    public TerminalOutputChunk withMeta(Meta meta) {
        return new TerminalOutputChunk(terminalId, data, rest.withMeta(meta));
    }
}
