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
 * An icon.
 *
 * @param src its address, an {@code https:} or {@code data:} URI
 * @param mimeType the type of the picture, or null if not given
 * @param sizes the sizes it can be shown in, such as {@code 48x48} or {@code any}
 * @param theme the background it is designed for, or null for any
 * @param rest extension data and unknown members
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

    /** Returns a builder with the required members. */
    public static IconBuilder builder(String src) {
        return new IconBuilder(src);
    }

    /** Returns a builder initialized from this record. */
    public IconBuilder toBuilder() {
        return new IconBuilder(this);
    }
}
