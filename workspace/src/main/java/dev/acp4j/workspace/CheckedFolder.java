package dev.acp4j.workspace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * A folder known by its path only, for systems on which Java cannot hold a folder open (Windows). The path is checked
 * before each access and after it, while the file is open; a change makes the access fail. A folder that is replaced
 * and restored within that time is not detected.
 */
final class CheckedFolder implements Folder {
    private final Path path;

    CheckedFolder(Path path) {
        this.path = path;
    }

    @Override
    public Folder enter(Path name) throws IOException {
        CheckedFolder inner = new CheckedFolder(path.resolve(name));
        inner.check();
        return inner;
    }

    @Override
    public void create(Path name) throws IOException {
        check();
        try {
            Files.createDirectory(path.resolve(name));
        } catch (FileAlreadyExistsException e) {
            if (!attributes(name).isDirectory()) {
                throw e;
            }
        }
        check();
    }

    @Override
    public BasicFileAttributes attributes(Path name) throws IOException {
        check();
        return Files.readAttributes(path.resolve(name), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public SeekableByteChannel open(Path name) throws IOException {
        check();
        SeekableByteChannel channel =
                Files.newByteChannel(path.resolve(name), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        boolean same = false;
        try {
            check();
            same = true;
        } finally {
            if (!same) {
                channel.close();
            }
        }
        return channel;
    }

    @Override
    public void replace(Path name, ByteBuffer content) throws IOException {
        check();
        PosixFileAttributes old = access(name);
        Path temporary = path.resolve(Folder.temporaryName(name));
        try {
            write(temporary, content);
            PosixFileAttributeView view = view(temporary);
            if (old != null && view != null) {
                Folder.keepAccess(old, view);
            }
            check();
            Folder.requireWanted();
            Files.move(temporary, path.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
        check();
    }

    private void write(Path temporary, ByteBuffer content) throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(
                temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS)) {
            check();
            while (content.hasRemaining()) {
                channel.write(content);
            }
        }
    }

    private @Nullable PosixFileAttributes access(Path name) throws IOException {
        PosixFileAttributeView view = view(path.resolve(name));
        try {
            return view == null ? null : view.readAttributes();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static @Nullable PosixFileAttributeView view(Path file) {
        return Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    }

    private void check() throws IOException {
        if (!path.toRealPath().equals(path)) {
            throw new FileSystemException(path.toString(), null, "has been replaced by another folder");
        }
    }

    @Override
    public void close() {}
}
