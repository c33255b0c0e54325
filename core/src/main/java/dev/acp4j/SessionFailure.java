package dev.acp4j;

import dev.acp4j.schema.Meta;
import java.util.List;
import java.util.Optional;

/**
 * Why an agent could not go on, in a form that programs can act on: a limit, a lost connection, a login that has
 * expired. This is a dialect of JetBrains, which Codex speaks with clients that announce it; see
 * {@link Client.Builder#sessionFailures}. A turn that ends by one has it as {@link TurnResult#failure}; warnings while
 * a turn runs come as {@link SessionEvent.InfoChanged}, whose {@link SessionEvent#meta()} has it.
 *
 * @param id what names the failure; a later one with the same id replaces it
 * @param category {@code connection}, {@code access}, {@code limit}, {@code service}, {@code request}; agents may add
 *     others
 * @param severity {@code error}, {@code warning}, {@code info}; agents may add others
 * @param title what happened, for people
 * @param actions what the user can do about it, as agents name it: {@code login}, {@code new_session} and others
 */
public record SessionFailure(String id, String category, String severity, String title, List<String> actions) {
    /** Copies the actions. */
    public SessionFailure {
        actions = List.copyOf(actions);
    }

    /** Returns the failure that extension data has, if any. */
    public static Optional<SessionFailure> in(Meta meta) {
        return Optional.ofNullable(VendorDialect.failure(meta));
    }
}
