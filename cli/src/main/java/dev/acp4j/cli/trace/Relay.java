package dev.acp4j.cli.trace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.terminal.TerminalStreams;
import dev.acp4j.process.ProcessTree;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Forwards bytes between the standard streams of this program and those of a process, unchanged and without delay,
 * until the process has ended, and ends it when it is no longer needed.
 *
 * <p>The lock guards the state; nothing is read, written or ended while holding it.
 */
final class Relay {
    private static final Duration LEFTOVER_TIME = Duration.ofSeconds(1);
    private static final Duration MERCY = Duration.ofSeconds(2);
    private static final Duration LAST_WORDS = Duration.ofSeconds(3);
    private static final int PIPE = 64 << 10;

    /** The shell's exit code of a killed process, for a process whose exit status is not known yet. */
    private static final int UNKILLABLE = 137;

    private final ProcessTree tree;
    private final Process process;
    private final Recorder recorder;
    private final Consumer<String> say;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private boolean hasInputEnded;

    @GuardedBy("lock")
    private @Nullable ExitCode lostOutput;

    @GuardedBy("lock")
    private long lastOutput;

    Relay(ProcessTree tree, Recorder recorder, Consumer<String> say) {
        this.tree = tree;
        this.process = tree.root();
        this.recorder = recorder;
        this.say = say;
    }

    /**
     * Runs until the process has ended; returns the exit code to end with.
     *
     * @param grace the timeout for a silent process after the end of standard input
     */
    int run(Duration grace) throws InterruptedException {
        Thread out = start("acp-out", this::pumpOutput);
        Thread err = start("acp-err", this::pumpErrors);
        // Ctrl-C or SIGTERM: the exit hook ends the tree, and its last output is still forwarded and // recorded.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> finish(out, err, LAST_WORDS), "acp-trace-exit"));
        Thread unused = start("acp-in", this::pumpInput);
        var unusedExit = process.onExit().thenRun(this::wake);

        awaitEnd(grace);
        if (process.isAlive()) {
            // Closing waits for a blocked write; ending the process releases both.
            Thread unusedCloser = start("acp-close", this::closeInput);
            tree.end(Duration.ZERO, MERCY);
        } else {
            tree.end(LEFTOVER_TIME, MERCY);
        }
        // The last output of the agent is forwarded as long as it is read.
        finish(out, err, isUnneeded() ? LAST_WORDS : Duration.ofDays(1));
        ExitCode lost = lostOutput();
        if (lost != null) {
            return lost.number();
        }
        return process.isAlive() ? UNKILLABLE : process.exitValue();
    }

    private static Thread start(String name, Runnable work) {
        return Thread.ofPlatform().daemon().name(name).start(work);
    }

    private void finish(Thread out, Thread err, Duration time) {
        long deadline = System.nanoTime() + time.toNanos();
        try {
            if (out.join(time)) {
                boolean unused = err.join(
                        Duration.ofNanos(Math.max(1, Math.min(deadline - System.nanoTime(), LAST_WORDS.toNanos()))));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        recorder.close();
    }

    /** Waits until the process has ended or is no longer needed. */
    private void awaitEnd(Duration grace) throws InterruptedException {
        lock.lock();
        try {
            while (process.isAlive() && lostOutput == null) {
                if (!hasInputEnded) {
                    changed.await();
                    continue;
                }
                long left = lastOutput + grace.toNanos() - System.nanoTime();
                if (left <= 0) {
                    return;
                }
                long unused = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- pumps

    private void pumpInput() {
        Recorder.Tap tap = recorder.ofClient();
        OutputStream to = process.getOutputStream();
        boolean isRead = true;
        byte[] buffer = new byte[PIPE];
        // Not System.in, which reads ahead under a lock. It is not closed: closing waits for the read.
        InputStream from = new FileInputStream(FileDescriptor.in);
        int count;
        while ((count = read(from, buffer)) >= 0) {
            if (isRead) {
                tap.took(buffer, count);
                isRead = write(to, buffer, count);
                if (!isRead && process.isAlive()) {
                    // Continue reading, to detect the end of the editor.
                    say.accept("the agent has closed its standard input; further messages to it are lost");
                }
            }
        }
        tap.ended();
        closeInput();
        lock.lock();
        try {
            hasInputEnded = true;
            lastOutput = System.nanoTime();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void pumpOutput() {
        Recorder.Tap tap = recorder.ofAgent();
        InputStream from = process.getInputStream();
        byte[] buffer = new byte[PIPE];
        try (FileOutputStream to = new FileOutputStream(FileDescriptor.out)) {
            int count;
            while ((count = read(from, buffer)) >= 0) {
                // Record first, because the response may arrive during the write.
                tap.took(buffer, count);
                to.write(buffer, 0, count);
                heard();
            }
        } catch (IOException e) {
            lose(String.valueOf(e.getMessage()));
        }
        tap.ended();
    }

    private void pumpErrors() {
        Recorder.Tap tap = recorder.ofStderr();
        FileOutputStream to = new FileOutputStream(FileDescriptor.err);
        byte[] buffer = new byte[PIPE];
        int count;
        boolean isTaken = true;
        while ((count = read(process.getErrorStream(), buffer)) >= 0) {
            tap.took(buffer, count);
            // Without standard error the agent still runs; it must not block on a full pipe.
            isTaken = isTaken && write(to, buffer, count);
        }
        tap.ended();
    }

    private static int read(InputStream from, byte[] buffer) {
        try {
            return from.read(buffer);
        } catch (IOException e) {
            return -1;
        }
    }

    private static boolean write(OutputStream to, byte[] buffer, int count) {
        try {
            to.write(buffer, 0, count);
            to.flush();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void closeInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The process has closed its side, which is the aim of this.
        }
    }

    // ---- what has happened

    private void heard() {
        lock.lock();
        try {
            lastOutput = System.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    private void lose(String why) {
        boolean isUnread = TerminalStreams.isPipe(1) || why.contains("Broken pipe");
        if (!isUnread) {
            say.accept("standard output cannot be written: " + why);
        }
        try {
            // So that the agent detects it as it would without this relay.
            process.getInputStream().close();
        } catch (IOException e) {
            // The process has ended.
        }
        lock.lock();
        try {
            lostOutput = isUnread ? ExitCode.OUTPUT_UNREAD : ExitCode.OUTPUT_LOST;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable ExitCode lostOutput() {
        lock.lock();
        try {
            return lostOutput;
        } finally {
            lock.unlock();
        }
    }

    private boolean isUnneeded() {
        lock.lock();
        try {
            return hasInputEnded || lostOutput != null;
        } finally {
            lock.unlock();
        }
    }
}
