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
 * Replaces the content of a file all at once: the new one is written beside it and takes its name when it is complete.
 * So a write that fails, for example because the disk is full, leaves the file as it was.
 */
final class AtomicFile {
    private static final Set<StandardOpenOption> CREATE =
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};

    private AtomicFile() {}

    /**
     * Writes {@code content}, unless the file holds something else than {@code expected} by then.
     *
     * @return whether it was written
     * @throws IOException when it was not, and the file is as it was
     */
    static boolean replace(Path path, byte[] expected, byte[] content) throws IOException {
        if (!Files.isWritable(path)) {
            throw new AccessDeniedException(path.toString());
        }
        Path temporary = path.resolveSibling(
                ".acp4j-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
        try {
            write(temporary, content, access(path));
            // Compared last, so that what somebody else writes meanwhile is not lost.
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
            // Some file systems say only now that there is no room.
            channel.force(true);
        }
        if (like != null) {
            keepAccess(path, like);
        }
    }

    /** The owner and the group can often be kept by the administrator only: then the file is the writer's. */
    private static void keepAccess(Path path, PosixFileAttributes like) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
        try {
            view.setGroup(like.group());
            view.setOwner(like.owner());
        } catch (IOException e) {
            // As with an editor that saves in this way.
        }
        view.setPermissions(like.permissions());
    }

    /** Returns null where files have no owner and permissions of this kind. */
    private static @Nullable PosixFileAttributes access(Path path) throws IOException {
        @Nullable
        PosixFileAttributeView view =
                Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        return view == null ? null : view.readAttributes();
    }
}
