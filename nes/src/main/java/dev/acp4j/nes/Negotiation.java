package dev.acp4j.nes;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.ListCodec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The capabilities of both sides. A malformed one counts as absent. */
final class Negotiation {
    static final String NES = "nes";
    static final String ENCODINGS = "positionEncodings";
    static final String ENCODING = "positionEncoding";

    static final Codec<List<PositionEncoding>> LIST = ListCodec.of(StringValueCodec.POSITION_ENCODING);

    private Negotiation() {}

    /** Returns the first encoding of a client's list that we know, and that is each of the constants; null if none. */
    static @Nullable PositionEncoding chosen(@Nullable RawJson encodings) {
        List<PositionEncoding> offered = read(encodings, LIST);
        if (offered != null) {
            for (PositionEncoding encoding : offered) {
                if (PositionEncoding.known().contains(encoding)) {
                    return encoding;
                }
            }
        }
        return null;
    }

    static <T> @Nullable T read(@Nullable RawJson value, Codec<T> codec) {
        try {
            return value == null ? null : value.decode(codec);
        } catch (JsonException e) {
            return null;
        }
    }
}
