package dev.acp4j.http.gateway;

import dev.acp4j.http.Principal;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A folder for each principal below one folder. Different names have different folders, also where file systems ignore
 * case, and no name leads out of the folder.
 */
@Unstable
public final class PrincipalFolders {
    /** File systems allow 255 bytes. */
    private static final int LONGEST = 120;

    private final Path base;

    private PrincipalFolders(Path base) {
        this.base = base;
    }

    /** Returns the folders below a folder. */
    public static PrincipalFolders in(Path base) {
        return new PrincipalFolders(base.toAbsolutePath().normalize());
    }

    /**
     * Returns the folder of a principal, without links in it. It is created if it is missing, so that only the user of
     * this program can use it.
     *
     * @throws IOException when it cannot be created, or is no folder of its own
     */
    public Path of(Principal principal) throws IOException {
        Path folder = base.resolve(name(principal.name()));
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(base);
            try {
                Files.createDirectory(folder, attributes(folder));
            } catch (FileAlreadyExistsException e) {
                // Another client of a new principal may have been first.
                if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                    throw e;
                }
            }
        }
        return folder.toRealPath();
    }

    private static FileAttribute<?>[] attributes(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
    }

    /**
     * Returns the name of a folder: small letters, digits and hyphens as they are, other bytes as {@code _} and two hex
     * digits. What Windows takes for a device begins otherwise, and long names end with a digest.
     */
    static String name(String principal) {
        byte[] bytes = principal.getBytes(StandardCharsets.UTF_8);
        StringBuilder name = new StringBuilder();
        for (byte each : bytes) {
            char c = (char) (each & 0xff);
            if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c == '-' && !name.isEmpty())) {
                name.append(c);
            } else {
                name.append('_').append(HexFormat.of().toHexDigits(each));
            }
        }
        if (name.toString().matches("con|prn|aux|nul|(com|lpt)[0-9]")) {
            return "_" + HexFormat.of().toHexDigits(bytes[0]) + name.substring(1);
        }
        if (name.isEmpty()) {
            return "_";
        }
        return name.length() <= LONGEST ? name.toString() : name.substring(0, LONGEST) + "_h" + digest(bytes);
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
