package dev.acp4j.nes;

import dev.acp4j.schema.StringValue;
import dev.acp4j.schema.Unstable;
import java.util.List;

/**
 * The reason for a request for suggestions.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class TriggerKind extends StringValue {
    /** The user types or moves the cursor. */
    public static final TriggerKind AUTOMATIC = new TriggerKind("automatic");

    /** A diagnostic appeared near the cursor; it is in {@link SuggestContext#diagnostics()}. */
    public static final TriggerKind DIAGNOSTIC = new TriggerKind("diagnostic");

    /** The user asks for a suggestion. */
    public static final TriggerKind MANUAL = new TriggerKind("manual");

    private TriggerKind(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static TriggerKind of(String value) {
        return new TriggerKind(value);
    }

    /** Returns the constants. */
    public static List<TriggerKind> known() {
        return StringValueCodec.TRIGGER_KIND.known();
    }
}
