package dev.acp4j.cli.session;

import dev.acp4j.Feature;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ResourceContents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A file that the user attaches to a prompt. */
public final class Attachment {
    /** Larger files are linked: the agent can read the parts it needs. */
    private static final long LARGEST_EMBEDDED = 1 << 20;

    private Attachment() {}

    /**
     * Returns a file in the richest form that an agent accepts: its content, or else a link. A folder is always a link.
     *
     * @param file the absolute path of the file
     * @param supports the features of the agent
     */
    public static ContentBlock of(Path file, Predicate<Feature> supports) throws IOException {
        boolean isFile = !Files.isDirectory(file);
        long size = isFile ? Files.size(file) : 0;
        String mimeType = isFile ? Files.probeContentType(file) : null;
        ContentBlock embedded = isFile && size <= LARGEST_EMBEDDED ? embedded(file, mimeType, supports) : null;
        if (embedded != null) {
            return embedded;
        }
        return ContentBlock.ResourceLink.builder(
                        String.valueOf(file.getFileName()), file.toUri().toString())
                .mimeType(mimeType)
                .size(isFile ? size : null)
                .build();
    }

    private static @Nullable ContentBlock embedded(Path file, @Nullable String mimeType, Predicate<Feature> supports)
            throws IOException {
        if (mimeType != null && mimeType.startsWith("image/") && supports.test(Feature.PROMPT_IMAGES)) {
            return ContentBlock.image(Files.readAllBytes(file), mimeType);
        }
        if (mimeType != null && mimeType.startsWith("audio/") && supports.test(Feature.PROMPT_AUDIO)) {
            return ContentBlock.audio(Files.readAllBytes(file), mimeType);
        }
        String text = supports.test(Feature.PROMPT_RESOURCES) ? text(Files.readAllBytes(file)) : null;
        if (text == null) {
            return null;
        }
        return ContentBlock.resource(
                ResourceContents.Text.builder(text, file.toUri().toString())
                        .mimeType(mimeType)
                        .build());
    }

    private static @Nullable String text(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.indexOf('\0') >= 0 ? null : text;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
