package dev.acp4j.workspace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A folder held by a descriptor of the operating system: what its path means by now does not matter. */
final class HeldFolder implements Folder {
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> CREATE =
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS);
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};

    private final Path rootPath;
    private final SecureDirectoryStream<Path> root;
    private final SecureDirectoryStream<Path> stream;

    private HeldFolder(Path rootPath, SecureDirectoryStream<Path> root, SecureDirectoryStream<Path> stream) {
        this.rootPath = rootPath;
        this.root = root;
        this.stream = stream;
    }

    static HeldFolder root(Path path, SecureDirectoryStream<Path> stream) {
        return new HeldFolder(path, stream, stream);
    }

    @Override
    public Folder enter(Path name) throws IOException {
        return new HeldFolder(rootPath, root, stream.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS));
    }

    /**
     * Java can create a folder by its path only, and only the root's path is beyond the reach of whoever changes things
     * inside. So the folder is created there and then moved by descriptors.
     */
    @Override
    public void create(Path name) throws IOException {
        Path temporary = Folder.temporaryName(name);
        Files.createDirectory(rootPath.resolve(temporary));
        boolean moved = false;
        try {
            root.move(temporary, stream, name);
            moved = true;
        } catch (AtomicMoveNotSupportedException e) {
            throw new FileSystemException(
                    name.toString(), null, "folders on another file system than the root's are not created");
        } catch (FileSystemException e) {
            if (!attributes(name).isDirectory()) {
                throw e;
            }
        } finally {
            if (!moved) {
                root.deleteDirectory(temporary);
            }
        }
    }

    @Override
    public BasicFileAttributes attributes(Path name) throws IOException {
        return stream.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
    }

    @Override
    public SeekableByteChannel open(Path name) throws IOException {
        return stream.newByteChannel(name, READ);
    }

    @Override
    public void replace(Path name, ByteBuffer content) throws IOException {
        PosixFileAttributes old = access(name);
        FileAttribute<?>[] initial = old == null
                ? NO_ATTRIBUTES
                : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(old.permissions())};
        Path temporary = Folder.temporaryName(name);
        boolean moved = false;
        try (SeekableByteChannel channel = stream.newByteChannel(temporary, CREATE, initial)) {
            while (content.hasRemaining()) {
                channel.write(content);
            }
            if (old != null) {
                Folder.keepAccess(old, view(temporary));
            }
            stream.move(temporary, stream, name);
            moved = true;
        } finally {
            if (!moved) {
                deleteIfThere(temporary);
            }
        }
    }

    private PosixFileAttributeView view(Path name) {
        return stream.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    }

    private @Nullable PosixFileAttributes access(Path name) throws IOException {
        try {
            return view(name).readAttributes();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private void deleteIfThere(Path temporary) throws IOException {
        try {
            stream.deleteFile(temporary);
        } catch (NoSuchFileException e) {
            // It could not even be created.
        }
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
