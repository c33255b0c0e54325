package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Something to tell the user now. It is not part of the conversation, is not repeated when the session is loaded, and
 * may go unseen. Only for clients with {@link ClientSessionCapabilities#notices()}.
 *
 * @param severity how loudly to show it
 * @param title what there is to tell, plain text that makes sense alone, not empty
 * @param description more about it or what to do, plain text, or null for nothing
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/rfds/session-notices">Session notices</a>
 */
@Codable
@Tag("notice")
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

    /** Starts a notice with the members it must have. */
    public static NoticeBuilder builder(NoticeSeverity severity, String title) {
        return new NoticeBuilder(severity, title);
    }

    /** Returns a builder that starts from this. */
    public NoticeBuilder toBuilder() {
        return new NoticeBuilder(this);
    }
}
