package dev.acp4j.agent;

import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ResourceContents;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attachments of a prompt.
 *
 * @param texts contents that were embedded
 * @param files files and folders of the workspace that were linked, by name
 * @param unreachable addresses that the agent must not or cannot read
 * @param other unsupported kinds of content
 */
record Attachments(List<Embedded> texts, List<String> files, List<String> unreachable, List<String> other) {
    /**
     * An embedded text.
     *
     * @param name the file's name in the workspace, or the address when it is none of its files
     */
    record Embedded(String name, String text) {}

    Attachments {
        texts = List.copyOf(texts);
        files = List.copyOf(files);
        unreachable = List.copyOf(unreachable);
        other = List.copyOf(other);
    }

    static Attachments of(List<ContentBlock> prompt, Workspace workspace) {
        List<Embedded> texts = new ArrayList<>();
        List<String> files = new ArrayList<>();
        List<String> unreachable = new ArrayList<>();
        List<String> other = new ArrayList<>();
        for (ContentBlock block : prompt) {
            if (block instanceof ContentBlock.Resource resource
                    && resource.resource() instanceof ResourceContents.Text text) {
                String file = fileName(text.uri(), workspace);
                texts.add(new Embedded(file == null ? text.uri() : file, text.text()));
            } else if (block instanceof ContentBlock.ResourceLink link) {
                String file = fileName(link.uri(), workspace);
                (file == null ? unreachable : files).add(file == null ? link.uri() : file);
            } else if (!(block instanceof ContentBlock.Text)) {
                other.add(kind(block));
            }
        }
        return new Attachments(texts, files, unreachable, other);
    }

    /** Returns these with more files, unless there are attachments already. */
    Attachments and(List<String> more) {
        return isEmpty() ? new Attachments(texts, more, unreachable, other) : this;
    }

    boolean isEmpty() {
        return texts.isEmpty() && files.isEmpty();
    }

    private static String kind(ContentBlock block) {
        return switch (block) {
            case ContentBlock.Text text -> "text";
            case ContentBlock.Image image -> "an image";
            case ContentBlock.Audio audio -> "audio";
            case ContentBlock.ResourceLink link -> "a link";
            case ContentBlock.Resource resource -> "a file that is not text";
            case ContentBlock.Unknown unknown -> unknown.type();
        };
    }

    /** The name of a file or folder of the workspace, or null when the address leads elsewhere. */
    private static @Nullable String fileName(String address, Workspace workspace) {
        try {
            URI uri = new URI(address);
            if (!"file".equalsIgnoreCase(uri.getScheme())) {
                return null;
            }
            // Editors append the lines after a '#'.
            Path path = Path.of(new URI("file", null, uri.getPath(), null)).normalize();
            return Files.exists(path) && workspace.isInside(path)
                    ? workspace.files().nameOf(path)
                    : null;
        } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
            return null;
        }
    }
}
