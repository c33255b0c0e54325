package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A change of a document: of a range, or of the whole. Several changes of one event apply one after another.
 *
 * @param range what is replaced, or null for the whole document
 * @param text the new text
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record ContentChange(@Nullable Range range, String text, Rest rest) implements Extensible {
    public ContentChange {
        Objects.requireNonNull(text, "text is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the replacement of a range. */
    public static ContentChange of(Range range, String text) {
        return new ContentChange(range, text, Rest.NONE);
    }

    /** Returns the replacement of the whole document. */
    public static ContentChange whole(String text) {
        return new ContentChange(null, text, Rest.NONE);
    }
}
