package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Returns the output of a command so far.
 *
 * @param output the kept output
 * @param truncated whether the beginning has been dropped, for {@link CreateTerminalRequest#outputByteLimit()}
 * @param exitStatus how the command ended, or null while it runs
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#getting-output">Getting output</a>
 */
@Codable
public record TerminalOutputResponse(
        String output,
        boolean truncated,
        @DefaultOnError @Nullable TerminalExitStatus exitStatus,
        Rest rest) implements Extensible {
    @Evolving
    public TerminalOutputResponse {
        Objects.requireNonNull(output, "output is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static TerminalOutputResponseBuilder builder(String output, boolean truncated) {
        return new TerminalOutputResponseBuilder(output, truncated);
    }

    /** Returns a builder initialized from this record. */
    public TerminalOutputResponseBuilder toBuilder() {
        return new TerminalOutputResponseBuilder(this);
    }
}
