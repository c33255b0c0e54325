package dev.acp4j;

import org.jspecify.annotations.Nullable;

/**
 * Whether and how the user is logged in, as an agent that offers {@link Feature#AUTH_STATUS} reports by itself. This is
 * no part of version 1 of the protocol: Codex speaks it.
 *
 * @param kind how: {@code none}, {@code account}, {@code api_key}, {@code gateway}, {@code external}; agents may add
 *     others
 * @param label how, for people, for example <em>ChatGPT Plus</em>
 * @param detail more, for people; null when there is none
 * @param email the address of the account; null when there is none
 * @param plan what the account has subscribed to, as the agent names it; null when there is none
 */
public record AuthStatus(
        String kind,
        String label,
        @Nullable String detail,
        @Nullable String email,
        @Nullable String plan) {
    /** Returns whether the user is logged in. */
    public boolean isLoggedIn() {
        return !kind.equals("none");
    }
}
