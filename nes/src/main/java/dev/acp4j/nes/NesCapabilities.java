package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;

/**
 * What an agent with next edit suggestions advertises as the capability {@code nes}.
 *
 * @param events which events it receives
 * @param context which context it uses
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record NesCapabilities(
        @DefaultTo("NONE") @DefaultOnError Events events,
        @DefaultTo("NONE") @DefaultOnError ContextKinds context,
        Rest rest)
        implements Extensible {
    public NesCapabilities {
        Objects.requireNonNull(events, "events is null");
        Objects.requireNonNull(context, "context is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these events and this context. */
    public static NesCapabilities of(DocumentEvents events, ContextKinds context) {
        return new NesCapabilities(Events.of(events), context, Rest.NONE);
    }

    /**
     * Which events an agent receives.
     *
     * @param document those of documents
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record Events(@DefaultTo("NONE") @DefaultOnError DocumentEvents document, Rest rest) implements Extensible {
        /** No events. */
        public static final Events NONE = new Events(DocumentEvents.NONE, Rest.NONE);

        public Events {
            Objects.requireNonNull(document, "document is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the events of documents. */
        public static Events of(DocumentEvents document) {
            return new Events(document, Rest.NONE);
        }
    }
}
