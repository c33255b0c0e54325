package dev.acp4j.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the content of a file atomically: a temporary file beside it is written and then renamed. So a failed write,
 * for example because the disk is full, does not change the file.
 */
final class AtomicFile {
    private static final Set<StandardOpenOption> CREATE =
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};

    private AtomicFile() {}

    /**
     * Writes {@code content}, unless the content of the file is no longer {@code expected}.
     *
     * @return whether it was written
     * @throws IOException if writing failed; the file is unchanged
     */
    static boolean replace(Path path, byte[] expected, byte[] content) throws IOException {
        if (!Files.isWritable(path)) {
            throw new AccessDeniedException(path.toString());
        }
        Path temporary = path.resolveSibling(
                ".acp4j-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
        try {
            write(temporary, content, access(path));
            // Compared last, so that concurrent changes are not lost.
            boolean same = !Files.isSymbolicLink(path) && Arrays.equals(expected, Files.readAllBytes(path));
            if (same) {
                Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
            }
            return same;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static void write(Path path, byte[] content, @Nullable PosixFileAttributes like) throws IOException {
        FileAttribute<?>[] initial = like == null
                ? NO_ATTRIBUTES
                : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(like.permissions())};
        try (FileChannel channel = FileChannel.open(path, CREATE, initial)) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            // Some file systems report only now that the disk is full.
            channel.force(true);
        }
        if (like != null) {
            keepAccess(path, like);
        }
    }

    /** Often only the administrator can keep owner and group: otherwise the file belongs to the writer. */
    private static void keepAccess(Path path, PosixFileAttributes like) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
        try {
            view.setGroup(like.group());
            view.setOwner(like.owner());
        } catch (IOException e) {
            // Like an editor that saves in this way.
        }
        view.setPermissions(like.permissions());
    }

    /** Returns null if files have no owner and permissions of this kind. */
    private static @Nullable PosixFileAttributes access(Path path) throws IOException {
        @Nullable
        PosixFileAttributeView view =
                Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        return view == null ? null : view.readAttributes();
    }
}
