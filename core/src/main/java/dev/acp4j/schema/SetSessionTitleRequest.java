package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Sets the title of a session, which need not be in memory. Only for agents with {@link SessionCapabilities#title()}.
 *
 * @param sessionId the session
 * @param title the new title; the agent may change it, such as shorten it
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SetSessionTitleRequest(SessionId sessionId, String title, Rest rest) implements Extensible {
    @Evolving
    public SetSessionTitleRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(title, "title is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static SetSessionTitleRequest of(SessionId sessionId, String title) {
        return new SetSessionTitleRequest(sessionId, title, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SetSessionTitleRequest withMeta(Meta meta) {
        return new SetSessionTitleRequest(sessionId, title, rest.withMeta(meta));
    }
}
