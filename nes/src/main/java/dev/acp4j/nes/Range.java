package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * A part of a document.
 *
 * @param start where it begins
 * @param end where it ends, exclusive
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record Range(Position start, Position end, Rest rest) implements Extensible {
    public Range {
        Objects.requireNonNull(start, "start is null");
        Objects.requireNonNull(end, "end is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the range between two positions. */
    public static Range of(Position start, Position end) {
        return new Range(start, end, Rest.NONE);
    }

    /** Returns the empty range at a position. */
    public static Range at(Position position) {
        return new Range(position, position, Rest.NONE);
    }
}
