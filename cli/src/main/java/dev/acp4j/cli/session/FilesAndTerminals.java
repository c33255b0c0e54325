package dev.acp4j.cli.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalResponse;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import dev.acp4j.workspace.Terminals;
import dev.acp4j.workspace.Workspace;
import dev.acp4j.workspace.WorkspaceException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The files and terminals offered to an agent: files inside the session's folder, and terminals there. The output of a
 * terminal is kept after its release, because a tool call continues to show it.
 *
 * <p>The lock guards the set of terminals; no command is started, ended or waited for while holding it.
 */
final class FilesAndTerminals implements Client.TerminalHandler {
    private static final int RELEASED_KEPT = 64;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Terminals terminals;

    @GuardedBy("lock")
    private final Map<TerminalId, String> released = new LinkedHashMap<>();

    /**
     * Offers them to a client's agent.
     *
     * @param readOnly whether to offer reading only
     */
    void offer(Client.Builder client, boolean readOnly) {
        if (readOnly) {
            Workspace.offerReadingTo(client);
        } else {
            Workspace.offerFilesTo(client).terminals(this);
        }
    }

    /** Returns the output of a terminal so far; null for an unknown or discarded terminal. */
    @Nullable
    String output(TerminalId terminal) {
        Terminals open;
        lock.lock();
        try {
            String kept = released.get(terminal);
            if (kept != null || terminals == null) {
                return kept;
            }
            open = terminals;
        } finally {
            lock.unlock();
        }
        try {
            return open.output(terminal).output();
        } catch (WorkspaceException e) {
            return null;
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
    public TerminalOutputResponse output(Session session, TerminalOutputRequest request) {
        return refused(() -> of(session).output(request.terminalId()));
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
    public void kill(Session session, KillTerminalRequest request) {
        refused(() -> {
            of(session).kill(request.terminalId());
            return true;
        });
    }

    @Override
    public void release(Session session, ReleaseTerminalRequest request) {
        TerminalId terminal = request.terminalId();
        // Available without a gap: the tool call may be shown while the command is being ended.
        String soFar = output(terminal);
        if (soFar != null) {
            keep(terminal, soFar);
        }
        keep(terminal, refused(() -> of(session).release(terminal)).output());
    }

    private void keep(TerminalId terminal, String output) {
        lock.lock();
        try {
            released.put(terminal, output);
            if (released.size() > RELEASED_KEPT) {
                released.remove(released.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void sessionEnded(Session session) {
        Terminals open;
        lock.lock();
        try {
            open = terminals;
        } finally {
            lock.unlock();
        }
        if (open != null) {
            open.close();
        }
    }

    /** There is one session, so one set of terminals; once closed it rejects further commands. */
    private Terminals of(Session session) {
        lock.lock();
        try {
            if (terminals == null) {
                terminals = Terminals.of(Workspace.of(session.roots()));
            }
            return terminals;
        } finally {
            lock.unlock();
        }
    }

    private static <T> T refused(Supplier<T> work) {
        try {
            return work.get();
        } catch (WorkspaceException e) {
            throw e.toRpcError();
        }
    }
}
