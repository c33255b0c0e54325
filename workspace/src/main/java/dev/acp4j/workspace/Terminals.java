package dev.acp4j.workspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.process.LaunchException;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The terminals of one session: commands that the agent starts on the client's machine.
 *
 * <p>A command starts in a folder of the workspace, with nothing to read on its standard input. Nothing holds it there:
 * a command can do what this program can. It ends with all processes it has started, at the latest when this is closed
 * or the JVM exits. Output and error output are kept as one text, in the order in which they came, up to a limit beyond
 * which the beginning is dropped. What processes left behind by a command print after its end is not kept.
 *
 * <p>Methods may be called from any thread, and concurrently. All fail with a {@link WorkspaceException}. The lock
 * guards which terminals are open; no process is started, ended or waited for while holding it.
 */
public final class Terminals implements AutoCloseable {
    /** Ids differ in all sessions of this program, so that one that is sent with the wrong session is noticed. */
    private static final AtomicLong LAST_ID = new AtomicLong();

    private final Workspace workspace;
    private final TerminalOptions options;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<TerminalId, Terminal> open = new LinkedHashMap<>();

    @GuardedBy("lock")
    private int starting;

    @GuardedBy("lock")
    private boolean closed;

    private Terminals(Workspace workspace, TerminalOptions options) {
        this.workspace = workspace;
        this.options = options;
    }

    /** Returns terminals whose commands run in the folders of a workspace; the first of them unless told otherwise. */
    public static Terminals of(Workspace workspace) {
        return of(workspace, TerminalOptions.DEFAULTS);
    }

    /** Returns terminals with other options than the usual ones. */
    public static Terminals of(Workspace workspace, TerminalOptions options) {
        return new Terminals(workspace, options);
    }

    /** Starts a command and returns without waiting for it. */
    public TerminalId create(CreateTerminalRequest request) throws InterruptedException {
        reserve();
        Terminal terminal = null;
        try {
            terminal = start(request);
        } finally {
            register(terminal);
        }
        return terminal.id();
    }

    private Terminal start(CreateTerminalRequest request) throws InterruptedException {
        String cwd = request.cwd();
        Path folder = workspace.folder(cwd == null ? workspace.roots().getFirst() : Workspace.path(cwd));
        ProcessBuilder builder = TerminalCommand.of(request, folder, options);
        TerminalId id = TerminalId.of("terminal-" + LAST_ID.incrementAndGet());
        try {
            return Terminal.start(id, builder, options.outputBytes(request.outputByteLimit()));
        } catch (LaunchException e) {
            // Where it was looked for is in the cause: the agent may be far away, and our search path is not its
            // business.
            throw new WorkspaceException.NotStarted(
                    "cannot run " + request.command() + " in " + folder
                            + ": there is no such program, or it cannot be given these arguments",
                    e);
        } catch (IOException e) {
            Throwable reason = e.getCause() == null ? e : e.getCause();
            throw new WorkspaceException.NotStarted(
                    "cannot run " + request.command() + " in " + folder + ": " + reason.getMessage(), e);
        }
    }

    private void reserve() {
        lock.lock();
        try {
            if (closed) {
                throw new WorkspaceException.NotStarted("the session has ended", null);
            }
            if (open.size() + starting >= options.maxTerminals()) {
                throw new WorkspaceException.TooManyTerminals(open.size() + starting);
            }
            starting++;
        } finally {
            lock.unlock();
        }
    }

    /** Turns a reservation into an open terminal, or gives it back when there is none. */
    private void register(@Nullable Terminal terminal) {
        boolean late;
        lock.lock();
        try {
            starting--;
            late = closed;
            if (terminal != null && !late) {
                open.put(terminal.id(), terminal);
            }
        } finally {
            lock.unlock();
        }
        if (terminal != null && late) {
            terminal.end(options.mercy());
            throw new WorkspaceException.NotStarted("the session has ended", null);
        }
    }

    /** Returns the output so far and, once the command has ended, how. */
    public TerminalOutputResponse output(TerminalId id) {
        return find(id).output();
    }

    /**
     * Waits for a command to end and returns how it did. Releasing the terminal ends the command and so the wait.
     *
     * @return the exit code; on Unix a command ended by a signal has 128 and its number as the code, and the name of
     *     the signal beside it, and so has a command that chose such a code by itself
     */
    public TerminalExitStatus waitForExit(TerminalId id) throws InterruptedException {
        return find(id).waitForExit();
    }

    /**
     * Ends a command and all it started, and waits for that. The terminal stays, with its output and exit status. No
     * error if the command has ended already.
     */
    public void kill(TerminalId id) {
        check(find(id).end(options.mercy()));
    }

    /**
     * Ends a command and all it started, waits for that, and forgets the terminal.
     *
     * @return the last of the output, which a user interface goes on showing
     */
    public TerminalOutputResponse release(TerminalId id) {
        Terminal terminal = known(id, remove(id));
        String left = terminal.end(options.mercy());
        TerminalOutputResponse last = terminal.output();
        terminal.forget();
        check(left);
        return last;
    }

    private Terminal find(TerminalId id) {
        lock.lock();
        try {
            return known(id, open.get(id));
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Terminal remove(TerminalId id) {
        lock.lock();
        try {
            return open.remove(id);
        } finally {
            lock.unlock();
        }
    }

    private static Terminal known(TerminalId id, @Nullable Terminal terminal) {
        if (terminal == null) {
            throw new WorkspaceException.UnknownTerminal(id.value());
        }
        return terminal;
    }

    private static void check(@Nullable String left) {
        if (left != null) {
            throw new WorkspaceException.Failed(left, null);
        }
    }

    /**
     * Releases all terminals; from now on none is created. Blocks until their commands have ended, all at the same
     * time. Interrupting the thread does not stop that, but hurries it.
     */
    @Override
    public void close() {
        List<Terminal> terminals;
        lock.lock();
        try {
            closed = true;
            terminals = new ArrayList<>(open.values());
            open.clear();
        } finally {
            lock.unlock();
        }
        Terminal.endAll(terminals, options.mercy());
    }
}
