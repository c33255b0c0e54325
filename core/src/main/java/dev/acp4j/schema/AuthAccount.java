package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An account or a credential of an agent, to show to the user. It does not identify the account.
 *
 * @param label a name that is meaningful by itself
 * @param active whether the agent uses it now, or null if not given
 * @param name the name of the user, or null if not given
 * @param email the address of the user, or null if not given
 * @param organization the name of the organization, or null if not given
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record AuthAccount(
        String label,
        @DefaultOnError @Nullable Boolean active,
        @DefaultOnError @Nullable String name,
        @DefaultOnError @Nullable String email,
        @DefaultOnError @Nullable String organization,
        Rest rest)
        implements Extensible {
    @Evolving
    public AuthAccount {
        Objects.requireNonNull(label, "label is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the label and whether it is active. The others are the user's own. */
    @Override
    public String toString() {
        return "AuthAccount[label=" + label + ", active=" + active + "]";
    }

    /** Returns a builder with the required members. */
    public static AuthAccountBuilder builder(String label) {
        return new AuthAccountBuilder(label);
    }

    /** Returns a builder initialized from this record. */
    public AuthAccountBuilder toBuilder() {
        return new AuthAccountBuilder(this);
    }
}
