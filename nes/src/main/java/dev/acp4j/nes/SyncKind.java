package dev.acp4j.nes;

import dev.acp4j.schema.StringValue;
import dev.acp4j.schema.Unstable;
import java.util.List;

/**
 * How an agent wants to receive the changes of a document.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class SyncKind extends StringValue {
    /** The whole text after each change. */
    public static final SyncKind FULL = new SyncKind("full");

    /** The ranges that changed. */
    public static final SyncKind INCREMENTAL = new SyncKind("incremental");

    private SyncKind(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static SyncKind of(String value) {
        return new SyncKind(value);
    }

    /** Returns the constants. */
    public static List<SyncKind> known() {
        return StringValueCodec.SYNC_KIND.known();
    }
}
