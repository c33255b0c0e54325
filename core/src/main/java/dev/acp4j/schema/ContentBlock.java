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
 * A piece of something to show or to give to a model: text, an image, sound, a resource. Prompts, messages and the
 * results of tools consist of these. They are the same as those of the Model Context Protocol, so an agent can pass on
 * what an MCP tool returns.
 *
 * <p>Every agent takes {@link Text} and {@link ResourceLink} in a prompt; the others only if its
 * {@link PromptCapabilities} say so.
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

    /** Returns a block that refers to a resource the other side can read by itself. */
    static ResourceLink resourceLink(String name, String uri) {
        return new ResourceLink(name, uri, null, null, null, null, List.of(), null, Rest.NONE);
    }

    /** Returns a block that carries the contents of a resource. */
    static Resource resource(ResourceContents contents) {
        return new Resource(contents, null, Rest.NONE);
    }

    /** Returns a block with an image. */
    static Image image(byte[] bytes, String mimeType) {
        return new Image(Base64.getEncoder().encodeToString(bytes), mimeType, null, null, Rest.NONE);
    }

    /** Returns a block with sound. */
    static Audio audio(byte[] bytes, String mimeType) {
        return new Audio(Base64.getEncoder().encodeToString(bytes), mimeType, null, Rest.NONE);
    }

    /**
     * Text, plain or Markdown; clients show it as Markdown.
     *
     * @param text the text, which may be empty
     * @param annotations whom the text is for and how much it matters, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts a block with the members it must have. */
        public static ContentBlockTextBuilder builder(String text) {
            return new ContentBlockTextBuilder(text);
        }

        /** Returns a builder that starts from this. */
        public ContentBlockTextBuilder toBuilder() {
            return new ContentBlockTextBuilder(this);
        }
    }

    /**
     * An image. In a prompt only for agents with {@link PromptCapabilities#image()}.
     *
     * @param data the bytes of the image, in Base64
     * @param mimeType the media type, such as {@code image/png}
     * @param uri where the image comes from, or null when it does not say
     * @param annotations whom the image is for and how much it matters, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts a block with the members it must have. */
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

        /** Returns a builder that starts from this. */
        public ContentBlockImageBuilder toBuilder() {
            return new ContentBlockImageBuilder(this);
        }
    }

    /**
     * Sound. In a prompt only for agents with {@link PromptCapabilities#audio()}.
     *
     * @param data the bytes of the recording, in Base64
     * @param mimeType the media type, such as {@code audio/wav}
     * @param annotations whom the recording is for and how much it matters, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts a block with the members it must have. */
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

        /** Returns a builder that starts from this. */
        public ContentBlockAudioBuilder toBuilder() {
            return new ContentBlockAudioBuilder(this);
        }
    }

    /**
     * A reference to something the receiver can read by itself, such as a file.
     *
     * @param name what to call the resource in front of a user
     * @param uri where the resource is found
     * @param title a longer name to show, or null to show {@code name}
     * @param description what is in the resource, or null when it does not say
     * @param mimeType the media type, or null when it is not known
     * @param size the size in bytes, or null when it is not known
     * @param icons pictures that stand for it, which only version 2 has
     * @param annotations whom the resource is for and how much it matters, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts a block with the members it must have. */
        public static ContentBlockResourceLinkBuilder builder(String name, String uri) {
            return new ContentBlockResourceLinkBuilder(name, uri);
        }

        /** Returns a builder that starts from this. */
        public ContentBlockResourceLinkBuilder toBuilder() {
            return new ContentBlockResourceLinkBuilder(this);
        }
    }

    /**
     * A resource together with its contents, for what the receiver may not be able to read. In a prompt only for agents
     * with {@link PromptCapabilities#embeddedContext()}, and then better than a link.
     *
     * @param resource the contents, with the address they were found at
     * @param annotations whom the resource is for and how much it matters, or null when it does not say
     * @param rest extension data, and members that are not known here
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

        /** Starts a block with the members it must have. */
        public static ContentBlockResourceBuilder builder(ResourceContents resource) {
            return new ContentBlockResourceBuilder(resource);
        }

        /** Returns a builder that starts from this. */
        public ContentBlockResourceBuilder toBuilder() {
            return new ContentBlockResourceBuilder(this);
        }
    }

    /**
     * A block of a type that this version of the library does not know.
     *
     * @param type the type it says it is of
     * @param raw the JSON object as it came, which is what is written again
     */
    record Unknown(String type, RawJson raw) implements ContentBlock {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
