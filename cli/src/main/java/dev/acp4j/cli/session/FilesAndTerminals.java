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
import java.util.List;
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
    private final Map<Session, Terminals> terminals = new LinkedHashMap<>();

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
        List<Terminals> open;
        lock.lock();
        try {
            String kept = released.get(terminal);
            if (kept != null) {
                return kept;
            }
            open = List.copyOf(terminals.values());
        } finally {
            lock.unlock();
        }
        for (Terminals ofSession : open) {
            try {
                return ofSession.output(terminal).output();
            } catch (WorkspaceException e) {
                // A terminal of another session, or unknown.
            }
        }
        return null;
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
            open = terminals.get(session);
        } finally {
            lock.unlock();
        }
        if (open != null) {
            open.close();
        }
    }

    /** Returns the terminals of a session; once closed they reject further commands. */
    private Terminals of(Session session) {
        lock.lock();
        try {
            return terminals.computeIfAbsent(session, any -> Terminals.of(Workspace.of(session.roots())));
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
