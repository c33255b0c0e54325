package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/** The type of file at the path of a change. */
@In(2)
@Unstable
public final class DiffFileType extends StringValue {
    /** Text. */
    public static final DiffFileType TEXT = new DiffFileType("text");

    /** Bytes. */
    public static final DiffFileType BINARY = new DiffFileType("binary");

    /** A folder. */
    public static final DiffFileType DIRECTORY = new DiffFileType("directory");

    /** A symbolic link. */
    public static final DiffFileType SYMLINK = new DiffFileType("symlink");

    private DiffFileType(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static DiffFileType of(String value) {
        return new DiffFileType(value);
    }

    /** Returns the constants. */
    public static List<DiffFileType> known() {
        return StringValueCodec.DIFF_FILE_TYPE.known();
    }
}
