package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks the user whether the agent may do something, in version 2.
 *
 * @param sessionId the session
 * @param title what is asked, for the user to read
 * @param description more about it, or null when there is none
 * @param subject what it is about, or null when it does not say
 * @param options what the user can choose
 * @param rest extension data, and members that are not known here
 */
@Codable
@In(2)
@Unstable
public record RequestPermissionRequestV2(
        SessionId sessionId,
        String title,
        @DefaultOnError @Nullable String description,
        @Nullable RequestPermissionSubject subject,
        List<PermissionOption> options,
        Rest rest)
        implements Extensible {
    @Evolving
    public RequestPermissionRequestV2 {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(title, "title is null");
        options = List.copyOf(options);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts one with the members it must have. */
    public static RequestPermissionRequestV2Builder builder(
            SessionId sessionId, String title, List<PermissionOption> options) {
        return new RequestPermissionRequestV2Builder(sessionId, title, options);
    }

    /** Returns a builder that starts from this. */
    public RequestPermissionRequestV2Builder toBuilder() {
        return new RequestPermissionRequestV2Builder(this);
    }
}
