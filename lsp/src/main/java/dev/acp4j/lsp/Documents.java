package dev.acp4j.lsp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The files that a server has open, as it was told last. Before each question they are read again, and what differs is
 * sent; so are changes of other files on disk.
 *
 * <p>The lock lets one thread at a time do that, which reads files and sends meanwhile: a question must come behind all
 * of it. Nothing else takes the lock.
 */
final class Documents {
    private static final int MOST_OPEN = 64;
    private static final int MOST_CHANGES = 1_000;

    /** A file that is open at the server; {@code after} is how many diagnostics had come when its text was sent. */
    private record Open(int version, String digest, long after) {}

    /**
     * The state of a server at the moment of a question.
     *
     * @param text what is in the file of the question; empty if there is none
     * @param digest the digest of that
     * @param wanted what the diagnostics of that file must be of
     * @param isSaved whether the text is that on disk
     * @param isCut whether there are files whose changes are not looked for
     */
    record Synced(String text, String digest, PublishedDiagnostics.Wanted wanted, boolean isSaved, boolean isCut) {}

    private final ServerLink link;
    private final LanguageServer server;
    private final Contents contents;
    private final FolderScan scan;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Path, Open> open = new LinkedHashMap<>();

    /** Versions count for all files, so that those of a file that is opened again go on. */
    @GuardedBy("lock")
    private int versions;

    /** How many diagnostics had come when a change was sent last, of any file. */
    @GuardedBy("lock")
    private long afterAll;

    Documents(ServerLink link, LanguageServer server, Contents contents, List<Path> folders) {
        this.link = link;
        this.server = server;
        this.contents = contents;
        this.scan = new FolderScan(folders);
        // What is there now, the server reads itself.
        var unused = scan.look(this::isWatched);
    }

    private boolean isWatched(Path file) {
        return server.identifier(file) != null || link.watchers().match(file);
    }

    /** Returns the files that are open. */
    List<Path> open() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return List.copyOf(open.keySet());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tells the server all that it does not know yet.
     *
     * @param asked the file of the question, which is opened; null if it is about none
     * @throws IOException when that file cannot be read
     */
    Synced sync(@Nullable Path asked) throws InterruptedException, IOException {
        lock.lockInterruptibly();
        try {
            tellOfFolders();
            for (Path file : List.copyOf(open.keySet())) {
                if (!file.equals(asked)) {
                    update(file, readable(file));
                }
            }
            for (Path file : contents.written()) {
                if (!open.containsKey(file) && server.identifier(file) != null) {
                    update(file, readable(file));
                }
            }
            if (asked == null) {
                return new Synced("", "", new PublishedDiagnostics.Wanted(0, 0, afterAll), true, scan.isCut());
            }
            Contents.Content content = contents.read(asked);
            if (content == null) {
                update(asked, null);
                throw new IOException("the file does not exist any more");
            }
            update(asked, content);
            Open now = Objects.requireNonNull(open.remove(asked));
            open.put(asked, now); // It is the last one to be closed.
            return new Synced(
                    content.text(),
                    content.digest(),
                    new PublishedDiagnostics.Wanted(now.version(), now.after(), afterAll),
                    content.isSaved(),
                    scan.isCut());
        } finally {
            lock.unlock();
        }
    }

    /** Returns what is in a file that is not asked for; null if it cannot be read, as if it did not exist. */
    private Contents.@Nullable Content readable(Path file) {
        try {
            return contents.read(file);
        } catch (IOException e) {
            return null;
        }
    }

    @GuardedBy("lock")
    private void update(Path file, Contents.@Nullable Content content) throws InterruptedException {
        Open before = open.get(file);
        if (content == null) {
            if (before != null) {
                close(file);
                link.published().remove(file);
            }
        } else if (before == null) {
            open(file, content);
        } else if (!before.digest().equals(content.digest())) {
            change(file, content);
        }
    }

    @GuardedBy("lock")
    private void open(Path file, Contents.Content content) throws InterruptedException {
        if (open.size() >= MOST_OPEN) {
            Iterator<Path> oldest = open.keySet().iterator();
            close(oldest.next());
        }
        if (!content.isSaved()) {
            afterAll = link.published().number(); // Others may have read it from disk.
        }
        int version = begin(file, content);
        send("textDocument/didOpen", out -> {
            out.name("textDocument");
            out.beginObject();
            out.name("uri");
            out.string(Lsp.uri(file));
            out.name("languageId");
            out.string(Objects.requireNonNullElse(server.identifier(file), server.language()));
            out.name("version");
            out.int64(version);
            out.name("text");
            out.string(content.text());
            out.endObject();
        });
    }

    @GuardedBy("lock")
    private void change(Path file, Contents.Content content) throws InterruptedException {
        if (!link.takesChanges()) {
            close(file);
            open(file, content);
            return;
        }
        afterAll = link.published().number();
        int version = begin(file, content);
        send("textDocument/didChange", out -> {
            out.name("textDocument");
            out.beginObject();
            out.name("uri");
            out.string(Lsp.uri(file));
            out.name("version");
            out.int64(version);
            out.endObject();
            out.name("contentChanges");
            out.beginArray();
            out.raw(Lsp.object(change -> {
                change.name("text");
                change.string(content.text());
            }));
            out.endArray();
        });
        if (content.isSaved() && link.wantsSaves()) {
            send("textDocument/didSave", out -> {
                named(file, out);
                out.name("text");
                out.string(content.text());
            });
        }
    }

    @GuardedBy("lock")
    private int begin(Path file, Contents.Content content) {
        versions++;
        open.put(file, new Open(versions, content.digest(), link.published().number()));
        return versions;
    }

    @GuardedBy("lock")
    private void close(Path file) throws InterruptedException {
        open.remove(file);
        send("textDocument/didClose", out -> named(file, out));
    }

    /** Reports changes on disk. Those of open files reach the server in another way, too. */
    @GuardedBy("lock")
    private void tellOfFolders() throws InterruptedException {
        Map<Path, FolderScan.Change> changes = scan.look(this::isWatched);
        JsonWriter list = new JsonWriter();
        int count = 0;
        for (Map.Entry<Path, FolderScan.Change> change : changes.entrySet()) {
            if (count == 0) {
                list = new JsonWriter();
                list.beginArray();
            }
            list.beginObject();
            list.name("uri");
            list.string(Lsp.uri(change.getKey()));
            list.name("type");
            list.int64(change.getValue().number());
            list.endObject();
            if (change.getValue() == FolderScan.Change.DELETED) {
                link.published().remove(change.getKey());
            }
            count++;
            if (count == MOST_CHANGES) {
                list.endArray();
                tell(list.toRawJson());
                count = 0;
            }
        }
        if (count > 0) {
            list.endArray();
            tell(list.toRawJson());
        }
    }

    @GuardedBy("lock")
    private void tell(RawJson changes) throws InterruptedException {
        afterAll = link.published().number();
        send("workspace/didChangeWatchedFiles", out -> {
            out.name("changes");
            out.raw(changes);
        });
    }

    private void send(String method, Consumer<JsonWriter> members) throws InterruptedException {
        link.send(method, members);
    }

    private static void named(Path file, JsonWriter out) {
        out.name("textDocument");
        out.beginObject();
        out.name("uri");
        out.string(Lsp.uri(file));
        out.endObject();
    }
}
