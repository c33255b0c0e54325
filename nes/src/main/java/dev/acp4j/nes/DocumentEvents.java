package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which events of documents an agent receives. A client sends no others. The default is none.
 *
 * @param didOpen present for {@link DocumentEvent.Opened}
 * @param didChange present for {@link DocumentEvent.Changed}
 * @param didClose present for {@link DocumentEvent.Closed}
 * @param didSave present for {@link DocumentEvent.Saved}
 * @param didFocus present for {@link DocumentEvent.Focused}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record DocumentEvents(
        @DefaultOnError @Nullable Supported didOpen,
        @DefaultOnError @Nullable Changes didChange,
        @DefaultOnError @Nullable Supported didClose,
        @DefaultOnError @Nullable Supported didSave,
        @DefaultOnError @Nullable Supported didFocus,
        Rest rest)
        implements Extensible {
    /** No events. */
    public static final DocumentEvents NONE = new DocumentEvents(null, null, null, null, null, Rest.NONE);

    public DocumentEvents {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns all events, with the changes of documents in this form. */
    public static DocumentEvents all(SyncKind changes) {
        return new DocumentEvents(
                Supported.of(), Changes.of(changes), Supported.of(), Supported.of(), Supported.of(), Rest.NONE);
    }

    /** Returns a builder without any event. */
    public static DocumentEventsBuilder builder() {
        return new DocumentEventsBuilder();
    }

    /** Returns a builder initialized from this record. */
    public DocumentEventsBuilder toBuilder() {
        return new DocumentEventsBuilder(this);
    }

    /**
     * How an agent receives the changes of documents.
     *
     * @param syncKind in which form
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record Changes(SyncKind syncKind, Rest rest) implements Extensible {
        public Changes {
            Objects.requireNonNull(syncKind, "syncKind is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns changes in this form. */
        public static Changes of(SyncKind syncKind) {
            return new Changes(syncKind, Rest.NONE);
        }
    }
}
