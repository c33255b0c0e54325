package dev.acp4j.workspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalResponse;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The terminals of a client's sessions, and the handlers of agents' requests for them.
 *
 * <p>The lock guards the terminals of each session; no terminal is used while holding it.
 */
final class SessionTerminals implements Client.TerminalHandler {
    private final SessionWorkspaces workspaces;
    private final TerminalOptions options;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Session, Terminals> terminals = new HashMap<>();

    /**
     * Ended sessions, for which a late request must not create terminals again. Weak: such a request references the
     * session.
     */
    @GuardedBy("lock")
    private final Set<Session> ended = Collections.newSetFromMap(new WeakHashMap<>());

    SessionTerminals(SessionWorkspaces workspaces, TerminalOptions options) {
        this.workspaces = workspaces;
        this.options = options;
    }

    private Terminals of(Session session) throws InterruptedException {
        Workspace workspace = workspaces.of(session);
        lock.lock();
        try {
            if (ended.contains(session)) {
                throw new WorkspaceException.NotStarted("the session has ended", null);
            }
            Terminals known = terminals.get(session);
            if (known != null) {
                return known;
            }
            Terminals created = Terminals.of(workspace, options);
            terminals.put(session, created);
            return created;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CreateTerminalResponse create(Session session, CreateTerminalRequest request) throws InterruptedException {
        try {
            return CreateTerminalResponse.of(of(session).create(request));
        } catch (WorkspaceException e) {
            throw e.toRpcError();
        }
    }

    @Override
    public TerminalOutputResponse output(Session session, TerminalOutputRequest request) throws InterruptedException {
        try {
            return of(session).output(request.terminalId());
        } catch (WorkspaceException e) {
            throw e.toRpcError();
        }
    }

    @Override
    public WaitForTerminalExitResponse waitForExit(Session session, WaitForTerminalExitRequest request)
            throws InterruptedException {
        try {
            return WaitForTerminalExitResponse.of(of(session).waitForExit(request.terminalId()));
        } catch (WorkspaceException e) {
            throw e.toRpcError();
        }
    }

    @Override
    public void kill(Session session, KillTerminalRequest request) throws InterruptedException {
        try {
            of(session).kill(request.terminalId());
        } catch (WorkspaceException e) {
            throw e.toRpcError();
        }
    }

    @Override
    public void release(Session session, ReleaseTerminalRequest request) throws InterruptedException {
        try {
            of(session).release(request.terminalId());
        } catch (WorkspaceException e) {
            throw e.toRpcError();
        }
    }

    @Override
    public void sessionEnded(Session session) {
        Terminals left;
        lock.lock();
        try {
            ended.add(session);
            left = terminals.remove(session);
        } finally {
            lock.unlock();
        }
        if (left != null) {
            left.close();
        }
    }
}
