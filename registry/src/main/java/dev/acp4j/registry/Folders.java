package dev.acp4j.registry;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Files and folders that are the user's alone, that appear whole or not at all, and that are deleted without a trace.
 */
final class Folders {
    private Folders() {}

    static boolean hasPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    static FileAttribute<?>[] ofUser(Path path, String permissions) {
        return hasPosix(path)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /**
     * Creates a folder for the user alone.
     *
     * @throws RegistryException if there is one that is another user's, or that others can write to
     */
    static Path create(Path folder) throws IOException {
        Files.createDirectories(folder, ofUser(folder, "rwx------"));
        requireOurs(folder);
        return folder;
    }

    /** @throws RegistryException if a folder is another user's, or if others can write to it */
    static void requireOurs(Path folder) throws IOException {
        if (!hasPosix(folder)) {
            return;
        }
        PosixFileAttributes found = Files.readAttributes(folder, PosixFileAttributes.class);
        Set<PosixFilePermission> permissions = found.permissions();
        if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new RegistryException("other users can write to " + folder
                    + ", where agents are installed. Change that: chmod go-w " + folder);
        }
        String owner = found.owner().getName();
        // A user without a name, as in some containers, is nobody's neighbour.
        if (!ProcessHandle.current().info().user().map(owner::equals).orElse(true)) {
            throw new RegistryException(folder + ", where agents are installed, belongs to the user " + owner);
        }
    }

    /** Writes a file that others see whole or not at all, and that only the user reads. */
    static void write(Path file, byte[] content, String permissions) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Path whole = Files.createTempFile(folder, "." + file.getFileName(), ".new", ofUser(file, permissions));
        try {
            try (FileChannel channel = FileChannel.open(whole, StandardOpenOption.WRITE)) {
                var bytes = java.nio.ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    int unused = channel.write(bytes);
                }
                channel.force(true);
            }
            rename(whole, file);
        } finally {
            Files.deleteIfExists(whole);
        }
    }

    static void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            throw new RegistryException(from + " and " + to + " are on different file systems", e);
        }
    }

    /**
     * Returns the text of a file; null if there is none.
     *
     * @throws RegistryException if it is no text
     */
    static @Nullable String text(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return null;
        } catch (CharacterCodingException e) {
            throw new RegistryException(file + " is not text in UTF-8", e);
        }
    }

    /** Deletes a folder with all in it, following no link; returns the bytes of its files. */
    static long delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return 0;
        }
        long[] bytes = {0};
        Path unused = Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) throws IOException {
                if (hasPosix(dir)) {
                    Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx------"));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                bytes[0] += attributes.isRegularFile() ? attributes.size() : 0;
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(dir);
                return FileVisitResult.CONTINUE;
            }
        });
        return bytes[0];
    }
}
