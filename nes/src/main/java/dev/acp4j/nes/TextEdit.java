package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * A replacement of a part of a document. The ranges of several edits of one suggestion refer to the document as it was
 * before all of them, and do not overlap; {@link TextDocument#edited} applies them.
 *
 * @param range what is replaced; empty to insert
 * @param newText the new text
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record TextEdit(Range range, String newText, Rest rest) implements Extensible {
    public TextEdit {
        Objects.requireNonNull(range, "range is null");
        Objects.requireNonNull(newText, "newText is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the replacement of a range. */
    public static TextEdit of(Range range, String newText) {
        return new TextEdit(range, newText, Rest.NONE);
    }
}
