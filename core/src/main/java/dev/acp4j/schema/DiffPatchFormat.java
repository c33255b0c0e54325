package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/** The format of a patch. */
@In(2)
@Unstable
public final class DiffPatchFormat extends StringValue {
    /** The format of Git: sections that begin with {@code diff --git}. */
    public static final DiffPatchFormat GIT_PATCH = new DiffPatchFormat("git_patch");

    private DiffPatchFormat(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static DiffPatchFormat of(String value) {
        return new DiffPatchFormat(value);
    }

    /** Returns the constants. */
    public static List<DiffPatchFormat> known() {
        return StringValueCodec.DIFF_PATCH_FORMAT.known();
    }
}
