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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A folder held open by a file descriptor, so later changes of its path have no effect. */
final class HeldFolder implements Folder {
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> CREATE =
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS);
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};

    /**
     * Held while a folder is created, and while one is closed. Without it another writer could close the descriptor by
     * which a folder is being created, and its number would lead to whatever is opened next; and moving a new folder
     * onto an empty one would replace what another writer has just created.
     */
    private static final ReentrantLock ALONE = new ReentrantLock();

    /** The folder in which Linux lists the open files of this process. */
    static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final Root root;
    private final SecureDirectoryStream<Path> rootStream;
    private final SecureDirectoryStream<Path> stream;
    private final Path descriptors;

    /** The path by which the folder was opened; it may lead elsewhere now. */
    private final Path path;

    private HeldFolder(HeldFolder outer, Path name, SecureDirectoryStream<Path> stream) {
        this.root = outer.root;
        this.path = outer.path.resolve(name);
        this.rootStream = outer.rootStream;
        this.descriptors = outer.descriptors;
        this.stream = stream;
    }

    private HeldFolder(Root root, SecureDirectoryStream<Path> stream, Path descriptors) {
        this.root = root;
        this.path = root.path();
        this.rootStream = stream;
        this.descriptors = descriptors;
        this.stream = stream;
    }

    /**
     * Holds a root that was opened by its path, if it is still the same folder: the path may lead elsewhere now.
     *
     * @param descriptors the folder in which the system lists the open files of this process, if there is one
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
                    root.path().toString(), null, root.path() + " has been replaced by another folder");
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
        return new HeldFolder(this, name, stream.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS));
    }

    /**
     * Java cannot create a folder relative to a descriptor. But Linux shows each descriptor as a path, which leads to
     * the open file even if that is renamed. Elsewhere the root's path is used, which cannot be changed from inside the
     * root.
     */
    @Override
    public void create(Path name) throws IOException {
        boolean isAlone = lockAlone();
        try {
            createByDescriptor(name);
        } finally {
            if (isAlone) {
                ALONE.unlock();
            }
        }
    }

    /** If a file system does not respond, the others wait for a second and then go on without the lock. */
    private static boolean lockAlone() {
        try {
            return ALONE.tryLock() || ALONE.tryLock(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void createByDescriptor(Path name) throws IOException {
        List<Path> all = allDescriptors();
        if (all.isEmpty()) {
            create(root.path(), rootStream, name);
            return;
        }
        Object key = key();
        FileSystemException failure = new NoSuchFileException(name.toString());
        for (Path descriptor : all) {
            if (Objects.equals(key, keyOf(descriptor))) {
                try {
                    create(descriptor, stream, name);
                    return;
                } catch (FileSystemException e) {
                    // Somebody else in this process may have closed the descriptor and opened another folder.
                    failure = e;
                }
            }
        }
        throw failure;
    }

    /**
     * Returns the open files of this process, first those with the path of this folder. The others are seldom needed,
     * and reading them hangs if one of them is on an unresponsive file system.
     */
    private List<Path> allDescriptors() throws IOException {
        List<Path> likely = new ArrayList<>();
        List<Path> others = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(descriptors)) {
            for (Path descriptor : all) {
                (hasPath(descriptor) ? likely : others).add(descriptor);
            }
        } catch (NoSuchFileException e) {
            // Not supported on this system.
        }
        likely.addAll(others);
        return likely;
    }

    /** Reads kernel memory only, never the file system of the open file. */
    private boolean hasPath(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).equals(path);
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the key of the file of a descriptor; null if it was closed meanwhile. */
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
     * Creates a folder under a random name and moves it by descriptors. If {@code place} leads elsewhere at this
     * moment, an empty folder is created there and deleted again; existing files are not touched.
     *
     * @param place a path of the folder that {@code from} holds
     */
    private void create(Path place, SecureDirectoryStream<Path> from, Path name) throws IOException {
        Path temporary = Folder.temporaryName(name);
        Path created = place.resolve(temporary);
        Files.createDirectory(created);
        boolean moved = false;
        try {
            moved = moveUnlessThere(from, temporary, name);
        } catch (AtomicMoveNotSupportedException e) {
            throw new FileSystemException(
                    name.toString(),
                    null,
                    "the folder is on another file system than the root, where folders are not created");
        } catch (FileSystemException e) {
            if (!isFolder(name)) {
                throw e;
            }
        } finally {
            if (!moved) {
                deleteFolder(from, temporary, created);
            }
        }
    }

    /** Moves a new folder into place unless one exists. */
    private boolean moveUnlessThere(SecureDirectoryStream<Path> from, Path temporary, Path name) throws IOException {
        Folder.requireWanted();
        if (isFolder(name)) {
            return false;
        }
        from.move(temporary, stream, name);
        return true;
    }

    private static void deleteFolder(SecureDirectoryStream<Path> from, Path temporary, Path created)
            throws IOException {
        try {
            from.deleteDirectory(temporary);
        } catch (NoSuchFileException e) {
            Files.deleteIfExists(created);
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
            // The folder was not created.
        }
    }

    @Override
    public void close() throws IOException {
        boolean isAlone = lockAlone();
        try {
            stream.close();
        } finally {
            if (isAlone) {
                ALONE.unlock();
            }
        }
    }
}
