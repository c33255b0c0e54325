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

    /** Where Linux shows what this process has open. */
    static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final Root root;
    private final SecureDirectoryStream<Path> rootStream;
    private final SecureDirectoryStream<Path> stream;
    private final Path descriptors;

    private HeldFolder(HeldFolder outer, SecureDirectoryStream<Path> stream) {
        this.root = outer.root;
        this.rootStream = outer.rootStream;
        this.descriptors = outer.descriptors;
        this.stream = stream;
    }

    private HeldFolder(Root root, SecureDirectoryStream<Path> stream, Path descriptors) {
        this.root = root;
        this.rootStream = stream;
        this.descriptors = descriptors;
        this.stream = stream;
    }

    /**
     * Holds a root that was opened by its path, if it is the folder that it was: the path may lead elsewhere by now.
     *
     * @param descriptors where the system shows what this process has open, if it does
     */
    static HeldFolder root(Root root, SecureDirectoryStream<Path> stream, Path descriptors) throws IOException {
        HeldFolder folder = new HeldFolder(root, stream, descriptors);
        boolean same = false;
        try {
            same = Objects.equals(root.key(), folder.key());
        } finally {
            if (!same) {
                stream.close();
            }
        }
        if (!same) {
            throw new FileSystemException(
                    root.path().toString(), null, root.path() + " is no longer the folder that it was");
        }
        return folder;
    }

    private @Nullable Object key() throws IOException {
        return stream.getFileAttributeView(BasicFileAttributeView.class)
                .readAttributes()
                .fileKey();
    }

    @Override
    public Folder enter(Path name) throws IOException {
        Folder.requireFolder(name, attributes(name));
        return new HeldFolder(this, stream.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS));
    }

    /**
     * Java cannot create a folder relative to a descriptor. But Linux shows each descriptor as a path, which leads to
     * what is held whatever happens to its name.
     */
    @Override
    public void create(Path name) throws IOException {
        List<Path> paths = pathsOfDescriptors();
        if (paths.isEmpty()) {
            createInRoot(name);
            return;
        }
        FileSystemException failure = new NoSuchFileException(name.toString());
        for (Path path : paths) {
            Path created = path.resolve(name);
            try {
                Files.createDirectory(created);
                if (isFolder(name)) {
                    return;
                }
                // The descriptor was another thread's, and stands for another folder by now.
                Files.deleteIfExists(created);
            } catch (FileSystemException e) {
                if (isFolder(name)) {
                    return;
                }
                failure = e;
            }
        }
        throw failure;
    }

    private List<Path> pathsOfDescriptors() throws IOException {
        List<Path> paths = new ArrayList<>();
        Object key = key();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(descriptors)) {
            for (Path descriptor : all) {
                if (Objects.equals(key, keyOf(descriptor))) {
                    paths.add(descriptor);
                }
            }
        } catch (NoSuchFileException e) {
            // Not on this system.
        }
        return paths;
    }

    /** Returns the key of what a descriptor stands for; null when it was closed meanwhile. */
    private static @Nullable Object keyOf(Path descriptor) {
        try {
            return Files.readAttributes(descriptor, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    private boolean isFolder(Path name) throws IOException {
        BasicFileAttributes found = find(name);
        return found != null && found.isDirectory();
    }

    /**
     * Creates a folder in the root, whose path nobody inside can change, and moves it by descriptors. If somebody
     * outside changes it just now, an empty folder is created where it leads, and deleted again.
     */
    private void createInRoot(Path name) throws IOException {
        Path temporary = Folder.temporaryName(name);
        Path created = root.path().resolve(temporary);
        Files.createDirectory(created);
        boolean moved = false;
        try {
            rootStream.move(temporary, stream, name);
            moved = true;
        } catch (AtomicMoveNotSupportedException e) {
            throw new FileSystemException(
                    name.toString(), null, "folders on another file system than the root's are not created");
        } catch (FileSystemException e) {
            if (!isFolder(name)) {
                throw e;
            }
        } finally {
            if (!moved) {
                Files.deleteIfExists(created);
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
