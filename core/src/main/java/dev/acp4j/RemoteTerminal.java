package dev.acp4j;

import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** A command that runs in a terminal of the client. Closing it releases it, which also ends the command. */
public final class RemoteTerminal implements AutoCloseable {
    private final ConnectedClient client;
    private final SessionId session;
    private final TerminalId id;
    private final Meta meta;
    private final AtomicBoolean released = new AtomicBoolean();

    RemoteTerminal(ConnectedClient client, SessionId session, TerminalId id, Meta meta) {
        this.client = client;
        this.session = session;
        this.id = id;
        this.meta = meta;
    }

    /** Returns the id, to show the terminal in a tool call. */
    public TerminalId id() {
        return id;
    }

    /** Returns the output so far, and the exit status if the command has ended. */
    public TerminalOutputResponse output() throws InterruptedException {
        return client.call(
                ClientMethods.TERMINAL_OUTPUT,
                TerminalOutputRequest.of(session, id).withMeta(meta));
    }

    /**
     * Waits until the command has ended, however long it takes.
     *
     * @throws InterruptedException when the turn is cancelled; the command runs until the terminal is closed
     */
    public WaitForTerminalExitResponse waitForExit() throws InterruptedException {
        return client.call(
                ClientMethods.WAIT_FOR_TERMINAL_EXIT,
                WaitForTerminalExitRequest.of(session, id).withMeta(meta),
                Duration.ZERO);
    }

    /** Ends the command. The terminal and its output stay until it is closed. */
    public void kill() throws InterruptedException {
        client.call(
                ClientMethods.KILL_TERMINAL, KillTerminalRequest.of(session, id).withMeta(meta));
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
                            ReleaseTerminalRequest.of(session, id).withMeta(meta),
                            ClientMethods.RELEASE_TERMINAL.params(),
                            null);
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (dev.acp4j.rpc.ConnectionClosedException e) {
            // The client is gone, and its terminals with it.
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
