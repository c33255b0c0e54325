package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Base64;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a resource: text or bytes.
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
     * @param uri the address of the resource
     * @param mimeType the media type, such as {@code text/x-python}, or null if unknown
     * @param rest extension data and unknown members
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

        /** Returns a builder with the required members. */
        public static ResourceContentsTextBuilder builder(String text, String uri) {
            return new ResourceContentsTextBuilder(text, uri);
        }

        /** Returns a builder initialized from this record. */
        public ResourceContentsTextBuilder toBuilder() {
            return new ResourceContentsTextBuilder(this);
        }
    }

    /**
     * A resource that is not text.
     *
     * @param blob the bytes, in Base64
     * @param uri the address of the resource
     * @param mimeType the media type, such as {@code application/pdf}, or null if unknown
     * @param rest extension data and unknown members
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

        /** Returns a builder with the required members. */
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

        /** Returns a builder initialized from this record. */
        public ResourceContentsBlobBuilder toBuilder() {
            return new ResourceContentsBlobBuilder(this);
        }
    }

    /**
     * Contents of a type unknown to this version of the library.
     *
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(RawJson raw) implements ResourceContents {
        public Unknown {
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
