package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Range;
import java.util.Objects;

/**
 * A place in a document. What its characters are counted in is negotiated once for a connection: see
 * {@link PositionEncoding}, and {@link TextDocument}, which converts.
 *
 * @param line the line, counted from 0
 * @param character the place in the line, counted from 0; beyond the end of the line it means the end
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record Position(
        @Range(max = Integer.MAX_VALUE) int line,
        @Range(max = Integer.MAX_VALUE) int character,
        Rest rest) implements Extensible {
    public Position {
        Objects.requireNonNull(rest, "rest is null");
        if (line < 0 || character < 0) {
            throw new IllegalArgumentException(
                    "line and character: expected numbers from 0, got " + line + " and " + character);
        }
    }

    /** Returns the position with these numbers. */
    public static Position of(int line, int character) {
        return new Position(line, character, Rest.NONE);
    }
}
