package dev.acp4j.registry;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks one archive into a new folder. An archive with anything that is not allowed fails as a whole; its caller
 * deletes the folder. Memory depends on the number of entries and the length of their names only, which are bounded.
 */
final class Archives {
    private static final int BUFFER = 1 << 16;
    private static final int LINK_BYTES = 4096;
    private static final int UNIX_KIND = 0xf000;
    private static final int UNIX_FILE = 0x8000;
    private static final int UNIX_FOLDER = 0x4000;
    private static final int UNIX_LINK = 0xa000;
    private static final int EXECUTABLE = 0111;
    private static final int LOCAL_HEADER = 30;

    /** What stands between two files of a tar: headers and long names, which are read into memory. */
    private static final long MOST_BETWEEN = 1 << 20;

    private static final int LOCAL_SIGNATURE = 0x04034b50;
    private static final int DESCRIPTOR_FLAG = 1 << 3;

    private static final List<String> INSTALLERS =
            List.of(".dmg", ".pkg", ".deb", ".rpm", ".msi", ".appimage", ".msix", ".apk");

    private enum Kind {
        FOLDER,
        FILE,
        LINK
    }

    private final Path target;
    private final Limits limits;
    private final boolean hasPosix;

    /** What is where, by paths without case. */
    private final Map<String, Kind> kinds = new HashMap<>();

    /** The same paths as they are written. */
    private final Map<String, String> spelling = new HashMap<>();

    private final Map<String, String> links = new LinkedHashMap<>();
    private final byte[] buffer = new byte[BUFFER];
    private long total;
    private int entries;

    private Archives(Path target, Limits limits) {
        this.target = target;
        this.limits = limits;
        this.hasPosix = Folders.hasPosix(target);
    }

    /**
     * Unpacks a download, whose kind is detected by its bytes.
     *
     * @param name the last part of its address
     * @param target a folder to create
     * @param command the path that a plain program gets
     * @throws RegistryException if it is not allowed, damaged, or of a kind that is not unpacked
     */
    static void unpack(Path file, String name, Path target, String command, Limits limits) throws IOException {
        refuseInstallers(file, name);
        Files.createDirectory(target);
        Archives archive = new Archives(target, limits);
        try {
            archive.unpack(file, head(file, 2048), name, command);
        } catch (IllegalArgumentException e) {
            throw new RegistryException("the archive " + name + " is not allowed: " + e.getMessage(), e);
        } catch (RegistryException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw new RegistryException("the archive " + name + " is damaged: " + e.getMessage(), e);
        }
    }

    static void refuseInstallers(Path file, String name) throws IOException {
        String lower = name.toLowerCase(Locale.ROOT);
        String head = new String(head(file, 16), StandardCharsets.ISO_8859_1);
        boolean isInstaller = INSTALLERS.stream().anyMatch(lower::endsWith)
                || head.startsWith("!<arch>")
                || head.startsWith("\u00ed\u00ab\u00ee\u00db")
                || head.startsWith("\u00d0\u00cf\u0011\u00e0")
                || head.startsWith("xar!")
                || (head.length() > 10 && head.startsWith("AI", 8) && head.charAt(10) <= 2);
        if (isInstaller) {
            throw new RegistryException(name + " is an installer of a system, which is not run. Install it by hand, and"
                    + " start the agent by its command.");
        }
    }

    private static byte[] head(Path file, int bytes) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(bytes);
        }
    }

    private void unpack(Path file, byte[] head, String name, String command) throws IOException {
        if (starts(head, 'P', 'K', 3, 4)) {
            zip(file);
        } else if (starts(head, 0x1f, 0x8b)) {
            try (InputStream in = GzipCompressorInputStream.builder()
                    .setInputStream(input(file))
                    .setDecompressConcatenated(true)
                    .get()) {
                tar(in);
            }
        } else if (starts(head, 'B', 'Z', 'h')) {
            try (InputStream in = new BZip2CompressorInputStream(input(file), true)) {
                tar(in);
            }
        } else if (isProgram(head)) {
            plain(file, command);
            return;
        } else {
            throw new RegistryException(name + " is neither an archive of a known kind nor a program"
                    + (head.length > 0 && head[0] == '<' ? "; the host has sent a page" : ""));
        }
        makeLinks();
    }

    private static InputStream input(Path file) throws IOException {
        return new BufferedInputStream(Files.newInputStream(file), BUFFER);
    }

    private static boolean starts(byte[] head, int... bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (i >= head.length || (head[i] & 0xff) != bytes[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isProgram(byte[] head) {
        return starts(head, 0x7f, 'E', 'L', 'F')
                || starts(head, 'M', 'Z')
                || starts(head, '#', '!')
                || starts(head, 0xcf, 0xfa, 0xed, 0xfe)
                || starts(head, 0xce, 0xfa, 0xed, 0xfe)
                || starts(head, 0xca, 0xfe, 0xba, 0xbe);
    }

    private void plain(Path file, String command) throws IOException {
        try (InputStream in = input(file)) {
            write(place(command, Kind.FILE), in, true);
        }
    }

    // ---- tar

    private void tar(InputStream in) throws IOException {
        Bounded bounded = new Bounded(in);
        TarArchiveInputStream tar = new TarArchiveInputStream(bounded, StandardCharsets.UTF_8.name());
        for (TarArchiveEntry entry = next(tar, bounded); entry != null; entry = next(tar, bounded)) {
            count();
            String name = entry.getName();
            if (entry.isDirectory()) {
                folder(name);
            } else if (entry.isSymbolicLink()) {
                link(name, entry.getLinkName());
            } else if (entry.isFile() && !entry.isLink() && isPlain(entry)) {
                long written = write(place(name, Kind.FILE), tar, (entry.getMode() & EXECUTABLE) != 0);
                if (written != entry.getRealSize()) {
                    throw new IllegalArgumentException(
                            name + " has " + written + " bytes and says " + entry.getRealSize());
                }
            } else {
                throw new IllegalArgumentException("neither a file nor a folder nor a link: " + name);
            }
        }
        if (entries == 0) {
            throw new IllegalArgumentException("nothing is in it");
        }
    }

    private static @Nullable TarArchiveEntry next(TarArchiveInputStream tar, Bounded bounded) throws IOException {
        bounded.left = MOST_BETWEEN;
        TarArchiveEntry entry = tar.getNextEntry();
        bounded.left = Long.MAX_VALUE;
        return entry;
    }

    /** Gives no more bytes than are left. */
    private static final class Bounded extends FilterInputStream {
        private long left;

        Bounded(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int read = super.read();
            take(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int read = super.read(bytes, from, length);
            take(Math.max(0, read));
            return read;
        }

        private void take(int count) {
            left -= count;
            if (left < 0) {
                throw new IllegalArgumentException("more than " + MOST_BETWEEN + " bytes of headers at one entry");
            }
        }
    }

    private static boolean isPlain(TarArchiveEntry entry) {
        return !entry.isBlockDevice() && !entry.isCharacterDevice() && !entry.isFIFO() && !entry.isSparse();
    }

    // ---- zip

    private void zip(Path file) throws IOException {
        try (ZipFile zip = ZipFile.builder().setPath(file).get();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            List<ZipArchiveEntry> all = Collections.list(zip.getEntriesInPhysicalOrder());
            if (all.isEmpty()) {
                throw new IllegalArgumentException("nothing is in it");
            }
            for (ZipArchiveEntry entry : all) {
                count();
                checkLocalHeader(channel, entry);
                zipEntry(zip, entry);
            }
        }
    }

    private void zipEntry(ZipFile zip, ZipArchiveEntry entry) throws IOException {
        String name = entry.getName();
        int kind = entry.getUnixMode() & UNIX_KIND;
        if (entry.getGeneralPurposeBit().usesEncryption()) {
            throw new IllegalArgumentException("encrypted: " + name);
        }
        if (entry.isDirectory()) {
            if (kind != 0 && kind != UNIX_FOLDER) {
                throw new IllegalArgumentException("a folder that is none: " + name);
            }
            folder(name);
            return;
        }
        if (kind != 0 && kind != UNIX_FILE && kind != UNIX_LINK) {
            throw new IllegalArgumentException("neither a file nor a folder nor a link: " + name);
        }
        try (InputStream in = zip.getInputStream(entry)) {
            if (in == null) {
                throw new IllegalArgumentException("compressed in an unknown way: " + name);
            }
            if (kind == UNIX_LINK) {
                byte[] to = in.readNBytes(LINK_BYTES + 1);
                link(name, new String(to, StandardCharsets.UTF_8));
                return;
            }
            CRC32 crc = new CRC32();
            InputStream counted = new java.util.zip.CheckedInputStream(in, crc);
            long written = write(place(name, Kind.FILE), counted, (entry.getUnixMode() & EXECUTABLE) != 0);
            if (written != entry.getSize() || crc.getValue() != entry.getCrc()) {
                throw new IllegalArgumentException("size or checksum are not those in the headers: " + name);
            }
        }
    }

    /** Some programs read the local headers and others the directory at the end: both must say the same. */
    private static void checkLocalHeader(FileChannel channel, ZipArchiveEntry entry) throws IOException {
        ByteBuffer header = read(channel, entry.getLocalHeaderOffset(), LOCAL_HEADER);
        int flags = header.getShort(6);
        int method = header.getShort(8) & 0xffff;
        long crc = header.getInt(14) & 0xffffffffL;
        long packed = header.getInt(18) & 0xffffffffL;
        long size = header.getInt(22) & 0xffffffffL;
        int length = header.getShort(26) & 0xffff;
        byte[] name = read(channel, entry.getLocalHeaderOffset() + LOCAL_HEADER, length)
                .array();
        boolean isBig = size == 0xffffffffL || packed == 0xffffffffL;
        boolean hasSizes = (flags & DESCRIPTOR_FLAG) == 0 && !isBig;
        if (header.getInt(0) != LOCAL_SIGNATURE
                || method != entry.getMethod()
                || !Arrays.equals(name, entry.getRawName())
                || (hasSizes
                        && (size != entry.getSize() || packed != entry.getCompressedSize() || crc != entry.getCrc()))) {
            throw new IllegalArgumentException("two headers disagree: " + entry.getName());
        }
    }

    private static ByteBuffer read(FileChannel channel, long at, int bytes) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (read.hasRemaining()) {
            if (channel.read(read, at + read.position()) < 0) {
                throw new IllegalArgumentException("it ends early");
            }
        }
        return read.flip();
    }

    // ---- what both have

    private void count() {
        if (++entries > limits.entries()) {
            throw new IllegalArgumentException("more than " + limits.entries() + " entries");
        }
    }

    private void folder(String name) throws IOException {
        List<String> parts = EntryPath.parts(name, limits.path());
        if (!parts.isEmpty()) {
            parents(parts, parts.size());
            Files.createDirectories(target.resolve(String.join("/", parts)));
        }
    }

    /** Takes the place of a file or a link, and makes the folders above it. */
    private Path place(String name, Kind kind) throws IOException {
        List<String> parts = EntryPath.parts(name, limits.path());
        if (parts.isEmpty() || name.endsWith("/")) {
            throw new IllegalArgumentException("a file without a name: " + name);
        }
        parents(parts, parts.size() - 1);
        String path = String.join("/", parts);
        if (kinds.putIfAbsent(key(path), kind) != null) {
            throw new IllegalArgumentException("two entries with the name " + name);
        }
        spelling.put(key(path), path);
        Path file = target.resolve(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        return file;
    }

    private void parents(List<String> parts, int count) {
        StringBuilder path = new StringBuilder();
        for (String part : parts.subList(0, count)) {
            path.append(path.isEmpty() ? "" : "/").append(part);
            String written = path.toString();
            Kind present = kinds.putIfAbsent(key(written), Kind.FOLDER);
            String before = spelling.putIfAbsent(key(written), written);
            if (present != null && present != Kind.FOLDER) {
                throw new IllegalArgumentException("an entry below a file or a link: " + String.join("/", parts));
            }
            if (before != null && !before.equals(written)) {
                throw new IllegalArgumentException("two names that differ in case only: " + before + " and " + written);
            }
        }
    }

    private static String key(String path) {
        return java.text.Normalizer.normalize(path, java.text.Normalizer.Form.NFC)
                .toUpperCase(Locale.ROOT)
                .toLowerCase(Locale.ROOT);
    }

    private long write(Path file, InputStream in, boolean isExecutable) throws IOException {
        long written = 0;
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                written += n;
                total += n;
                if (written > limits.file()) {
                    throw new IllegalArgumentException("a file of more than " + limits.file() + " bytes");
                }
                if (total > limits.total()) {
                    throw new IllegalArgumentException("more than " + limits.total() + " bytes in all");
                }
                out.write(buffer, 0, n);
            }
        }
        if (hasPosix) {
            Files.setPosixFilePermissions(
                    file, PosixFilePermissions.fromString(isExecutable ? "rwxr--r--" : "rw-r--r--"));
        }
        return written;
    }

    private void link(String name, String to) throws IOException {
        if (to.isEmpty()
                || to.length() > LINK_BYTES
                || to.startsWith("/")
                || to.indexOf('\\') >= 0
                || to.indexOf(':') >= 0
                || to.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a link that leads out: " + name);
        }
        Path file = place(name, Kind.LINK);
        Path end = Objects.requireNonNull(file.getParent()).resolve(to).normalize();
        if (!end.startsWith(target)) {
            throw new IllegalArgumentException("a link that leads out: " + name);
        }
        links.put(target.relativize(file).toString(), to);
    }

    /** Links are made last, so that nothing is written through one, and must end at something inside. */
    private void makeLinks() throws IOException {
        List<Path> made = new ArrayList<>();
        for (Map.Entry<String, String> link : links.entrySet()) {
            made.add(Files.createSymbolicLink(target.resolve(link.getKey()), Path.of(link.getValue())));
        }
        Path root = target.toRealPath();
        for (Path link : made) {
            Path end;
            try {
                end = link.toRealPath();
            } catch (NoSuchFileException | java.nio.file.FileSystemLoopException e) {
                throw new IllegalArgumentException("a link to nothing: " + target.relativize(link), e);
            } catch (java.nio.file.FileSystemException e) {
                throw new IllegalArgumentException("a link that cannot be followed: " + target.relativize(link), e);
            }
            if (!end.startsWith(root)) {
                throw new IllegalArgumentException("a link that leads out: " + target.relativize(link));
            }
        }
    }

    /**
     * Returns the program of an entry in an unpacked archive, and makes it executable.
     *
     * @throws RegistryException if it is not there
     */
    static Path program(Path tree, String command) throws IOException {
        Path program = tree.resolve(EntryPath.ofCommand(command));
        if (!Files.isRegularFile(program) || !program.toRealPath().startsWith(tree.toRealPath())) {
            throw new RegistryException(
                    "the archive has no program " + command + " at that place" + others(tree, program));
        }
        if (Folders.hasPosix(program)) {
            var permissions = new java.util.HashSet<>(Files.getPosixFilePermissions(program));
            permissions.add(java.nio.file.attribute.PosixFilePermission.OWNER_EXECUTE);
            Files.setPosixFilePermissions(program.toRealPath(), permissions);
        }
        return program;
    }

    private static String others(Path tree, Path program) throws IOException {
        try (var files = Files.find(
                tree,
                8,
                (file, attributes) -> file.getFileName().equals(program.getFileName())
                        && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))) {
            @Nullable Path other = files.findFirst().orElse(null);
            return other == null ? "" : "; there is one at " + tree.relativize(other) + ", so the entry is wrong";
        }
    }
}
