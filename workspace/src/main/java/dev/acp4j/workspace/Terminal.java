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

/** One command, its output so far, and how it ended. */
final class Terminal {
    private static final int CHUNK = 8 << 10;

    /**
     * Processes that a command leaves behind may hold its output open for ever; what it wrote itself is there by then.
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
        // A platform thread: a virtual one would hold its carrier for as long as the command is silent.
        Thread.ofPlatform().daemon().name("acp4j-" + id).start(this::readOutput);
        CompletableFuture<Void> unused =
                tree.root().onExit().thenAccept(process -> exit.complete(status(process.exitValue())));
        try {
            // Nobody types: a command that asks something sees the end of its input instead of waiting for ever.
            tree.root().getOutputStream().close();
        } catch (IOException e) {
            // It has ended already.
        }
    }

    private void readOutput() {
        byte[] chunk = new byte[CHUNK];
        try (InputStream in = tree.root().getInputStream()) {
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                kept.append(chunk, count);
            }
        } catch (IOException e) {
            // The process was killed while its output was being read: what came is all there is.
        } finally {
            kept.finish();
            outputEnded.countDown();
        }
    }

    /** Says both the code and the signal that it stands for, since a process may choose such a code by itself. */
    private static TerminalExitStatus status(int code) {
        return new TerminalExitStatus(
                Integer.toUnsignedLong(code), new ExitStatus(code).signal().orElse(null), Rest.NONE);
    }

    TerminalId id() {
        return id;
    }

    TerminalOutputResponse output() {
        // In this order: with an exit status goes all of the output.
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
     * Ends the command and all it started.
     *
     * @return what could not be ended, for a message; null when nothing is left
     */
    @Nullable
    String end(Duration mercy) {
        ProcessTree.Ending ending = tree.end(Duration.ZERO, mercy);
        awaitReport(System.nanoTime() + TIME_TO_REPORT.toNanos());
        return ending.isComplete() ? null : "processes " + ending.survivors() + " of " + id + " could not be ended";
    }

    /** Ends commands and all they started at the same time, and forgets them. */
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

    /** Whoever asks for the output after this finds out how the command ended. */
    private void awaitReport(long deadline) {
        try {
            exit.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            long left = Math.min(TIME_FOR_LAST_OUTPUT.toNanos(), deadline - System.nanoTime());
            outputEnded.await(left, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // It cannot be ended.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets those go that wait for a command which cannot be ended. */
    void forget() {
        exit.completeExceptionally(new WorkspaceException.UnknownTerminal(id.value()));
    }
}
