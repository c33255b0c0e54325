package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Base64;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a resource consists of, sent along with it: text or bytes.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/content#embedded-resource">Embedded resource</a>
 */
public sealed interface ResourceContents {
    /** Returns contents that are text. */
    static Text text(String uri, String text) {
        return new Text(text, uri, null, Rest.NONE);
    }

    /** Returns contents that are bytes. */
    static Blob blob(String uri, byte[] bytes) {
        return new Blob(Base64.getEncoder().encodeToString(bytes), uri, null, Rest.NONE);
    }

    /**
     * A resource that is text.
     *
     * @param text the text
     * @param uri where the resource is found
     * @param mimeType the media type, such as {@code text/x-python}, or null when it is not known
     * @param rest extension data, and members that are not known here
     */
    @Codable
    record Text(
            String text,
            String uri,
            @DefaultOnError @Nullable String mimeType,
            Rest rest) implements ResourceContents, Extensible {
        @Evolving
        public Text {
            Objects.requireNonNull(text, "text is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts contents with the members they must have. */
        public static ResourceContentsTextBuilder builder(String text, String uri) {
            return new ResourceContentsTextBuilder(text, uri);
        }

        /** Returns a builder that starts from this. */
        public ResourceContentsTextBuilder toBuilder() {
            return new ResourceContentsTextBuilder(this);
        }
    }

    /**
     * A resource that is not text.
     *
     * @param blob the bytes, in Base64
     * @param uri where the resource is found
     * @param mimeType the media type, such as {@code application/pdf}, or null when it is not known
     * @param rest extension data, and members that are not known here
     */
    @Codable
    record Blob(
            String blob,
            String uri,
            @DefaultOnError @Nullable String mimeType,
            Rest rest) implements ResourceContents, Extensible {
        @Evolving
        public Blob {
            Objects.requireNonNull(blob, "blob is null");
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Starts contents with the members they must have. */
        public static ResourceContentsBlobBuilder builder(String blob, String uri) {
            return new ResourceContentsBlobBuilder(blob, uri);
        }

        /**
         * Returns the bytes.
         *
         * @throws IllegalArgumentException if {@code blob} is not Base64
         */
        public byte[] bytes() {
            return Base64.getDecoder().decode(blob);
        }

        /** Returns a builder that starts from this. */
        public ResourceContentsBlobBuilder toBuilder() {
            return new ResourceContentsBlobBuilder(this);
        }
    }

    /**
     * Contents of another sort than this version of the library knows.
     *
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(RawJson raw) implements ResourceContents {
        public Unknown {
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
