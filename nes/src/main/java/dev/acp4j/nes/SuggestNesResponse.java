package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import java.util.List;
import java.util.Objects;

/**
 * The answer to a request for suggestions.
 *
 * @param suggestions the suggestions, possibly none
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record SuggestNesResponse(List<Suggestion> suggestions, Rest rest) implements Extensible {
    public SuggestNesResponse {
        suggestions = List.copyOf(suggestions);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these suggestions. */
    public static SuggestNesResponse of(List<Suggestion> suggestions) {
        return new SuggestNesResponse(suggestions, Rest.NONE);
    }
}
