package dev.acp4j.workspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Session;
import dev.acp4j.schema.ReadTextFileRequest;
import dev.acp4j.schema.WriteTextFileRequest;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The workspaces of a client's sessions, and the handlers of agents' requests for them. A session's folders are
 * resolved at its first request.
 *
 * <p>The lock guards the workspace of each session; no file is accessed while holding it.
 */
final class SessionWorkspaces {
    private final FileThreads threads = new FileThreads();
    private final @Nullable OpenDocuments documents;
    private final ReentrantLock lock = new ReentrantLock();

    /** Weak, because there is no notification of the end of a session without terminals. */
    @GuardedBy("lock")
    private final Map<Session, Workspace> workspaces = new WeakHashMap<>();

    /** @param documents the open documents of an editor, or null */
    SessionWorkspaces(@Nullable OpenDocuments documents) {
        this.documents = documents;
    }

    Workspace of(Session session) throws InterruptedException {
        lock.lock();
        try {
            Workspace known = workspaces.get(session);
            if (known != null) {
                return known;
            }
        } finally {
            lock.unlock();
        }
        Workspace onDisk = threads.run("cannot use the folders of the session", () -> Workspace.of(session.roots()));
        Workspace resolved = documents == null ? onDisk : onDisk.withDocuments(documents);
        lock.lock();
        try {
            // The first one is kept: all requests of a session use the same roots.
            Workspace known = workspaces.putIfAbsent(session, resolved);
            return known == null ? resolved : known;
        } finally {
            lock.unlock();
        }
    }

    String read(Session session, ReadTextFileRequest request) throws InterruptedException {
        try {
            return of(session).readText(Workspace.path(request.path()), request.line(), request.limit());
        } catch (WorkspaceException e) {
            throw e.toRpcError();
        }
    }

    void write(Session session, WriteTextFileRequest request) throws InterruptedException {
        try {
            of(session).writeText(Workspace.path(request.path()), request.content());
        } catch (WorkspaceException e) {
            throw e.toRpcError();
        }
    }
}
