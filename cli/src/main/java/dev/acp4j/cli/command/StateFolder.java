package dev.acp4j.cli.command;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** The folder for the persistent state of acp. */
public final class StateFolder {
    private StateFolder() {}

    /**
     * Returns the attributes with which a file is created that only the user can read, as far as the system has them.
     */
    public static FileAttribute<?>[] ofUser(Path path) {
        return attributes(path, "rw-------");
    }

    /**
     * Creates a folder that only the user can read, as far as the system has such.
     *
     * @return the folder
     * @throws IOException also when there is one that others can use, or that is not the user's
     */
    public static Path createForUser(Path folder) throws IOException {
        Files.createDirectories(folder, attributes(folder, "rwx------"));
        if (attributes(folder, "rwx------").length > 0) {
            PosixFileAttributes found =
                    Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            Path probe = Files.createTempFile(folder, "owner", null);
            boolean isOurs = found.owner().equals(Files.getOwner(probe));
            Files.delete(probe);
            if (!isOurs || !PosixFilePermissions.toString(found.permissions()).equals("rwx------")) {
                throw new FileSystemException(folder.toString(), null, "others can use the folder " + folder);
            }
        }
        return folder;
    }

    static FileAttribute<?>[] attributes(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /** Returns the folder by the rules of the XDG base directories: a path that is not absolute is ignored. */
    public static Path path() {
        String state = System.getenv("XDG_STATE_HOME");
        Path base = state != null && state.startsWith("/")
                ? Path.of(state)
                : Path.of(System.getProperty("user.home", ""), ".local", "state");
        return base.resolve("acp");
    }
}
