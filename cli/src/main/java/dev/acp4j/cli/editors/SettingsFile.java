package dev.acp4j.cli.editors;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A file of an editor as it was read: the text is changed elsewhere, and written whole or not at all. */
final class SettingsFile {
    private static final long LARGEST = 32L << 20;

    private final Path path;
    private final byte @Nullable [] bytes;

    private SettingsFile(Path path, byte @Nullable [] bytes) {
        this.path = path;
        this.bytes = bytes;
    }

    static SettingsFile read(Path named) throws IOException {
        Path path = followed(named);
        try {
            if (Files.size(path) > LARGEST) {
                throw new FileSystemException(path.toString(), null, "larger than 32 MiB");
            }
            return new SettingsFile(path, Files.readAllBytes(path));
        } catch (NoSuchFileException e) {
            return new SettingsFile(path, null);
        }
    }

    /** Follows links by hand: the last one may point to a file that does not exist yet. */
    private static Path followed(Path named) throws IOException {
        Path path = named.toAbsolutePath();
        for (int links = 0; Files.isSymbolicLink(path); links++) {
            if (links > 40) {
                throw new FileSystemException(named.toString(), null, "links in a circle");
            }
            path = resolved(folder(path).toRealPath().resolve(Files.readSymbolicLink(path)));
        }
        return path;
    }

    /** A folder of a path may be a link too, so {@code ..} is where that one leads. */
    private static Path resolved(Path target) throws IOException {
        Path folder = folder(target);
        Path name = target.getFileName();
        return name != null && Files.isDirectory(folder) ? folder.toRealPath().resolve(name) : target.normalize();
    }

    private static Path folder(Path path) throws IOException {
        Path folder = path.getParent();
        if (folder == null) {
            throw new FileSystemException(path.toString(), null, "not the path of a file");
        }
        return folder;
    }

    /** Returns the file itself: a link is followed, so that it stays a link. */
    Path path() {
        return path;
    }

    /** Returns what it contains; null if there is no such file. */
    byte @Nullable [] bytes() {
        return bytes;
    }

    boolean exists() {
        return bytes != null;
    }

    /**
     * Returns the text; empty if there is no file.
     *
     * @throws UnreadableTextException if it is not UTF-8
     */
    String text() throws UnreadableTextException {
        byte[] read = bytes == null ? new byte[0] : bytes;
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(read))
                    .toString();
        } catch (CharacterCodingException e) {
            String lenient = new String(read, StandardCharsets.UTF_8);
            throw UnreadableTextException.at(lenient, Math.max(0, lenient.indexOf('\ufffd')), "not a text in UTF-8");
        }
    }

    /** Returns why the file is not for us to write; null if it is. */
    @Nullable
    String obstacle() throws IOException {
        Path folder = path.getParent();
        if (path.startsWith("/nix/store")) {
            return "it is in the Nix store, so its settings are made from a configuration of yours";
        }
        if (exists() && !isWritable(path)) {
            return "it is read-only, as Nix, chezmoi and others make the files that they manage";
        }
        return folder != null && Files.isDirectory(folder) && !isWritable(folder)
                ? "its folder is read-only: " + folder
                : null;
    }

    /** The superuser can write everything, so the mode is looked at as well. */
    private static boolean isWritable(Path path) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
        if (view != null) {
            Set<PosixFilePermission> mode = view.readAttributes().permissions();
            if (!mode.contains(PosixFilePermission.OWNER_WRITE)
                    && !mode.contains(PosixFilePermission.GROUP_WRITE)
                    && !mode.contains(PosixFilePermission.OTHERS_WRITE)) {
                return false;
            }
        }
        return Files.isWritable(path);
    }

    /** Returns whether the file is still as it was read. */
    boolean isCurrent() throws IOException {
        return Arrays.equals(bytes, read(path).bytes);
    }

    /** Writes another content, with the mode of the file, and makes the folders that are missing. */
    void write(byte[] content) throws IOException {
        Path folder = folder(path);
        Files.createDirectories(folder);
        Path written = folder.resolve(".acp-" + Long.toHexString(new SecureRandom().nextLong()) + ".tmp");
        try {
            PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
            if (exists() && view != null) {
                keepingOwner(written, content, view.readAttributes());
            } else {
                writeToDisk(written, content, StandardOpenOption.CREATE_NEW);
            }
            Files.move(written, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(written);
        }
    }

    private static void keepingOwner(Path written, byte[] content, PosixFileAttributes former) throws IOException {
        Files.createFile(
                written,
                PosixFilePermissions.asFileAttribute(
                        Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE)));
        PosixFileAttributeView view = Files.getFileAttributeView(written, PosixFileAttributeView.class);
        if (!view.getOwner().equals(former.owner())) {
            view.setOwner(former.owner());
        }
        if (!view.readAttributes().group().equals(former.group())) {
            view.setGroup(former.group());
        }
        writeToDisk(written, content);
        view.setPermissions(former.permissions());
    }

    /** A machine that loses its power must not be left with the name of the new file and no content. */
    private static void writeToDisk(Path file, byte[] content, OpenOption... options) throws IOException {
        Set<OpenOption> all = new HashSet<>(Set.of(options));
        all.add(StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(file, all)) {
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                int unused = channel.write(rest);
            }
            channel.force(true);
        }
    }

    /** Returns the folders that writing makes, the outermost first. */
    List<Path> missingFolders() {
        List<Path> missing = new ArrayList<>();
        for (Path above = path.getParent(); above != null && !Files.exists(above); above = above.getParent()) {
            missing.addFirst(above);
        }
        return missing;
    }

    /** Deletes the file, and those of these folders that are empty then. */
    void delete(List<Path> folders) throws IOException {
        Files.deleteIfExists(path);
        for (Path folder : folders.reversed()) {
            try {
                Files.deleteIfExists(folder);
            } catch (FileSystemException e) {
                return; // Somebody has put something into it.
            }
        }
    }
}
