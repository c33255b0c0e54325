package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import java.util.Objects;

/**
 * The size of a terminal in character cells.
 *
 * @param cols the number of columns, from 1 to 65,535
 * @param rows the number of rows, from 1 to 65,535
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#content">Content</a>
 */
@Codable
@In(2)
@Unstable
@Rejecting
public record TerminalSize(
        @Range(min = 1, max = Range.UINT16) int cols,
        @Range(min = 1, max = Range.UINT16) int rows,
        Rest rest) implements Extensible {
    @Evolving
    public TerminalSize {
        Bounds.positiveUint16("cols", cols);
        Bounds.positiveUint16("rows", rows);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the size with these members. */
    public static TerminalSize of(int cols, int rows) {
        return new TerminalSize(cols, rows, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public TerminalSize withMeta(Meta meta) {
        return new TerminalSize(cols, rows, rest.withMeta(meta));
    }
}
