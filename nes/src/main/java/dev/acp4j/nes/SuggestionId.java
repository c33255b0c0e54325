package dev.acp4j.nes;

import dev.acp4j.schema.StringValue;
import dev.acp4j.schema.Unstable;

/**
 * Identifies a suggestion, so that the client can say what became of it. The agent chooses it.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class SuggestionId extends StringValue {
    private SuggestionId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static SuggestionId of(String value) {
        return new SuggestionId(value);
    }
}
