package dev.acp4j.agent;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A command running on this machine, whose standard output and error arrive as one stream of pieces. Every wait can be
 * interrupted, because a thread of its own does the reading, which cannot. Closing ends the command and all processes
 * it started.
 */
final class LocalProcess implements AutoCloseable {
    private static final int PIECE = 8 << 10;
    // A piece that was read is never empty.
    private static final byte[] EMPTY = {};
    private static final Duration GRACE = Duration.ofMillis(500);

    private final Process process;
    private final Thread reader;
    // Bounded: a command that prints faster than its output is taken waits, as it would on a slow terminal.
    private final BlockingQueue<byte[]> pieces = new ArrayBlockingQueue<>(64);
    private boolean ended;

    private LocalProcess(Process process) {
        this.process = process;
        // A platform thread: a virtual one would hold its carrier for as long as the pipe is silent.
        this.reader = Thread.ofPlatform()
                .daemon()
                .name("acp-agent-output-" + process.pid())
                .unstarted(this::readAll);
    }

    /** Starts {@code command} in {@code directory}, with nothing on its standard input. */
    static LocalProcess start(Path directory, List<String> command, boolean withErrors) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        if (withErrors) {
            builder.redirectErrorStream(true);
        } else {
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        }
        dropGitVariables(builder.environment());
        Process process = builder.start();
        process.getOutputStream().close();
        LocalProcess result = new LocalProcess(process);
        result.reader.start();
        return result;
    }

    /** An agent started from a Git hook would otherwise work on the hook's repository, whatever the folder. */
    private static void dropGitVariables(Map<String, String> environment) {
        environment.remove("GIT_DIR");
        environment.remove("GIT_WORK_TREE");
        environment.remove("GIT_INDEX_FILE");
    }

    long pid() {
        return process.pid();
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

    /** Ends the command and its descendants: politely, and after half a second by force. Does nothing after the end. */
    @Override
    public void close() {
        if (process.isAlive()) {
            List<ProcessHandle> tree = tree();
            tree.forEach(ProcessHandle::destroy);
            awaitQuietly();
            tree.addAll(tree());
            tree.forEach(ProcessHandle::destroyForcibly);
        }
        reader.interrupt();
    }

    private List<ProcessHandle> tree() {
        List<ProcessHandle> tree = new ArrayList<>();
        tree.add(process.toHandle());
        process.descendants().forEach(tree::add);
        return tree;
    }

    private void awaitQuietly() {
        try {
            process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            // The force that follows needs no wait; whoever interrupted finds the status set.
            Thread.currentThread().interrupt();
        }
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
            // The pipe broke: that is the end of the output, and the exit code tells the rest.
            pieces.offer(EMPTY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
