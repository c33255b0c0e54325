package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RequestId;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is kept in a folder: a file that says whose it is and which requests are open, and the segments of
 * its logs. When a file cannot be written, the connection goes on in memory, and nothing of it is kept: a log with a
 * hole is worse than none.
 *
 * <p>The lock guards the open requests and their file. It is taken behind those of connections and streams, and before
 * those of files.
 */
final class FileConnection implements ConnectionStore, FileLog.Home {
    private static final String STATE = "connection";

    // Kinds of records.
    private static final byte BEGIN = 'b';
    private static final byte INITIALIZED = 'i';
    private static final byte ASKED = 'q';
    private static final byte ANSWERED = 'a';

    /** A request that is not answered. */
    record Asked(RequestId id, String method, String session) {}

    private final FileStore store;
    private final Path folder;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable RecordFile state;

    /** The size of the file when no request is open; 0 when that is not known. */
    @GuardedBy("lock")
    private long calmSize;

    @GuardedBy("lock")
    private final Map<RequestId, Asked> asked = new LinkedHashMap<>();

    @GuardedBy("lock")
    private long lastLog;

    private final AtomicLong lastSegment = new AtomicLong();

    /** The logs of an earlier process, in the order in which they began. */
    private final List<FileLog> earlier = new ArrayList<>(0);

    private String id = "";
    private Principal principal = Principal.ANYBODY;
    private boolean isInitialized;
    private boolean isVersion1;
    private volatile boolean isKept = true;

    private FileConnection(FileStore store, Path folder) {
        this.store = store;
        this.folder = folder;
    }

    static FileConnection create(FileStore store, Path folder, String id, Principal principal) {
        FileConnection created = new FileConnection(store, folder);
        created.id = id;
        created.principal = principal;
        created.begin();
        return created;
    }

    private void begin() {
        lock.lock();
        try {
            Files.createDirectory(folder, PrivateAttributes.folder(folder));
            state = RecordFile.create(folder.resolve(STATE));
            List<String> texts = new ArrayList<>(List.of(id, principal.name()));
            texts.addAll(principal.groups());
            write(BEGIN, texts.toArray(String[]::new));
        } catch (IOException e) {
            failed(e);
        } finally {
            lock.unlock();
        }
    }

    /** Reads what an earlier process has kept. Returns null for a connection that had not been initialized. */
    static @Nullable FileConnection restore(FileStore store, Path folder) throws IOException {
        FileConnection restored = new FileConnection(store, folder);
        if (Files.exists(folder.resolve(STATE))) {
            restored.read();
        }
        if (!restored.isInitialized) {
            restored.end();
            return null;
        }
        return restored;
    }

    private void read() throws IOException {
        lock.lock();
        try {
            state = RecordFile.open(folder.resolve(STATE), this::take);
            Map<Long, List<Path>> segments = segments();
            for (Map.Entry<Long, List<Path>> log : segments.entrySet()) {
                lastLog = log.getKey();
                FileLog restored = FileLog.restore(this, log.getKey(), log.getValue(), store.newLog());
                if (restored != null) {
                    earlier.add(restored);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void take(byte kind, ByteBuffer body) throws IOException {
        try {
            switch (kind) {
                case BEGIN -> {
                    id = RecordFile.text(body);
                    String name = RecordFile.text(body);
                    Set<String> groups = new LinkedHashSet<>();
                    while (body.hasRemaining()) {
                        groups.add(RecordFile.text(body));
                    }
                    principal = new Principal(name, groups);
                }
                case INITIALIZED -> {
                    isInitialized = true;
                    isVersion1 = RecordFile.text(body).equals("1");
                }
                case ASKED -> {
                    Asked request =
                            new Asked(requestId(RecordFile.text(body)), RecordFile.text(body), RecordFile.text(body));
                    put(request);
                }
                case ANSWERED -> remove(requestId(RecordFile.text(body)));
                default -> throw new IOException("a record of the unknown kind " + kind);
            }
        } catch (BufferUnderflowException | JsonException e) {
            throw new IOException("a record of the kind " + kind + " cannot be read", e);
        }
    }

    private static RequestId requestId(String json) {
        return RequestId.CODEC.decode(RawJson.parse(json).reader());
    }

    private void put(Asked request) {
        lock.lock();
        try {
            asked.put(request.id, request);
        } finally {
            lock.unlock();
        }
    }

    private boolean remove(RequestId answered) {
        lock.lock();
        try {
            return asked.remove(answered) != null;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the segments of each log in their order. */
    private Map<Long, List<Path>> segments() throws IOException {
        Map<Long, Map<Long, Path>> found = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                if (name.matches("[0-9]{1,18}[.][0-9]{1,18}")) {
                    int dot = name.indexOf('.');
                    long segment = Long.parseLong(name.substring(dot + 1));
                    lastSegment.accumulateAndGet(segment, Math::max);
                    found.computeIfAbsent(Long.valueOf(name.substring(0, dot)), log -> new TreeMap<>())
                            .put(segment, file);
                }
            }
        }
        Map<Long, List<Path>> segments = new LinkedHashMap<>();
        found.forEach((log, files) -> segments.put(log, List.copyOf(files.values())));
        return segments;
    }

    String id() {
        return id;
    }

    Principal principal() {
        return principal;
    }

    boolean isVersion1() {
        return isVersion1;
    }

    /** Returns the logs of an earlier process, in the order in which they began. */
    List<FileLog> earlier() {
        return earlier;
    }

    /** Returns the requests that are not answered, in their order. */
    List<Asked> open() {
        lock.lock();
        try {
            return List.copyOf(asked.values());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public StreamLog log(String session) {
        lock.lock();
        try {
            return new FileLog(this, ++lastLog, session, store.newLog());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void initialized(boolean version1) {
        lock.lock();
        try {
            isVersion1 = version1;
            write(INITIALIZED, version1 ? "1" : "2");
            RecordFile file = state;
            calmSize = file == null ? 0 : file.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void asked(RequestId request, String method, String session) {
        lock.lock();
        try {
            put(new Asked(request, method, session));
            write(ASKED, request.json().toString(), method, session);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void answered(RequestId request) {
        lock.lock();
        try {
            if (!remove(request)) {
                return;
            }
            RecordFile file = state;
            if (asked.isEmpty() && calmSize > 0 && file != null && isKept) {
                // Nothing is open, so the file need not say what was.
                file.cut(calmSize);
                store.written(file);
            } else {
                write(ANSWERED, request.json().toString());
            }
        } catch (IOException e) {
            failed(e);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void write(byte kind, String... texts) {
        RecordFile file = state;
        if (file == null || !isKept) {
            return;
        }
        try {
            file.append(kind, RecordFile.texts(texts));
            store.written(file);
        } catch (IOException e) {
            failed(e);
        }
    }

    @Override
    public Path nextSegment(long log) {
        return folder.resolve(log + "." + lastSegment.incrementAndGet());
    }

    @Override
    public void written(RecordFile file) {
        store.written(file);
    }

    @Override
    public boolean isKept() {
        return isKept;
    }

    @Override
    public void failed(IOException problem) {
        if (isKept) {
            store.problem("a connection cannot be kept in " + folder + ": " + problem.getMessage());
            end();
        }
    }

    @Override
    public void end() {
        isKept = false;
        store.release(folder);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (NoSuchFileException e) {
            // It is deleted already.
        } catch (IOException e) {
            store.problem(folder + " cannot be deleted: " + e.getMessage());
        }
    }
}
