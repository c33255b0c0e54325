package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/** The background an icon is designed for. */
@In(2)
@Unstable
public final class IconTheme extends StringValue {
    /** A light background. */
    public static final IconTheme LIGHT = new IconTheme("light");

    /** A dark background. */
    public static final IconTheme DARK = new IconTheme("dark");

    private IconTheme(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static IconTheme of(String value) {
        return new IconTheme(value);
    }

    /** Returns the constants. */
    public static List<IconTheme> known() {
        return StringValueCodec.ICON_THEME.known();
    }
}
