package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * Changes as text that can be shown.
 *
 * @param format how the text is written
 * @param text the text
 * @param rest extension data, and members that are not known here
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

    /** Returns one with these members. */
    public static DiffPatch of(DiffPatchFormat format, String text) {
        return new DiffPatch(format, text, Rest.NONE);
    }

    /** Returns the same with other extension data. */
    public DiffPatch withMeta(Meta meta) {
        return new DiffPatch(format, text, rest.withMeta(meta));
    }
}
