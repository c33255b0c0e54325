package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A picture that stands for something.
 *
 * @param src where it is, an {@code https:} or {@code data:} URI
 * @param mimeType the type of the picture, or null when it does not say
 * @param sizes the sizes it can be shown in, such as {@code 48x48} or {@code any}
 * @param theme which background it is made for, or null for any
 * @param rest extension data, and members that are not known here
 */
@Codable
@In(2)
@Unstable
public record Icon(
        String src,
        @DefaultOnError @Nullable String mimeType,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<String> sizes,
        @DefaultOnError @Nullable IconTheme theme,
        Rest rest)
        implements Extensible {
    @Evolving
    public Icon {
        Objects.requireNonNull(src, "src is null");
        sizes = List.copyOf(sizes);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts one with the members it must have. */
    public static IconBuilder builder(String src) {
        return new IconBuilder(src);
    }

    /** Returns a builder that starts from this. */
    public IconBuilder toBuilder() {
        return new IconBuilder(this);
    }
}
