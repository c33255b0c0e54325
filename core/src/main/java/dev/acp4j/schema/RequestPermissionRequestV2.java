package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Requests permission from the user, in version 2.
 *
 * @param sessionId the session
 * @param title the question, for the user to read
 * @param description details, or null if there is none
 * @param subject the subject, or null if not given
 * @param options the options
 * @param rest extension data and unknown members
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

    /** Returns a builder with the required members. */
    public static RequestPermissionRequestV2Builder builder(
            SessionId sessionId, String title, List<PermissionOption> options) {
        return new RequestPermissionRequestV2Builder(sessionId, title, options);
    }

    /** Returns a builder initialized from this record. */
    public RequestPermissionRequestV2Builder toBuilder() {
        return new RequestPermissionRequestV2Builder(this);
    }
}
