package dev.acp4j.nes;

import dev.acp4j.schema.StringValue;
import dev.acp4j.schema.Unstable;
import java.util.List;

/**
 * What the characters of a {@link Position} are counted in.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class PositionEncoding extends StringValue {
    /** Bytes of UTF-8. */
    public static final PositionEncoding UTF_8 = new PositionEncoding("utf-8");

    /**
     * Code units of UTF-16, which are the {@code char}s of Java. All agents and clients support it, and it is the
     * default.
     */
    public static final PositionEncoding UTF_16 = new PositionEncoding("utf-16");

    /** Unicode code points. */
    public static final PositionEncoding UTF_32 = new PositionEncoding("utf-32");

    private PositionEncoding(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static PositionEncoding of(String value) {
        return new PositionEncoding(value);
    }

    /** Returns the constants. */
    public static List<PositionEncoding> known() {
        return StringValueCodec.POSITION_ENCODING.known();
    }
}
