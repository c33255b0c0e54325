package dev.acp4j.trace;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that only their owner can read. */
final class PrivateFile {
    private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private PrivateFile() {}

    static OutputStream create(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, "is a folder");
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            // A pipe or a device must not be replaced.
            return new BufferedOutputStream(Files.newOutputStream(file, StandardOpenOption.WRITE));
        }
        // An existing file may be readable by others, and its permissions would stay.
        Files.deleteIfExists(file);
        FileChannel channel = FileChannel.open(file, NEW, attributes());
        return new BufferedOutputStream(Channels.newOutputStream(channel));
    }

    private static FileAttribute<?>[] attributes() {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }
}
