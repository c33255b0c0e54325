package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.schema.TerminalCancelCapabilities;
import dev.acp4j.schema.TerminalCapabilities;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputChunk;
import dev.acp4j.schema.TerminalSize;
import dev.acp4j.schema.TerminalUpdate;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Shows the output of a command that the agent runs by itself, while it runs:
 *
 * <pre>{@code
 * try (ToolCallHandle call = turn.toolCall("make", ToolKind.EXECUTE).start();
 *         AgentTerminal terminal = call.openTerminal("make", folder)) {
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
 * <p>A client that supports {@link Feature#AGENT_TERMINALS}, as all of version 2 do, gets each piece as it is printed.
 * Others get the last part of the output as text of the tool call: five times a second at most, and at the end.
 *
 * <p>Thread-safe. The methods throw what those of {@link SessionWriter} throw.
 *
 * <p>The lock guards the output and is held while an update is sent, so that output is sent in its order.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#content">Content</a>
 */
public final class AgentTerminal implements AutoCloseable {
    private static final int KEPT = 64 << 10;

    private static final TerminalCapabilities CANCELLABLE = TerminalCapabilities.builder()
            .cancel(TerminalCancelCapabilities.of())
            .build();

    private final ToolCallHandle call;
    private final TerminalId id;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final OutputTail output = new OutputTail(KEPT);

    /** The first half of a character whose second half is to come. */
    @GuardedBy("lock")
    private String half = "";

    @GuardedBy("lock")
    private boolean ended;

    AgentTerminal(ToolCallHandle call, String command, String cwd) {
        this.call = call;
        this.id = TerminalId.of(call.id().value());
        call.say(TerminalUpdate.builder(id).command(command).cwd(cwd).build());
        call.terminal(id);
    }

    /** Returns the id of the terminal. */
    public TerminalId id() {
        return id;
    }

    /**
     * Tells how large the terminal is, by which its command breaks lines.
     *
     * @param columns the width in characters, from 1 to 65,535
     * @param rows the height in lines, from 1 to 65,535
     */
    public AgentTerminal size(int columns, int rows) {
        call.say(TerminalUpdate.builder(id).size(TerminalSize.of(columns, rows)).build());
        return this;
    }

    /**
     * Offers clients of version 2 to end the command, until it has ended. The action runs on a thread of its own when a
     * client asks for that; the end is reported as always, for example with {@link #killed}.
     */
    public AgentTerminal onCancel(Runnable action) {
        lock.lock();
        try {
            if (!ended) {
                call.state().cancellable(id, action);
                call.say(TerminalUpdate.builder(id).capabilities(CANCELLABLE).build());
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
            String whole = half + text;
            boolean isSplit = !whole.isEmpty() && Character.isHighSurrogate(whole.charAt(whole.length() - 1));
            int end = whole.length() - (isSplit ? 1 : 0);
            half = whole.substring(end);
            print(whole.substring(0, end).getBytes(StandardCharsets.UTF_8));
        } finally {
            lock.unlock();
        }
    }

    /** Shows what the command has printed, in UTF-8. A character may come in pieces. */
    public void print(byte[] bytes) {
        lock.lock();
        try {
            if (ended) {
                throw new IllegalStateException("the command has ended");
            }
            if (bytes.length > 0) {
                String unused = output.add(bytes);
                call.say(TerminalOutputChunk.of(id, bytes));
            }
        } finally {
            lock.unlock();
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
            call.state().cancellable(id, null);
            call.say(TerminalUpdate.builder(id).exitStatus(status).build());
        } finally {
            lock.unlock();
        }
    }

    /** Ends the terminal, unless that is done: then it is not known how the command ended. Does not end the command. */
    @Override
    public void close() {
        call.state().cancellable(id, null);
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
}
