package dev.acp4j.workspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Session;
import dev.acp4j.schema.ReadTextFileRequest;
import dev.acp4j.schema.WriteTextFileRequest;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The workspaces of a client's sessions, and what agents ask of them. A session's folders are resolved when it first
 * asks for something.
 *
 * <p>The lock guards which session has which workspace; no file is looked at while holding it.
 */
final class SessionWorkspaces {
    private final FileThreads threads = new FileThreads();
    private final ReentrantLock lock = new ReentrantLock();

    /** Weak, because nobody says when a session has ended that had no terminals. */
    @GuardedBy("lock")
    private final Map<Session, Workspace> workspaces = new WeakHashMap<>();

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
        Workspace resolved = threads.run("cannot use the folders of the session", () -> Workspace.of(session.roots()));
        lock.lock();
        try {
            // The first one stays: all that is asked of a session has the same roots.
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
