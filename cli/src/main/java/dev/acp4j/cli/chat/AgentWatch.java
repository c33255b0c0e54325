package dev.acp4j.cli.chat;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.Input;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RpcException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the user's input when the agent is gone.
 *
 * <p>The lock guards this state and the thread that waits for the user; no thread waits while holding it.
 */
final class AgentWatch {
    private final ConnectedAgent agent;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Thread waiting;

    @GuardedBy("lock")
    private boolean isGone;

    AgentWatch(ConnectedAgent agent) {
        this.agent = agent;
        Thread.ofPlatform().daemon().name("acp-watch").start(this::watch);
    }

    /**
     * Waits for the user's next message.
     *
     * @throws RpcException if the agent is gone, with the reason
     */
    Input read(Console console, String prompt, String status) throws InterruptedException {
        if (waits(Thread.currentThread())) {
            throw reason();
        }
        try {
            return console.read(prompt, status, this::isGone);
        } catch (InterruptedException e) {
            if (waits(null)) {
                throw reason();
            }
            throw e;
        } finally {
            if (waits(null)) {
                // It may have gone just after the user finished.
                Thread.interrupted();
            }
        }
    }

    /** Sets the thread that waits for the user; returns whether the agent is gone. */
    private boolean waits(@Nullable Thread thread) {
        lock.lock();
        try {
            waiting = thread;
            return isGone;
        } finally {
            lock.unlock();
        }
    }

    private boolean isGone() {
        lock.lock();
        try {
            return isGone;
        } finally {
            lock.unlock();
        }
    }

    private void watch() {
        try {
            agent.awaitClosed();
        } catch (InterruptedException e) {
            return;
        }
        lock.lock();
        try {
            isGone = true;
            if (waiting != null) {
                waiting.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Gets the reason why the connection ended, by an attempt to send. */
    private RpcException reason() throws InterruptedException {
        String pause = "the pause between turns";
        try {
            agent.send("session/cancel", null);
        } catch (ProcessFailedException e) {
            return new ProcessFailedException(e.report().withPhase(pause), null, e);
        } catch (RpcException e) {
            return e;
        }
        return new ConnectionClosedException("the connection ended in " + pause, null, null);
    }
}
