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
 * A folder inside a root, reached without following a symbolic link. Names are single names in this folder, and no
 * method follows a link, so a concurrent change of the path makes a method fail but never redirects it.
 */
sealed interface Folder extends Closeable permits HeldFolder, CheckedFolder {
    /** Opens a root by its real path. Fails if the root has been replaced. */
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
     * Checks the type before a folder is opened. The JDK opens anything with the name, and only then detects that it is
     * not a folder: on a pipe that blocks, and on a file it leaks the descriptor.
     */
    static void requireFolder(Path path, BasicFileAttributes found) throws NotDirectoryException {
        if (!found.isDirectory()) {
            throw new NotDirectoryException(path.toString());
        }
    }

    /** Ends an operation that was abandoned while it hung: the file may have been rewritten since. */
    static void requireWanted() throws ClosedByInterruptException {
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();
        }
    }

    /** Opens the folder of that name. The caller closes both. */
    Folder enter(Path name) throws IOException;

    /** Creates a folder. An existing folder is not an error. */
    void create(Path name) throws IOException;

    /** Returns the attributes of the entry with that name. */
    BasicFileAttributes attributes(Path name) throws IOException;

    /** Opens a file to read it. */
    SeekableByteChannel open(Path name) throws IOException;

    /** Creates a file or replaces its content atomically: other readers see either the old content or the new. */
    void replace(Path name, ByteBuffer content) throws IOException;

    /** Returns the attributes, or null if there is no such entry. */
    default @Nullable BasicFileAttributes find(Path name) throws IOException {
        try {
            return attributes(name);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Returns a temporary name, to be renamed when the file is complete. */
    static Path temporaryName(Path like) {
        return like.getFileSystem()
                .getPath(
                        ".acp4j-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    }

    /**
     * Copies owner, group and permissions of the replaced file to the new one. Owner and group are kept only if the
     * operating system allows it, usually for the administrator.
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
            // The file then belongs to the writer, as with an editor that saves by renaming.
        }
        view.setPermissions(old.permissions());
    }
}
