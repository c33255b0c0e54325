package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.Unstable;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Shows the output of a command that the agent runs by itself, while it runs:
 *
 * <pre>{@code
 * try (ToolCallHandle call = turn.toolCall("make", ToolKind.EXECUTE).start();
 *         AgentTerminal terminal = call.openTerminal(folder)) {
 *     Process make = new ProcessBuilder("make").directory(folder.toFile()).redirectErrorStream(true).start();
 *     turn.onCancel(make::destroy);
 *     InputStream output = make.getInputStream();
 *     byte[] buffer = new byte[8192];
 *     for (int n = output.read(buffer); n >= 0; n = output.read(buffer)) {
 *         terminal.print(Arrays.copyOf(buffer, n));
 *     }
 *     terminal.exited(make.waitFor());
 *     call.complete();
 * }
 * }</pre>
 *
 * <p>To run a command in a terminal of the client instead, see {@link SessionWriter#run}.
 *
 * <p>A client that supports {@link Feature#AGENT_TERMINALS} gets each piece as it is printed. Others get the last part
 * of the output as text of the tool call: five times a second as its {@linkplain ToolCallHandle#progress progress}, and
 * at the end as content. The capabilities of {@link SessionWriter#client()} decide that when the terminal is opened.
 *
 * <p>Thread-safe. The methods throw what those of {@link SessionWriter} throw.
 *
 * <p>The lock guards the output and is held while an update is sent, so that output is sent in its order.
 */
public final class AgentTerminal implements AutoCloseable {
    private static final int KEPT = 64 << 10;
    private static final int SHOWN_LIVE = 8 << 10;
    private static final long SHOWN_EVERY = Duration.ofMillis(200).toNanos();

    private final ToolCallHandle call;
    private final @Nullable AgentDialect dialect;
    private final TerminalId id;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final OutputTail output = new OutputTail(KEPT);

    /** Whether there was output since progress was shown last. */
    @GuardedBy("lock")
    private boolean unseen;

    /** When progress was shown last. */
    @GuardedBy("lock")
    private long shown = System.nanoTime() - SHOWN_EVERY;

    @GuardedBy("lock")
    private boolean ended;

    /** @param dialect how to show a terminal to the client; null when it shows none */
    AgentTerminal(ToolCallHandle call, @Nullable AgentDialect dialect, String cwd) {
        this.call = call;
        this.dialect = dialect;
        this.id = TerminalId.of(call.id().value());
        if (dialect != null) {
            call.say(dialect.terminalBegins(call.id(), id, cwd));
            call.terminal(id);
        }
    }

    /**
     * Offers clients of version 2 to stop this command alone, until it has ended. The action runs on a thread of its
     * own when a client asks for that; the end is reported as always, with {@link #exited} or {@link #killed}.
     */
    @Unstable
    public AgentTerminal onCancel(Runnable action) {
        lock.lock();
        try {
            SessionUpdate offered = dialect == null ? null : dialect.terminalCanBeCancelled(id);
            if (!ended && offered != null) {
                call.cancellable(id, action);
                call.say(offered);
            }
            return this;
        } finally {
            lock.unlock();
        }
    }

    /** Shows what the command has printed, which may have control characters of terminals. */
    public void print(String text) {
        lock.lock();
        try {
            requireRunning();
            output.add(text);
            show(text);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Shows what the command has printed, in UTF-8. A character may come in pieces. Nothing printed, again and again,
     * shows a client without terminals what it has not seen.
     */
    public void print(byte[] bytes) {
        lock.lock();
        try {
            requireRunning();
            show(output.add(bytes));
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void requireRunning() {
        if (ended) {
            throw new IllegalStateException("the command has ended");
        }
    }

    @GuardedBy("lock")
    private void show(String piece) {
        if (dialect != null) {
            if (!piece.isEmpty()) {
                call.say(dialect.terminalPrints(call.id(), id, piece));
            }
            return;
        }
        unseen |= !piece.isEmpty();
        if (unseen && System.nanoTime() - shown >= SHOWN_EVERY) {
            call.progress(block(output.end(SHOWN_LIVE)));
            shown = System.nanoTime();
            unseen = false;
        }
    }

    /** Returns the end of the output, at most 65,536 characters, without control characters. */
    public String output() {
        lock.lock();
        try {
            return output.toString();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether there was more output than {@link #output} has. */
    public boolean isTruncated() {
        lock.lock();
        try {
            return output.isTruncated();
        } finally {
            lock.unlock();
        }
    }

    /** The command has ended by itself. */
    public void exited(int exitCode) {
        end(TerminalExitStatus.exited(exitCode));
    }

    /** A signal has ended the command, for example {@code SIGTERM}. */
    public void killed(String signal) {
        end(TerminalExitStatus.killed(signal));
    }

    private void end(TerminalExitStatus status) {
        lock.lock();
        try {
            if (ended) {
                return;
            }
            ended = true;
            call.cancellable(id, null);
            if (dialect != null) {
                call.say(dialect.terminalEnds(call.id(), id, status));
            } else {
                call.endProgress(block(output.toString()));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the terminal, unless that is done: then it is not known how the command ended. Does not end the command. */
    @Override
    public void close() {
        if (call.isOver()) {
            return;
        }
        try {
            end(TerminalExitStatus.builder().build());
        } catch (ConnectionClosedException e) {
            // Nobody is there to see it.
        } catch (CancellationException e) {
            // The client reads too slowly, and shows a cancelled tool call as cancelled.
        }
    }

    /** Returns text as a block of code in Markdown; empty text as it is. */
    static String block(String text) {
        if (text.isEmpty()) {
            return "";
        }
        String fence = "```";
        while (text.contains(fence)) {
            fence += "`";
        }
        return fence + "\n" + text + (text.endsWith("\n") ? "" : "\n") + fence + "\n";
    }
}
