package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Confirms the new title.
 *
 * @param title the title as the agent has stored it
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SetSessionTitleResponse(String title, Rest rest) implements Extensible {
    @Evolving
    public SetSessionTitleResponse {
        Objects.requireNonNull(title, "title is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static SetSessionTitleResponse of(String title) {
        return new SetSessionTitleResponse(title, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SetSessionTitleResponse withMeta(Meta meta) {
        return new SetSessionTitleResponse(title, rest.withMeta(meta));
    }
}
