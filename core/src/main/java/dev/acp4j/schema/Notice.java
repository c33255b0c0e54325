package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Rejecting;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message to show to the user now. It is not part of the conversation, is not replayed when the session is loaded,
 * and may go unseen. Only for clients with {@link ClientSessionCapabilities#notices()}.
 *
 * @param severity how prominently to show it
 * @param title the message, plain text that is meaningful by itself, not empty
 * @param description details or the next step, plain text, or null for none
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/session-notices">Session notices</a>
 */
@Codable
@Tag("notice")
@Rejecting
public record Notice(
        NoticeSeverity severity,
        String title,
        @DefaultOnError @Nullable String description,
        Rest rest) implements SessionUpdate, Extensible {
    @Evolving
    public Notice {
        Objects.requireNonNull(severity, "severity is null");
        Objects.requireNonNull(title, "title is null");
        Objects.requireNonNull(rest, "rest is null");
        if (title.isEmpty()) {
            throw new IllegalArgumentException("title: expected a text that is not empty");
        }
    }

    /** Returns a builder with the required members. */
    public static NoticeBuilder builder(NoticeSeverity severity, String title) {
        return new NoticeBuilder(severity, title);
    }

    /** Returns a builder initialized from this record. */
    public NoticeBuilder toBuilder() {
        return new NoticeBuilder(this);
    }
}
