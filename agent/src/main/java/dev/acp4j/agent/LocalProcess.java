package dev.acp4j.agent;

import dev.acp4j.process.ProcessTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A command running on this machine, whose standard output and error are read as one stream of pieces. Every wait is
 * interruptible, because a thread of its own does the reading, which is not. Closing ends the command and its
 * descendants.
 */
final class LocalProcess implements AutoCloseable {
    private static final int PIECE = 8 << 10;
    // A piece that was read is never empty.
    private static final byte[] EMPTY = {};
    private static final Duration GRACE = Duration.ofMillis(500);

    private final Process process;
    private final ProcessTree tree;
    private final Thread reader;
    // Bounded: back-pressure blocks a command that prints faster than its output is read, as on a slow terminal.
    private final BlockingQueue<byte[]> pieces = new ArrayBlockingQueue<>(64);
    private boolean ended;

    private LocalProcess(ProcessTree tree) throws IOException {
        this.process = tree.root();
        this.tree = tree;
        // A platform thread: a virtual one would pin its carrier while the pipe is silent.
        this.reader = Thread.ofPlatform()
                .daemon()
                .name("acp-agent-output-" + process.pid())
                .unstarted(this::readAll);
        process.getOutputStream().close();
        reader.start();
    }

    /** Starts a helper program with exactly this environment; its errors are not read. Its standard input is empty. */
    static LocalProcess program(Path directory, List<String> command, Map<String, String> environment)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().putAll(environment);
        return new LocalProcess(ProcessTree.start(builder));
    }

    /** Starts a command of the user. Its standard input is empty. */
    static LocalProcess command(Path directory, List<String> command) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        return new LocalProcess(ProcessTree.start(builder));
    }

    /**
     * Returns the next piece of output, an empty array when none came within {@code wait}, and null when all output has
     * been returned.
     */
    byte @Nullable [] next(Duration wait) throws InterruptedException {
        if (ended) {
            return null;
        }
        byte[] piece = pieces.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
        if (piece == null) {
            return EMPTY;
        }
        ended = piece.length == 0;
        return ended ? null : piece;
    }

    /** Waits for the end of the command and returns its exit code; 128 + n where signal n ended it. */
    int waitFor() throws InterruptedException {
        return process.waitFor();
    }

    /** Waits for the end of the command, and returns whether it ended before {@code deadline}, a {@code nanoTime}. */
    boolean endsBefore(long deadline) throws InterruptedException {
        return process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Ends the command and its descendants: terminates them, and kills them after half a second. */
    @Override
    public void close() {
        tree.end(Duration.ZERO, GRACE);
        reader.interrupt();
    }

    private void readAll() {
        try (InputStream in = process.getInputStream()) {
            byte[] buffer = new byte[PIECE];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (n > 0) {
                    pieces.put(Arrays.copyOf(buffer, n));
                }
            }
            pieces.put(EMPTY);
        } catch (IOException e) {
            // A broken pipe is the end of the output; the exit code is read separately.
            pieces.offer(EMPTY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
