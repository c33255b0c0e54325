package dev.acp4j;

import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** A command that runs in a terminal of the client. Closing it releases it, which also ends the command. */
public final class RemoteTerminal implements AutoCloseable {
    private final SessionWriter writer;
    private final ConnectedClient client;
    private final TerminalId id;
    private final Meta meta;
    private final AtomicBoolean released = new AtomicBoolean();

    RemoteTerminal(SessionWriter writer, ConnectedClient client, TerminalId id, Meta meta) {
        this.writer = writer;
        this.client = client;
        this.id = id;
        this.meta = meta;
    }

    /** Returns the id, to show the terminal in a tool call. */
    public TerminalId id() {
        return id;
    }

    /** Returns the output so far, and the exit status if the command has ended. */
    public TerminalOutputResponse output() throws InterruptedException {
        return writer.await(() -> client.call(
                ClientMethods.TERMINAL_OUTPUT,
                TerminalOutputRequest.of(writer.sessionId(), id).withMeta(meta)));
    }

    /**
     * Waits until the command has ended, however long it takes.
     *
     * @throws InterruptedException when the turn is cancelled, or ends first; the command runs until the terminal is
     *     closed
     */
    public WaitForTerminalExitResponse waitForExit() throws InterruptedException {
        return waitForExit(Duration.ZERO);
    }

    /**
     * Waits until the command has ended, for a time. When that is over, end the command and take what it printed:
     *
     * <pre>{@code
     * try {
     *     terminal.waitForExit(Duration.ofMinutes(5));
     * } catch (RequestTimeoutException e) {
     *     terminal.kill();
     * }
     * String output = terminal.output().output();
     * }</pre>
     *
     * @param atMost how long to wait; zero for as long as it takes
     * @throws dev.acp4j.rpc.RequestTimeoutException when the time is over; the command runs on
     * @throws InterruptedException when the turn is cancelled, or ends first; the command runs until the terminal is
     *     closed
     */
    public WaitForTerminalExitResponse waitForExit(Duration atMost) throws InterruptedException {
        return writer.await(() -> client.call(
                ClientMethods.WAIT_FOR_TERMINAL_EXIT,
                WaitForTerminalExitRequest.of(writer.sessionId(), id).withMeta(meta),
                atMost));
    }

    /** Ends the command. The terminal and its output stay until it is closed. */
    public void kill() throws InterruptedException {
        writer.await(() -> client.call(
                ClientMethods.KILL_TERMINAL,
                KillTerminalRequest.of(writer.sessionId(), id).withMeta(meta)));
    }

    /**
     * Releases the terminal and ends its command. Does not wait for the client's answer, so that it works in the middle
     * of a cancellation too. Closing twice does nothing.
     */
    @Override
    public void close() {
        if (!released.compareAndSet(false, true)) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            client.rpc()
                    .start(
                            ClientMethods.RELEASE_TERMINAL.name(),
                            ReleaseTerminalRequest.of(writer.sessionId(), id).withMeta(meta),
                            ClientMethods.RELEASE_TERMINAL.params(),
                            null);
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (ConnectionClosedException e) {
            // The client is gone, and its terminals with it.
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
