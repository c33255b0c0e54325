package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which kinds of suggestions a client takes beside {@link Suggestion.Edit}, which all take. It advertises them as the
 * capability {@code nes}.
 *
 * @param jump present for {@link Suggestion.Jump}
 * @param rename present for {@link Suggestion.Rename}
 * @param searchAndReplace present for {@link Suggestion.SearchAndReplace}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record SuggestionKinds(
        @DefaultOnError @Nullable Supported jump,
        @DefaultOnError @Nullable Supported rename,
        @DefaultOnError @Nullable Supported searchAndReplace,
        Rest rest)
        implements Extensible {
    /** Edits only. */
    public static final SuggestionKinds EDITS = new SuggestionKinds(null, null, null, Rest.NONE);

    /** All kinds. */
    public static final SuggestionKinds ALL =
            new SuggestionKinds(Supported.of(), Supported.of(), Supported.of(), Rest.NONE);

    public SuggestionKinds {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of edits only. */
    public static SuggestionKindsBuilder builder() {
        return new SuggestionKindsBuilder();
    }

    /** Returns a builder initialized from this record. */
    public SuggestionKindsBuilder toBuilder() {
        return new SuggestionKindsBuilder(this);
    }

    /**
     * Returns whether a suggestion is of one of these kinds; one of an unknown kind is if there is a member of its
     * name.
     */
    public boolean include(Suggestion suggestion) {
        return switch (suggestion) {
            case Suggestion.Edit edit -> true;
            case Suggestion.Jump to -> jump != null;
            case Suggestion.Rename symbol -> rename != null;
            case Suggestion.SearchAndReplace all -> searchAndReplace != null;
            case Suggestion.Unknown unknown -> rest.get(unknown.kind()).isPresent();
        };
    }
}
