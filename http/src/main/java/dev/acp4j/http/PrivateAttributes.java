package dev.acp4j.http;

import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Attributes of files and folders that only the user of this process may use, where the file system knows users. */
final class PrivateAttributes {
    private PrivateAttributes() {}

    static FileAttribute<?>[] file(Path path) {
        return attributes(path, "rw-------");
    }

    static FileAttribute<?>[] folder(Path path) {
        return attributes(path, "rwx------");
    }

    private static FileAttribute<?>[] attributes(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
