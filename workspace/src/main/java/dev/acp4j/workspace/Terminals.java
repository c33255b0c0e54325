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
 * <p>A command starts in a folder of the workspace, with an empty standard input. It is not confined to that folder: a
 * command can do everything that this program can. It ends with its descendants, at the latest when this is closed or
 * the JVM exits. Output and error output are kept as one text, in order of arrival, up to a limit beyond which the
 * beginning is dropped. Output of descendants after the end of a command is not kept.
 *
 * <p>Thread-safe. All methods fail with a {@link WorkspaceException}. The lock guards the open terminals; no process is
 * started, ended or waited for while holding it.
 */
public final class Terminals implements AutoCloseable {
    /** Ids are unique across all sessions of this program, so that an id sent with the wrong session is detected. */
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

    /** Returns terminals whose commands run in the folders of a workspace; the default is the first of them. */
    public static Terminals of(Workspace workspace) {
        return of(workspace, TerminalOptions.DEFAULTS);
    }

    /** Returns terminals with these options. */
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
            // The searched folders are in the cause only: the agent may be remote, and the search path of this //
            // program is private.
            throw new WorkspaceException.NotStarted(
                    "cannot run " + request.command() + " in " + folder
                            + ": there is no such program, or these arguments cannot be passed to it",
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

    /** Turns a reservation into an open terminal, or releases it if there is none. */
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

    /** Returns the output so far and, once the command has ended, its exit status. */
    public TerminalOutputResponse output(TerminalId id) {
        return find(id).output();
    }

    /**
     * Waits for the end of a command and returns its exit status. Releasing the terminal ends the command and thus the
     * wait.
     *
     * @return the exit code; on Unix a command ended by a signal has 128 plus its number as the code, together with the
     *     name of the signal. The same applies to a command that exits with such a code by itself
     */
    public TerminalExitStatus waitForExit(TerminalId id) throws InterruptedException {
        return find(id).waitForExit();
    }

    /**
     * Ends a command and its descendants, and waits for that. The terminal remains, with its output and exit status. No
     * error if the command has already ended.
     */
    public void kill(TerminalId id) {
        check(find(id).end(options.mercy()));
    }

    /**
     * Ends a command and its descendants, waits for that, and removes the terminal.
     *
     * @return the final output, which a user interface continues to show
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
     * Releases all terminals; afterwards none can be created. Blocks until their commands have ended, all at the same
     * time. Interrupting the thread does not stop this: the remaining processes are killed at once.
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
