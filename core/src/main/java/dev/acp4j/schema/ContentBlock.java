package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A piece of content for users or models: text, an image, audio, a resource. Prompts, messages and the results of tools
 * consist of these. They are the same as in the Model Context Protocol, so an agent can forward the result of an MCP
 * tool.
 *
 * <p>Every agent accepts {@link Text} and {@link ResourceLink} in a prompt; the others require
 * {@link PromptCapabilities}.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/content">Content</a>
 */
@Codable
@Tagged("type")
public sealed interface ContentBlock {
    /** Returns a block of text. */
    static Text text(String text) {
        return new Text(text, null, Rest.NONE);
    }

    /** Returns a block with a link to a resource that the other side can read by itself. */
    static ResourceLink resourceLink(String name, String uri) {
        return new ResourceLink(name, uri, null, null, null, null, List.of(), null, Rest.NONE);
    }

    /** Returns a block with the contents of a resource. */
    static Resource resource(ResourceContents contents) {
        return new Resource(contents, null, Rest.NONE);
    }

    /** Returns a block with an image. */
    static Image image(byte[] bytes, String mimeType) {
        return new Image(Base64.getEncoder().encodeToString(bytes), mimeType, null, null, Rest.NONE);
    }

    /** Returns a block with audio. */
    static Audio audio(byte[] bytes, String mimeType) {
        return new Audio(Base64.getEncoder().encodeToString(bytes), mimeType, null, Rest.NONE);
    }

    /**
     * Text, plain or Markdown; clients show it as Markdown.
     *
     * @param text the text, which may be empty
     * @param annotations audience and priority of the text, or null if not given
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/content#text-content">Text content</a>
     */
    @Codable
    @Tag("text")
    record Text(String text, @DefaultOnError @Nullable Annotations annotations, Rest rest)
            implements ContentBlock, Extensible {
        @Evolving
        public Text {
            Objects.requireNonNull(text, "text is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static ContentBlockTextBuilder builder(String text) {
            return new ContentBlockTextBuilder(text);
        }

        /** Returns a builder initialized from this record. */
        public ContentBlockTextBuilder toBuilder() {
            return new ContentBlockTextBuilder(this);
        }
    }

    /**
     * An image. In a prompt only for agents with {@link PromptCapabilities#image()}.
     *
     * @param data the bytes of the image, in Base64
     * @param mimeType the media type, such as {@code image/png}
     * @param uri the source of the image, or null if not given
     * @param annotations audience and priority of the image, or null if not given
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/content#image-content">Image content</a>
     */
    @Codable
    @Tag("image")
    record Image(
            String data,
            String mimeType,
            @DefaultOnError @Nullable String uri,
            @DefaultOnError @Nullable Annotations annotations,
            Rest rest)
            implements ContentBlock, Extensible {
        @Evolving
        public Image {
            Objects.requireNonNull(data, "data is null");
            Objects.requireNonNull(mimeType, "mimeType is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static ContentBlockImageBuilder builder(String data, String mimeType) {
            return new ContentBlockImageBuilder(data, mimeType);
        }

        /**
         * Returns the bytes of the image.
         *
         * @throws IllegalArgumentException if {@code data} is not Base64
         */
        public byte[] bytes() {
            return Base64.getDecoder().decode(data);
        }

        /** Returns a builder initialized from this record. */
        public ContentBlockImageBuilder toBuilder() {
            return new ContentBlockImageBuilder(this);
        }
    }

    /**
     * Audio. In a prompt only for agents with {@link PromptCapabilities#audio()}.
     *
     * @param data the bytes of the recording, in Base64
     * @param mimeType the media type, such as {@code audio/wav}
     * @param annotations audience and priority of the recording, or null if not given
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/content#audio-content">Audio content</a>
     */
    @Codable
    @Tag("audio")
    record Audio(
            String data,
            String mimeType,
            @DefaultOnError @Nullable Annotations annotations,
            Rest rest) implements ContentBlock, Extensible {
        @Evolving
        public Audio {
            Objects.requireNonNull(data, "data is null");
            Objects.requireNonNull(mimeType, "mimeType is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static ContentBlockAudioBuilder builder(String data, String mimeType) {
            return new ContentBlockAudioBuilder(data, mimeType);
        }

        /**
         * Returns the bytes of the recording.
         *
         * @throws IllegalArgumentException if {@code data} is not Base64
         */
        public byte[] bytes() {
            return Base64.getDecoder().decode(data);
        }

        /** Returns a builder initialized from this record. */
        public ContentBlockAudioBuilder toBuilder() {
            return new ContentBlockAudioBuilder(this);
        }
    }

    /**
     * A link to a resource that the receiver can read by itself, such as a file.
     *
     * @param name the name to show to users
     * @param uri the address of the resource
     * @param title a longer name to show, or null to show {@code name}
     * @param description a description of the resource, or null if not given
     * @param mimeType the media type, or null if unknown
     * @param size the size in bytes, or null if unknown
     * @param icons its icons, in version 2 only
     * @param annotations audience and priority of the resource, or null if not given
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/content#resource-link">Resource link</a>
     */
    @Codable
    @Tag("resource_link")
    record ResourceLink(
            String name,
            String uri,
            @DefaultOnError @Nullable String title,
            @DefaultOnError @Nullable String description,
            @DefaultOnError @Nullable String mimeType,
            @DefaultOnError @Range(only = 2) @Nullable Long size,

            @Unstable @In(2) @OptionalMember @DefaultOnError @SkipInvalidItems
            List<Icon> icons,

            @DefaultOnError @Nullable Annotations annotations,
            Rest rest)
            implements ContentBlock, Extensible {
        @Evolving
        @Unstable
        public ResourceLink {
            Objects.requireNonNull(name, "name is null");
            Objects.requireNonNull(uri, "uri is null");
            icons = List.copyOf(icons);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static ContentBlockResourceLinkBuilder builder(String name, String uri) {
            return new ContentBlockResourceLinkBuilder(name, uri);
        }

        /** Returns a builder initialized from this record. */
        public ContentBlockResourceLinkBuilder toBuilder() {
            return new ContentBlockResourceLinkBuilder(this);
        }
    }

    /**
     * A resource with its contents, for resources that the receiver may be unable to read. In a prompt only for agents
     * with {@link PromptCapabilities#embeddedContext()}, for which it is preferred to a link.
     *
     * @param resource the contents, with their address
     * @param annotations audience and priority of the resource, or null if not given
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/content#embedded-resource">Embedded resource</a>
     */
    @Codable
    @Tag("resource")
    record Resource(
            ResourceContents resource,
            @DefaultOnError @Nullable Annotations annotations,
            Rest rest) implements ContentBlock, Extensible {
        @Evolving
        public Resource {
            Objects.requireNonNull(resource, "resource is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required members. */
        public static ContentBlockResourceBuilder builder(ResourceContents resource) {
            return new ContentBlockResourceBuilder(resource);
        }

        /** Returns a builder initialized from this record. */
        public ContentBlockResourceBuilder toBuilder() {
            return new ContentBlockResourceBuilder(this);
        }
    }

    /**
     * A block of a type unknown to this version of the library.
     *
     * @param type the unknown type
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String type, RawJson raw) implements ContentBlock {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
