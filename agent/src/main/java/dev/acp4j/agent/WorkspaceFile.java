package dev.acp4j.agent;

import java.nio.file.Path;
import java.util.Locale;

/**
 * A regular file of the workspace.
 *
 * @param path absolute
 * @param name as shown to people: relative to the working directory with {@code /} between folders, or absolute for a
 *     file of an additional directory
 * @param size in bytes
 * @param modified time of the last change in milliseconds since 1970
 */
record WorkspaceFile(Path path, String name, long size, long modified) {
    /** Files above this size are neither searched nor changed. */
    static final long MAX_SIZE = 1 << 20;

    /** The last part of the name. */
    String fileName() {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    /** What follows the last dot of the file name in lower case; empty when there is none. */
    String extension() {
        String fileName = fileName();
        int dot = fileName.lastIndexOf('.');
        return dot <= 0 ? "" : fileName.substring(dot + 1).toLowerCase(Locale.ROOT);
    }

    /** Whether the file may hold text, as far as name and size tell. */
    boolean isSearchable() {
        return size <= MAX_SIZE && !Language.isBinaryExtension(extension());
    }

    /** Whether the file is left out for its size alone. */
    boolean isTooLarge() {
        return size > MAX_SIZE && !Language.isBinaryExtension(extension());
    }

    /** Why the file has no text for the agent, as a sentence. */
    String whyUnreadable() {
        return isTooLarge()
                ? Markdown.code(name) + " is " + SizeText.of(size) + "; I read text files up to "
                        + SizeText.of(MAX_SIZE) + "."
                : Markdown.code(name) + " is not a text file.";
    }

    /** Whether two readings of the same path show the same state. */
    boolean isSameState(WorkspaceFile other) {
        return size == other.size && modified == other.modified;
    }
}
