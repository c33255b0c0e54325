package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;

/**
 * The state of authentication.
 *
 * @param state whether the user has to sign in
 * @param accounts the accounts, to show to the user
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record AuthStatusResponse(
        AuthState state,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<AuthAccount> accounts,
        Rest rest) implements Extensible {
    @Evolving
    public AuthStatusResponse {
        Objects.requireNonNull(state, "state is null");
        accounts = List.copyOf(accounts);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static AuthStatusResponseBuilder builder(AuthState state) {
        return new AuthStatusResponseBuilder(state);
    }

    /** Returns a builder initialized from this record. */
    public AuthStatusResponseBuilder toBuilder() {
        return new AuthStatusResponseBuilder(this);
    }
}
