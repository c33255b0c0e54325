package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * Changes as text for display.
 *
 * @param format the format of the text
 * @param text the text
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record DiffPatch(DiffPatchFormat format, String text, Rest rest) implements Extensible {
    @Evolving
    public DiffPatch {
        Objects.requireNonNull(format, "format is null");
        Objects.requireNonNull(text, "text is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static DiffPatch of(DiffPatchFormat format, String text) {
        return new DiffPatch(format, text, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public DiffPatch withMeta(Meta meta) {
        return new DiffPatch(format, text, rest.withMeta(meta));
    }
}
