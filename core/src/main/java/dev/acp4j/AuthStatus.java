package dev.acp4j;

import dev.acp4j.schema.AuthAccount;
import dev.acp4j.schema.AuthState;
import dev.acp4j.schema.Unstable;
import java.util.List;
import java.util.Objects;

/**
 * Whether and how the user is logged in, as an agent that offers {@link Feature#AUTH_STATUS} says: by the draft, or as
 * Codex does in version 1, of which the members {@code kind}, {@code detail} and {@code plan} are in
 * {@link AuthAccount#rest()}.
 *
 * @param state whether sessions can be opened without a login; a program acts on this only
 * @param accounts what the agent has credentials for, to be shown and not to be logged
 */
@Unstable
public record AuthStatus(AuthState state, List<AuthAccount> accounts) {
    /** Copies the list. */
    public AuthStatus {
        Objects.requireNonNull(state, "state is null");
        accounts = List.copyOf(accounts);
    }

    /** Returns whether the user is logged in. */
    public boolean isLoggedIn() {
        return state.equals(AuthState.AUTHENTICATED);
    }
}
