package dev.acp4j.workspace;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The documents that an editor has open, so that agents see what has not been saved. Given when files are offered; the
 * folders of the session, its links and the limits are checked before a document is read or replaced.
 *
 * <pre>{@code
 * Map<Path, String> buffers = new ConcurrentHashMap<>(); // by absolute path
 * Workspace.offerFilesTo(client, file -> Optional.ofNullable(buffers.get(file)));
 * }</pre>
 *
 * <p>Called from any thread, for several files at once, and may block: the agent waits for the answer, the connection
 * does not. An exception is an internal error for the agent, and is logged here.
 */
@FunctionalInterface
public interface OpenDocuments {
    /**
     * Returns the text of an open document, unsaved changes included.
     *
     * @param file the path of the file, absolute and normalized. First comes the one that the agent has sent; if that
     *     is not open and leads through links, then the one behind the links. The file may not exist yet.
     * @return the text; empty if the file is not open, so that it is read from the disk
     * @throws InterruptedException when interrupted: the agent has cancelled its request
     */
    Optional<String> text(Path file) throws InterruptedException;

    /**
     * Replaces the text of an open document. An editor that shows changes before it saves them, or keeps them for
     * undoing, implements this; by default a file is written to the disk, whether it is open or not.
     *
     * @param file the path, as for {@link #text}
     * @param text the new text of the whole document
     * @return whether it was replaced; if not, the file is written to the disk
     * @throws InterruptedException when interrupted: the agent has cancelled its request
     */
    default boolean replace(Path file, String text) throws InterruptedException {
        return false;
    }
}
