package dev.acp4j.workspace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A folder held by a descriptor of the operating system: what its path means by now does not matter. */
final class HeldFolder implements Folder {
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> CREATE =
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS);
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final Root root;
    private final SecureDirectoryStream<Path> rootStream;
    private final SecureDirectoryStream<Path> stream;

    private HeldFolder(Root root, SecureDirectoryStream<Path> rootStream, SecureDirectoryStream<Path> stream) {
        this.root = root;
        this.rootStream = rootStream;
        this.stream = stream;
    }

    /** Holds a root that was opened by its path, if it is the folder that it was: the path may lead elsewhere by now. */
    static HeldFolder root(Root root, SecureDirectoryStream<Path> stream) throws IOException {
        boolean same = false;
        try {
            same = Objects.equals(
                    root.key(),
                    stream.getFileAttributeView(BasicFileAttributeView.class)
                            .readAttributes()
                            .fileKey());
        } finally {
            if (!same) {
                stream.close();
            }
        }
        if (!same) {
            throw changed(root);
        }
        return new HeldFolder(root, stream, stream);
    }

    private static FileSystemException changed(Root root) {
        return new FileSystemException(root.path().toString(), null, root.path() + " is no longer the folder that it was");
    }

    @Override
    public Folder enter(Path name) throws IOException {
        Folder.requireFolder(name, attributes(name));
        return new HeldFolder(root, rootStream, stream.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS));
    }

    /** Java cannot create a folder relative to a descriptor. So it is created in the root and moved by descriptors. */
    @Override
    public void create(Path name) throws IOException {
        Path temporary = Folder.temporaryName(name);
        createInRoot(temporary);
        boolean moved = false;
        try {
            rootStream.move(temporary, stream, name);
            moved = true;
        } catch (AtomicMoveNotSupportedException e) {
            throw new FileSystemException(
                    name.toString(), null, "folders on another file system than the root's are not created");
        } catch (FileSystemException e) {
            BasicFileAttributes found = find(name);
            if (found == null || !found.isDirectory()) {
                throw e;
            }
        } finally {
            if (!moved) {
                rootStream.deleteDirectory(temporary);
            }
        }
    }

    /** Creates a folder and makes sure that it is in the root: the path by which it was created may lead elsewhere. */
    private void createInRoot(Path temporary) throws IOException {
        FileSystemException failure = changed(root);
        for (Path path : pathsOfRoot()) {
            Path created = path.resolve(temporary);
            try {
                Files.createDirectory(created);
                if (isInRoot(temporary)) {
                    return;
                }
                Files.deleteIfExists(created);
            } catch (FileSystemException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private boolean isInRoot(Path temporary) throws IOException {
        try {
            rootStream
                    .getFileAttributeView(temporary, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Returns paths to the root, to be tried one after the other. Linux has one for each open descriptor, which leads
     * there even if somebody exchanges the root just now; but those of other threads may be closed meanwhile. Elsewhere
     * there is only the usual path.
     */
    private List<Path> pathsOfRoot() throws IOException {
        List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path descriptor : descriptors) {
                if (Objects.equals(root.key(), key(descriptor))) {
                    paths.add(descriptor);
                }
            }
        } catch (NoSuchFileException e) {
            // Not on this system.
        }
        return paths.isEmpty() ? List.of(root.path()) : paths;
    }

    /** Returns the key of an open descriptor; null for one that was closed meanwhile. */
    private static @Nullable Object key(Path descriptor) {
        try {
            return Files.readAttributes(descriptor, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
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
            Folder.requireWanted();
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
