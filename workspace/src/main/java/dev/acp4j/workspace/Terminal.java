package dev.acp4j.workspace;

import dev.acp4j.process.ExitStatus;
import dev.acp4j.process.ProcessTree;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One command with its output so far and its exit status. */
final class Terminal {
    private static final int CHUNK = 8 << 10;

    /**
     * Timeout for the end of output after the exit: remaining descendants of a command may hold its output open
     * forever, but its own output has arrived by then.
     */
    private static final Duration TIME_FOR_LAST_OUTPUT = Duration.ofMillis(500);

    private static final Duration TIME_TO_REPORT = Duration.ofSeconds(1);

    private final TerminalId id;
    private final ProcessTree tree;
    private final TailBuffer kept;
    private final CountDownLatch outputEnded = new CountDownLatch(1);
    private final CompletableFuture<TerminalExitStatus> exit = new CompletableFuture<>();

    private Terminal(TerminalId id, ProcessTree tree, int outputBytes) {
        this.id = id;
        this.tree = tree;
        this.kept = new TailBuffer(outputBytes);
    }

    static Terminal start(TerminalId id, ProcessBuilder builder, int outputBytes) throws IOException {
        Terminal terminal = new Terminal(id, ProcessTree.start(builder), outputBytes);
        terminal.attend();
        return terminal;
    }

    private void attend() {
        // A platform thread: a virtual one would pin its carrier while the command is silent.
        Thread.ofPlatform().daemon().name("acp4j-" + id).start(this::readOutput);
        CompletableFuture<Void> unused =
                tree.root().onExit().thenAccept(process -> exit.complete(status(process.exitValue())));
        try {
            // There is no input: a command that asks a question reads the end of its input instead of waiting forever.
            tree.root().getOutputStream().close();
        } catch (IOException e) {
            // The command has already ended.
        }
    }

    private void readOutput() {
        byte[] chunk = new byte[CHUNK];
        try (InputStream in = tree.root().getInputStream()) {
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                kept.append(chunk, count);
            }
        } catch (IOException e) {
            // The process was killed while its output was being read: the output is complete.
        } finally {
            kept.finish();
            outputEnded.countDown();
        }
    }

    /** Gives both the code and its signal, because a process can also exit with such a code by itself. */
    private static TerminalExitStatus status(int code) {
        return new TerminalExitStatus(
                Integer.toUnsignedLong(code), new ExitStatus(code).signal().orElse(null), Rest.NONE);
    }

    TerminalId id() {
        return id;
    }

    TerminalOutputResponse output() {
        // In this order: a response with an exit status must contain all of the output.
        TerminalExitStatus status = exitStatus();
        TailBuffer.Content content = kept.content();
        return new TerminalOutputResponse(content.text(), content.truncated(), status, Rest.NONE);
    }

    private @Nullable TerminalExitStatus exitStatus() {
        return exit.isCompletedExceptionally() ? null : exit.getNow(null);
    }

    TerminalExitStatus waitForExit() throws InterruptedException {
        try {
            TerminalExitStatus status = exit.get();
            outputEnded.await(TIME_FOR_LAST_OUTPUT.toMillis(), TimeUnit.MILLISECONDS);
            return status;
        } catch (ExecutionException e) {
            throw new WorkspaceException.UnknownTerminal(id.value());
        }
    }

    /**
     * Ends the command and its descendants.
     *
     * @return the processes that could not be ended, for a message; null if all have ended
     */
    @Nullable
    String end(Duration mercy) {
        ProcessTree.Ending ending = tree.end(Duration.ZERO, mercy);
        awaitReport(System.nanoTime() + TIME_TO_REPORT.toNanos());
        return ending.isComplete() ? null : "processes " + ending.survivors() + " of " + id + " could not be ended";
    }

    /** Ends commands and their descendants at the same time, and removes them. */
    static void endAll(List<Terminal> terminals, Duration mercy) {
        List<ProcessTree> trees = new ArrayList<>();
        for (Terminal terminal : terminals) {
            trees.add(terminal.tree);
        }
        var unused = ProcessTree.endAll(trees, Duration.ZERO, mercy);
        long deadline = System.nanoTime() + TIME_TO_REPORT.toNanos();
        for (Terminal terminal : terminals) {
            terminal.awaitReport(deadline);
            terminal.forget();
        }
    }

    /** Requests for the output after this see the exit status. */
    private void awaitReport(long deadline) {
        try {
            exit.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            long left = Math.min(TIME_FOR_LAST_OUTPUT.toNanos(), deadline - System.nanoTime());
            outputEnded.await(left, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The process cannot be ended.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Releases threads that wait for a command which cannot be ended. */
    void forget() {
        exit.completeExceptionally(new WorkspaceException.UnknownTerminal(id.value()));
    }
}
