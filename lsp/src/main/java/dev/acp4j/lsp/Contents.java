package dev.acp4j.lsp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The files of a session's folders as they are now: on disk, or as the client holds them unsaved after a write that has
 * passed. A write counts until the file on disk is another than it was before; from then on the disk does.
 *
 * <p>The lock guards what is known of writes; files are read without it.
 */
final class Contents {
    static final long MOST_BYTES = 4L * 1024 * 1024;
    private static final int MOST_UNSAVED = 64;
    private static final int MOST_WRITTEN = 64;

    /** Of a file that does not exist. */
    private static final String NONE = "";

    /** What is in a file. */
    record Content(String text, String digest, boolean isSaved) {}

    /** What a client has written and not saved. */
    private record Unsaved(Content content, String digestBefore) {}

    /** A write that passes. */
    record Write(Path file, String digestBefore) {}

    private final Path cwd;
    private final List<Path> folders;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Path, Unsaved> unsaved = new LinkedHashMap<>();

    /** The files that were written, the last one last. */
    @GuardedBy("lock")
    private final Set<Path> written = new LinkedHashSet<>();

    @GuardedBy("lock")
    private final List<Path> underWay = new ArrayList<>();

    /** Counts what has been written, and what has begun to be. */
    @GuardedBy("lock")
    private long revision;

    /** What was written and is not known any more, because there was too much. */
    @GuardedBy("lock")
    private final Set<Path> lost = new LinkedHashSet<>();

    /** @param folders the real paths of the session's folders, its working directory first */
    Contents(List<Path> folders) {
        this.folders = folders;
        this.cwd = folders.get(0);
    }

    // ---- names

    /**
     * Returns the file that a model names.
     *
     * @throws IllegalArgumentException when there is no such file in the session's folders
     */
    Path file(String name) {
        Path file = inside(name);
        if (file == null) {
            throw new IllegalArgumentException(
                    name + " is not in the folders of the session, so it is not read; they are " + folders);
        }
        boolean isKnown = Files.isRegularFile(file) || isUnsaved(file);
        if (!isKnown) {
            throw new IllegalArgumentException("there is no file " + name + "; paths are relative to " + cwd);
        }
        return file;
    }

    /** Returns the real path of a file in the folders; null for others. It need not exist. */
    @Nullable
    Path inside(String name) {
        try {
            Path file = name.startsWith("file:") ? Path.of(URI.create(name)) : cwd.resolve(name);
            Path real = real(file.normalize());
            return folders.stream().anyMatch(real::startsWith) ? real : null;
        } catch (IOException | IllegalArgumentException e) {
            return null;
        }
    }

    private static Path real(Path file) throws IOException {
        if (Files.exists(file)) {
            return file.toRealPath();
        }
        Path parent = file.getParent();
        if (parent == null) {
            throw new IOException(file + " does not exist");
        }
        return real(parent).resolve(String.valueOf(file.getFileName()));
    }

    /** Returns a file as answers name it. */
    String name(Path file) {
        return file.startsWith(cwd) ? cwd.relativize(file).toString() : file.toString();
    }

    // ---- what is in a file

    /**
     * Returns what is in a file now.
     *
     * @return null when it does not exist
     * @throws IOException when it cannot be read, or is too large
     */
    @Nullable
    Content read(Path file) throws IOException {
        Content disk = disk(file);
        lock.lock();
        try {
            Unsaved held = unsaved.get(file);
            if (held == null) {
                return disk;
            }
            String digest = disk == null ? NONE : disk.digest();
            if (digest.equals(held.digestBefore())
                    && !digest.equals(held.content().digest())) {
                return held.content();
            }
            unsaved.remove(file);
            return disk;
        } finally {
            lock.unlock();
        }
    }

    private static @Nullable Content disk(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return null;
        }
        long size = Files.size(file);
        if (size > MOST_BYTES) {
            throw new IOException(
                    "the file has " + size + " bytes; those of more than " + MOST_BYTES + " are not read");
        }
        byte[] bytes = Files.readAllBytes(file);
        return new Content(withoutMark(new String(bytes, StandardCharsets.UTF_8)), digest(bytes), true);
    }

    private static String withoutMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean isUnsaved(Path file) {
        lock.lock();
        try {
            return unsaved.containsKey(file);
        } finally {
            lock.unlock();
        }
    }

    // ---- writes that pass

    /** A client is about to write a file. Null when it is none of the session's folders. */
    @Nullable
    Write begin(String path) {
        Path file = inside(path);
        if (file == null) {
            return null;
        }
        String before;
        try {
            Content disk = disk(file);
            before = disk == null ? NONE : disk.digest();
        } catch (IOException e) {
            before = NONE;
        }
        lock.lock();
        try {
            revision++;
            underWay.add(file);
        } finally {
            lock.unlock();
        }
        return new Write(file, before);
    }

    /**
     * A write has ended.
     *
     * @param content what the file has now; null if it was not written
     */
    void end(Write write, @Nullable String content) {
        Unsaved held = content == null ? null : held(write, content);
        lock.lock();
        try {
            revision++;
            underWay.remove(write.file());
            if (content == null) {
                return;
            }
            addWritten(write.file());
            unsaved.remove(write.file());
            lost.remove(write.file());
            if (held != null && content.length() > MOST_BYTES) {
                lost.add(write.file());
            } else if (held != null) {
                unsaved.put(write.file(), held);
                if (unsaved.size() > MOST_UNSAVED) {
                    Path oldest = unsaved.keySet().iterator().next();
                    unsaved.remove(oldest);
                    lost.add(oldest);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns what the client has and the disk does not; null if that is the same. */
    private static @Nullable Unsaved held(Write write, String text) {
        Content content = new Content(withoutMark(text), digest(text.getBytes(StandardCharsets.UTF_8)), false);
        try {
            Content disk = disk(write.file());
            String now = disk == null ? NONE : disk.digest();
            boolean isUnchanged = now.equals(write.digestBefore());
            return isUnchanged && !now.equals(content.digest()) ? new Unsaved(content, now) : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** An agent says that it has written a file, or is about to. */
    void reported(String path) {
        Path file = inside(path);
        if (file == null) {
            return;
        }
        lock.lock();
        try {
            revision++;
            addWritten(file);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void addWritten(Path file) {
        written.remove(file);
        written.add(file);
        if (written.size() > MOST_WRITTEN) {
            written.remove(written.iterator().next());
        }
    }

    /** Returns the files that were written last. */
    List<Path> written() {
        lock.lock();
        try {
            return List.copyOf(written);
        } finally {
            lock.unlock();
        }
    }

    long revision() {
        lock.lock();
        try {
            return revision;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the files that are being written at this moment. */
    List<Path> underWay() {
        lock.lock();
        try {
            return List.copyOf(underWay);
        } finally {
            lock.unlock();
        }
    }

    /** Returns files whose unsaved contents are not known any more. */
    List<Path> lost() {
        lock.lock();
        try {
            return List.copyOf(lost);
        } finally {
            lock.unlock();
        }
    }
}
