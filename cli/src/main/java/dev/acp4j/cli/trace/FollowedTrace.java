package dev.acp4j.cli.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A trace that is still being written. If another file replaces it, that one is shown next. */
final class FollowedTrace implements TraceInput {
    /** The polling interval: not every file system reports changes, and none reports all. */
    private static final long LOOK_MILLIS = 500;

    private final Path file;
    private final WatchService watch;
    private InputStream in;
    private TraceReader reader;

    private @Nullable Object key;

    FollowedTrace(Path file) throws IOException {
        this.file = file.toAbsolutePath();
        this.in = Files.newInputStream(this.file);
        this.reader = new TraceReader(in);
        this.key = key(this.file);
        this.watch = this.file.getFileSystem().newWatchService();
        WatchKey unused = Objects.requireNonNull(this.file.getParent())
                .register(watch, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_CREATE);
    }

    @Override
    public TraceItem next() throws IOException, InterruptedException {
        TraceItem item;
        while ((item = reader.next()) == null) {
            if (isReplaced()) {
                TraceItem rest = reader.rest();
                reopen();
                if (rest != null) {
                    return rest;
                }
                continue;
            }
            WatchKey changed = watch.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            if (changed != null) {
                changed.pollEvents();
                changed.reset();
            }
        }
        return item;
    }

    private boolean isReplaced() throws IOException {
        try {
            return !Objects.equals(key, key(file));
        } catch (NoSuchFileException e) {
            // Deleted; another one may be created.
            return false;
        }
    }

    private void reopen() throws IOException {
        in.close();
        in = Files.newInputStream(file);
        reader = new TraceReader(in);
        key = key(file);
    }

    /** Returns a key that distinguishes a file from a later one of the same name; null if the file system has none. */
    private static @Nullable Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    @Override
    public String name() {
        return file.toString();
    }

    @Override
    public void close() throws IOException {
        in.close();
        watch.close();
    }
}
