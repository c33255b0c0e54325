package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import java.util.List;
import java.util.Objects;

/**
 * What happens to a document in the editor. An agent receives the events that it asked for with {@link DocumentEvents}.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public sealed interface DocumentEvent {
    /** Returns the session of the event. */
    SessionId sessionId();

    /** Returns the URI of the document. */
    String uri();

    /**
     * A document is open in the editor from now on.
     *
     * @param sessionId the session
     * @param uri the document
     * @param languageId its language, such as {@code java}
     * @param version its version
     * @param text its text
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    record Opened(SessionId sessionId, String uri, String languageId, long version, String text, Rest rest)
            implements DocumentEvent, Extensible {
        public Opened {
            Objects.requireNonNull(sessionId, "sessionId is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(languageId, "languageId is null");
            Objects.requireNonNull(text, "text is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the event with these members. */
        public static Opened of(SessionId sessionId, String uri, String languageId, long version, String text) {
            return new Opened(sessionId, uri, languageId, version, text, Rest.NONE);
        }
    }

    /**
     * A document was changed.
     *
     * @param sessionId the session
     * @param uri the document
     * @param version its version after the changes
     * @param contentChanges the changes, which apply one after another
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    record Changed(SessionId sessionId, String uri, long version, List<ContentChange> contentChanges, Rest rest)
            implements DocumentEvent, Extensible {
        public Changed {
            Objects.requireNonNull(sessionId, "sessionId is null");
            Objects.requireNonNull(uri, "uri is null");
            contentChanges = List.copyOf(contentChanges);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the event with these members. */
        public static Changed of(SessionId sessionId, String uri, long version, List<ContentChange> contentChanges) {
            return new Changed(sessionId, uri, version, contentChanges, Rest.NONE);
        }
    }

    /**
     * A document is not open any more.
     *
     * @param sessionId the session
     * @param uri the document
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    record Closed(SessionId sessionId, String uri, Rest rest) implements DocumentEvent, Extensible {
        public Closed {
            Objects.requireNonNull(sessionId, "sessionId is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the event with these members. */
        public static Closed of(SessionId sessionId, String uri) {
            return new Closed(sessionId, uri, Rest.NONE);
        }
    }

    /**
     * A document was saved.
     *
     * @param sessionId the session
     * @param uri the document
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    record Saved(SessionId sessionId, String uri, Rest rest) implements DocumentEvent, Extensible {
        public Saved {
            Objects.requireNonNull(sessionId, "sessionId is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the event with these members. */
        public static Saved of(SessionId sessionId, String uri) {
            return new Saved(sessionId, uri, Rest.NONE);
        }
    }

    /**
     * The user switched to a document.
     *
     * @param sessionId the session
     * @param uri the document
     * @param version its version
     * @param position the cursor
     * @param visibleRange what of it can be seen
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    record Focused(SessionId sessionId, String uri, long version, Position position, Range visibleRange, Rest rest)
            implements DocumentEvent, Extensible {
        public Focused {
            Objects.requireNonNull(sessionId, "sessionId is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(position, "position is null");
            Objects.requireNonNull(visibleRange, "visibleRange is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the event with these members. */
        public static Focused of(SessionId sessionId, String uri, long version, Position position, Range visibleRange) {
            return new Focused(sessionId, uri, version, position, visibleRange, Rest.NONE);
        }
    }
}
