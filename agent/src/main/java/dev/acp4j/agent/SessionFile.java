package dev.acp4j.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.sessions.JsonLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The {@linkplain JsonLines file} of one conversation: a record on each line. It is created by the first turn.
 *
 * <p>The lock guards what waits and what is reported, and is held while a record is written, before that of the file.
 */
final class SessionFile implements Journal {
    /** How much of a file is read for the list of sessions: the title is among the first records. */
    private static final int HEAD_BYTES = 64 * 1024;

    private final JsonLines file;
    private final ReentrantLock lock = new ReentrantLock();

    /** What precedes the first turn; it is written with that. */
    @GuardedBy("lock")
    private final List<SessionRecord> waiting = new ArrayList<>();

    /** Whether a record of this turn was lost: then the rest of the turn is not written either. */
    @GuardedBy("lock")
    private boolean hasFailed;

    /** The last problem that was reported; it is not repeated in each turn. */
    @GuardedBy("lock")
    private @Nullable String reported;

    @GuardedBy("lock")
    private @Nullable String problem;

    /**
     * A conversation that was read.
     *
     * @param file its file, locked
     * @param first its first readable record; {@link #read} gives all
     */
    record Opened(SessionFile file, SessionRecord first) {}

    private SessionFile(JsonLines file) {
        this.file = file;
    }

    /** Returns the file for a new conversation; it does not exist before the first turn. */
    static SessionFile create(Path path, SessionRecord begun) {
        SessionFile file = new SessionFile(JsonLines.create(path));
        file.add(begun);
        return file;
    }

    /**
     * Opens the file of an earlier conversation. Returns null if there is none.
     *
     * @throws JsonLines.InUseException if another process has it open
     */
    static @Nullable Opened open(Path path) throws IOException {
        JsonLines opened = JsonLines.open(path).orElse(null);
        if (opened == null) {
            return null;
        }
        SessionRecord first = null;
        try {
            List<SessionRecord> found = new ArrayList<>(1);
            opened.read(line -> {
                SessionRecord record = SessionRecord.read(line);
                if (record != null) {
                    found.add(record);
                }
                return found.isEmpty();
            });
            first = found.isEmpty() ? null : found.getFirst();
            return first == null ? null : new Opened(new SessionFile(opened), first);
        } finally {
            if (first == null) {
                opened.close();
            }
        }
    }

    /** Returns the first records, up to the title, of a conversation that this process does not have open. */
    static List<SessionRecord> head(Path path) throws IOException {
        List<SessionRecord> records = new ArrayList<>();
        JsonLines.head(path, HEAD_BYTES, line -> {
            SessionRecord record = SessionRecord.read(line);
            if (record != null) {
                records.add(record);
            }
            return !(record instanceof SessionRecord.Titled);
        });
        return records;
    }

    @Override
    public void add(SessionRecord record) {
        lock.lock();
        try {
            boolean isTurn = record instanceof SessionRecord.TurnBegun;
            boolean isOpen = file.isOpen();
            if (!isOpen && record instanceof SessionRecord.Update) {
                // Of a turn that could not be saved from its beginning.
                return;
            }
            if (!isOpen && !isTurn) {
                await(record);
                return;
            }
            if (isTurn) {
                hasFailed = false;
            }
            if (!hasFailed) {
                write(record);
            }
        } catch (IOException e) {
            hasFailed = true;
            String why =
                    e instanceof JsonLines.InUseException || e.getMessage() == null ? e.toString() : e.getMessage();
            if (!why.equals(reported)) {
                problem = "This conversation could not be saved in " + file.path() + ": " + why;
                reported = why;
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void write(SessionRecord record) throws IOException {
        List<RawJson> lines = new ArrayList<>();
        for (SessionRecord earlier : waiting) {
            lines.add(earlier.toJson());
        }
        lines.add(record.toJson());
        file.append(lines);
        waiting.clear();
        reported = null;
    }

    /** Keeps a record for the first turn, in place of an earlier one of its kind. A lambda would delay opening. */
    @GuardedBy("lock")
    private void await(SessionRecord record) {
        for (int i = 0; i < waiting.size(); i++) {
            if (waiting.get(i).getClass() == record.getClass()) {
                waiting.set(i, record);
                return;
            }
        }
        waiting.add(record);
    }

    @Override
    public @Nullable String takeProblem() {
        lock.lock();
        try {
            String taken = problem;
            problem = null;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean replay(Consumer<SessionUpdate> to) {
        if (!file.isOpen()) {
            return false;
        }
        try {
            int unused = readAll(record -> {
                if (record instanceof SessionRecord.Update update) {
                    to.accept(update.update());
                }
            });
            return true;
        } catch (IOException e) {
            throw new RpcError(
                    RpcError.INTERNAL_ERROR,
                    "this conversation cannot be read from " + file.path() + ": " + e.getMessage());
        }
    }

    /** Reads all records, one after the other; those that cannot be read become a {@link #takeProblem problem}. */
    void read(Consumer<SessionRecord> to) throws IOException {
        int unread = readAll(to);
        if (unread > 0) {
            lock.lock();
            try {
                problem = unread + (unread == 1 ? " record" : " records") + " of this conversation in " + file.path()
                        + " could not be read";
            } finally {
                lock.unlock();
            }
        }
    }

    /** Returns how many records could not be read. */
    private int readAll(Consumer<SessionRecord> to) throws IOException {
        int[] unread = {0};
        file.read(line -> {
            SessionRecord record = SessionRecord.read(line);
            if (record == null) {
                unread[0]++;
            } else {
                to.accept(record);
            }
            return true;
        });
        return unread[0];
    }

    /** Ends the use of the file; later records are discarded. */
    void close() {
        file.close();
    }

    /** Deletes the file and closes it. */
    void delete() throws IOException {
        file.delete();
    }
}
