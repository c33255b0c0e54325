package dev.acp4j.lsp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.process.ExitStatus;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchException;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcError;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A language server of some folders: started when it is first asked, and started again when it is asked after its end.
 * Starting goes on when nobody waits for it any more.
 *
 * <p>The lock guards the state; nothing is sent or waited for while it is held, except a change of the state itself.
 */
final class RunningServer {
    /** How often a server may end without having answered anything. */
    private static final int MOST_FAILURES = 3;

    /** How often in a row it may be silent before it is ended. */
    private static final int MOST_SILENCES = 2;

    private static final int MOST_LINES = 5;
    private static final Duration END_TIME = Duration.ofSeconds(8);

    private enum State {
        /** It does not run, and may be started. */
        IDLE,
        STARTING,
        READY,
        /** It does not run, and is not started again. */
        FAILED,
        CLOSED
    }

    /** One run of the server. */
    record Session(ServerLink link, Documents documents) {}

    private final LanguageServer server;
    private final LanguageTools.Settings settings;
    private final List<Path> folders;
    private final Contents contents;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private State state = State.IDLE;

    @GuardedBy("lock")
    private @Nullable Session session;

    @GuardedBy("lock")
    private @Nullable Thread thread;

    @GuardedBy("lock")
    private String failure = "";

    @GuardedBy("lock")
    private int failures;

    @GuardedBy("lock")
    private int silences;

    RunningServer(LanguageServer server, LanguageTools.Settings settings, List<Path> folders, Contents contents) {
        this.server = server;
        this.settings = settings;
        this.folders = folders;
        this.contents = contents;
    }

    LanguageServer server() {
        return server;
    }

    /** Whether it runs, or ran before. */
    boolean isStarted() {
        lock.lock();
        try {
            return thread != null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the running server, started if need be.
     *
     * @param end when waiting ends, in nanoseconds
     * @throws ServerUnavailableException when it is not there by then
     */
    Session await(long end) throws InterruptedException, ServerUnavailableException {
        lock.lockInterruptibly();
        try {
            if (state == State.IDLE) {
                if (!settings.places().tryAcquire()) {
                    throw new ServerUnavailableException("as many language servers run as may, "
                            + settings.mostServers() + "; those of a session end when it is closed");
                }
                state = State.STARTING;
                thread = Thread.ofPlatform()
                        .daemon()
                        .name("acp4j-lsp-" + server.language())
                        .start(this::run);
            }
            while (state == State.STARTING && settings.time().nanoTime() < end) {
                settings.time().await(lock, changed, end - settings.time().nanoTime());
            }
            return switch (state) {
                case READY -> Objects.requireNonNull(session);
                case STARTING ->
                    throw new ServerUnavailableException("the language server for " + server.language()
                            + " is still starting; ask again in a while");
                case CLOSED -> throw new ServerUnavailableException("the session has ended");
                case IDLE, FAILED -> throw new ServerUnavailableException(failure);
            };
        } finally {
            lock.unlock();
        }
    }

    /** It has answered. */
    void answered() {
        lock.lock();
        try {
            failures = 0;
            silences = 0;
        } finally {
            lock.unlock();
        }
    }

    /** It has not answered in time. One that does not react any more is ended, and started again when it is asked. */
    void silent() {
        lock.lock();
        try {
            silences++;
            if (silences >= MOST_SILENCES && state == State.READY && thread != null) {
                failure = "it did not answer " + silences + " requests, and was ended";
                silences = 0;
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the server without waiting for it. */
    void beginClose() {
        lock.lock();
        try {
            state = State.CLOSED;
            changed.signalAll();
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all of the server has ended. */
    void awaitEnd() {
        Thread running;
        lock.lock();
        try {
            running = thread;
        } finally {
            lock.unlock();
        }
        if (running == null) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            boolean unused = running.join(END_TIME);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- for the thread of the server

    private void run() {
        LaunchedProcess process = null;
        ServerLink link = null;
        String phase = "while starting";
        String why;
        try {
            process = launch().startFramed(BaseProtocol::new);
            link = new ServerLink(server, folders, settings.time(), process);
            link.initialize(settings.startTime());
            Session opened = new Session(link, new Documents(link, server, contents, folders));
            phase = "while it ran";
            if (ready(opened)) {
                link.awaitClosed();
            }
            why = ended(process, null);
        } catch (InterruptedException e) {
            why = "";
        } catch (IOException | RuntimeException e) {
            why = ended(process, e);
        } finally {
            if (link != null) {
                link.close();
            } else if (process != null) {
                process.close();
            }
            settings.places().release();
        }
        over(phase, why);
    }

    private Launch launch() {
        Launch launch = server.launch().inheritNoModelKeys().endWhenKilled().messageBytes(ServerLink.MESSAGE_BYTES);
        return launch.cwd() == null ? launch.cwd(folders.get(0)) : launch;
    }

    private boolean ready(Session opened) {
        lock.lock();
        try {
            if (state == State.CLOSED) {
                return false;
            }
            session = opened;
            state = State.READY;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Says why a server has ended, before it is ended here. */
    private static String ended(@Nullable LaunchedProcess process, @Nullable Exception e) {
        ExitStatus exit = process == null ? null : process.exit().orElse(null);
        String lines = process == null ? "" : lastLines(process.stderr());
        String problem = switch (e) {
            case null -> exit == null ? "it has closed the connection" : "it ended with " + exit;
            case RequestTimeoutException late -> "it did not answer in time: " + late.getMessage();
            case RpcError refused -> "it refused: " + refused.message();
            case LaunchException missing when process == null -> String.valueOf(missing.getMessage());
            default -> exit == null ? Objects.toString(e.getMessage(), e.toString()) : "it ended with " + exit;
        };
        return lines.isEmpty() ? problem : problem + "; its last lines were:\n" + lines;
    }

    private static String lastLines(String text) {
        List<String> lines = text.strip().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - MOST_LINES), lines.size()));
    }

    private void over(String phase, String why) {
        String said;
        lock.lock();
        try {
            session = null;
            if (state == State.CLOSED) {
                return;
            }
            failures++;
            boolean again = failures < MOST_FAILURES;
            String reason = why.isEmpty() ? failure : why;
            failure = "the language server for " + server.language() + " ("
                    + server.launch().commandLine()
                    + ") failed " + phase + ": " + reason
                    + (again ? "" : "\nIt is not started again in this session.");
            said = failure;
            state = again ? State.IDLE : State.FAILED;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        settings.onNotice().accept(Character.toUpperCase(said.charAt(0)) + said.substring(1));
    }
}
