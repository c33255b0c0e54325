package dev.acp4j.registry;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;

/** Makes archives, good and bad ones. */
final class Packed {
    private static final int FILE = 0100644;
    private static final int PROGRAM = 0100755;
    private static final int LINK = 0120777;

    /** An entry: a file, or what its type says. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Item(String name, byte type, int mode, String to, byte[] content) {}

    private final List<Item> items = new ArrayList<>();

    static Packed of() {
        return new Packed();
    }

    Packed file(String name, String content) {
        return add(name, TarArchiveEntry.LF_NORMAL, FILE, "", content);
    }

    Packed program(String name, String content) {
        return add(name, TarArchiveEntry.LF_NORMAL, PROGRAM, "", content);
    }

    Packed mode(String name, int mode, String content) {
        return add(name, TarArchiveEntry.LF_NORMAL, mode, "", content);
    }

    Packed folder(String name) {
        return add(name + "/", TarArchiveEntry.LF_DIR, 040755, "", "");
    }

    Packed link(String name, String to) {
        return add(name, TarArchiveEntry.LF_SYMLINK, LINK, to, "");
    }

    /** An entry of another type: a hard link, a device, a pipe. */
    Packed type(String name, byte type, String to) {
        return add(name, type, FILE, to, "");
    }

    /** Adds a record with the name of the next entry. */
    Packed longName(String name) {
        return add("././@LongLink", TarConstants.LF_GNUTYPE_LONGNAME, 0644, "", name);
    }

    private Packed add(String name, byte type, int mode, String to, String content) {
        items.add(new Item(name, type, mode, to, content.getBytes(StandardCharsets.UTF_8)));
        return this;
    }

    byte[] tarGz() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(tar());
        }
        return bytes.toByteArray();
    }

    byte[] tarBz2() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new BZip2CompressorOutputStream(bytes)) {
            out.write(tar());
        }
        return bytes.toByteArray();
    }

    private byte[] tar() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream out = new TarArchiveOutputStream(bytes, StandardCharsets.UTF_8.name())) {
            out.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            for (Item item : items) {
                TarArchiveEntry entry = new TarArchiveEntry(item.name, item.type, true);
                entry.setMode(item.mode);
                entry.setSize(item.content.length);
                if (!item.to.isEmpty()) {
                    entry.setLinkName(item.to);
                }
                out.putArchiveEntry(entry);
                out.write(item.content);
                out.closeArchiveEntry();
            }
        }
        return bytes.toByteArray();
    }

    byte[] zip() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipArchiveOutputStream out = new ZipArchiveOutputStream(bytes)) {
            for (Item item : items) {
                ZipArchiveEntry entry = new ZipArchiveEntry(item.name);
                entry.setUnixMode(item.mode);
                out.putArchiveEntry(entry);
                out.write(item.to.isEmpty() ? item.content : item.to.getBytes(StandardCharsets.UTF_8));
                out.closeArchiveEntry();
            }
        }
        return bytes.toByteArray();
    }
}
