package dev.acp4j.workspace;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A folder inside a root that was reached without following a symbolic link. Names are single names in this folder, and
 * no method follows a link either, so that what somebody else does to the path meanwhile makes a method fail but never
 * leads it elsewhere.
 */
sealed interface Folder extends Closeable permits HeldFolder, CheckedFolder {
    /** Opens a root by its real path. Whatever has taken its place by now is refused. */
    static Folder openRoot(Root root) throws IOException {
        return openRoot(root, HeldFolder.DESCRIPTORS);
    }

    @SuppressWarnings("StreamResourceLeak") // the folder closes it
    static Folder openRoot(Root root, Path descriptors) throws IOException {
        Path path = root.path();
        requireFolder(path, Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
        DirectoryStream<Path> stream = Files.newDirectoryStream(path);
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return HeldFolder.root(root, secure, descriptors);
        }
        stream.close();
        return new CheckedFolder(path);
    }

    /**
     * Looks before a folder is opened. The JDK opens whatever has the name, and only then finds that it is no folder:
     * on a pipe that waits for a writer, and on a file it loses the descriptor.
     */
    static void requireFolder(Path path, BasicFileAttributes found) throws NotDirectoryException {
        if (!found.isDirectory()) {
            throw new NotDirectoryException(path.toString());
        }
    }

    /** Ends work that was abandoned while it hung: by now somebody may have written the file anew. */
    static void requireWanted() throws ClosedByInterruptException {
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();
        }
    }

    /** Opens the folder of that name. The caller closes both. */
    Folder enter(Path name) throws IOException;

    /** Creates a folder. It is no error when there is one already. */
    void create(Path name) throws IOException;

    /** Returns what has that name. */
    BasicFileAttributes attributes(Path name) throws IOException;

    /** Opens a file to read it. */
    SeekableByteChannel open(Path name) throws IOException;

    /** Creates a file or replaces its content, all at once: others see the old content or the new. */
    void replace(Path name, ByteBuffer content) throws IOException;

    /** Returns the attributes, or null when there is nothing of that name. */
    default @Nullable BasicFileAttributes find(Path name) throws IOException {
        try {
            return attributes(name);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Returns a name for something that gets its real name when it is complete. */
    static Path temporaryName(Path like) {
        return like.getFileSystem()
                .getPath(
                        ".acp4j-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    }

    /**
     * Gives a new file the owner, group and permissions of the one it will replace. Owner and group are kept only where
     * the operating system allows it, which it does for the administrator.
     */
    static void keepAccess(PosixFileAttributes old, PosixFileAttributeView view) throws IOException {
        PosixFileAttributes now = view.readAttributes();
        try {
            if (!now.group().equals(old.group())) {
                view.setGroup(old.group());
            }
            if (!now.owner().equals(old.owner())) {
                view.setOwner(old.owner());
            }
        } catch (IOException e) {
            // The file then belongs to whoever wrote it, as with an editor that saves by renaming.
        }
        view.setPermissions(old.permissions());
    }
}
