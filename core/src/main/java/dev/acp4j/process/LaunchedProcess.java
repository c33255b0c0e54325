package dev.acp4j.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.MessageTooLargeException;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running agent process. It owns the process and its descendants. Closing it ends them: it closes standard input and
 * waits, asks them to terminate and waits, then kills them.
 *
 * <p>The transport uses the standard streams of the process. A process that ends with exit code 0 is a clean end of the
 * stream; any other exit is a read failure, {@link LaunchException}. A process that closes its standard output but
 * keeps running, or exits while descendants hold the pipes, is ended after a second.
 *
 * <p>Thread-safe. The lock guards which thread ends the process; no thread waits while holding it.
 */
public final class LaunchedProcess implements AutoCloseable {
    private static final Duration EXIT_TIME = Duration.ofSeconds(1);
    private static final Duration STDERR_TIME = Duration.ofMillis(500);

    /** How long a process may take to end before its end goes on in the background. */
    private static final Duration MOMENT = Duration.ofMillis(150);

    private final Launch launch;
    private final ProcessTree tree;
    private final Process process;
    private final StderrDrain stderr;
    private final Transport streams;
    private final Transport transport = new ProcessTransport();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean closing;

    /** Whether the process had closed its standard output but did not end, so it was ended here. */
    private volatile boolean forced;

    /** Whether the process has closed its standard input and is still running. */
    private volatile boolean deaf;

    /** Opens when all output of the process has been read. */
    private final CountDownLatch outputRead = new CountDownLatch(1);

    private volatile ProcessTree.@Nullable Ending ending;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Thread ender;

    private LaunchedProcess(Launch launch, ProcessTree tree, Launch.@Nullable Framing framing) {
        this.launch = launch;
        this.tree = tree;
        this.process = tree.root();
        this.stderr = new StderrDrain(process.getErrorStream(), Long.toString(process.pid()), launch.stderrListener());
        InputStream out = heard(process.getInputStream(), launch.stdoutListener());
        this.streams = framing == null
                ? StreamTransport.ofPipes(out, process.getOutputStream(), launch.messageBytes())
                : framing.over(out, process.getOutputStream(), launch.messageBytes());
    }

    private static InputStream heard(InputStream in, @Nullable Consumer<byte[]> listener) {
        return listener == null ? in : new HeardStream(in, listener);
    }

    static LaunchedProcess attach(Launch launch, ProcessTree tree, Launch.@Nullable Framing framing) {
        boolean attached = false;
        try {
            LaunchedProcess agent = new LaunchedProcess(launch, tree, framing);
            agent.stderr.start();
            // The reader detects the exit by the end of the stream, unless another process holds the pipe.
            var unused = tree.root().onExit().thenRun(() -> agent.startEnding(false, launch.patience()));
            attached = true;
            return agent;
        } finally {
            if (!attached) {
                tree.end(Duration.ZERO, Duration.ZERO);
            }
        }
    }

    /** Returns the transport over the standard streams. Closing it closes this agent. */
    public Transport transport() {
        return transport;
    }

    /** Returns the id of the process. */
    public long pid() {
        return process.pid();
    }

    /** Returns whether the process is running. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the exit status of the process, or empty while it is running. */
    public Optional<ExitStatus> exit() {
        return process.isAlive() ? Optional.empty() : Optional.of(new ExitStatus(process.exitValue()));
    }

    /** Returns how the process and its descendants were ended, or empty while any of them may be running. */
    public Optional<ProcessTree.Ending> ending() {
        return Optional.ofNullable(ending);
    }

    /** Returns the daemons that the process started, see {@link ProcessTree#daemons}; closing does not end them. */
    public List<ProcessHandle> daemons() {
        return tree.daemons();
    }

    /** Returns the end of the standard error of the process, up to 64 KiB, without secrets of its environment. */
    public String stderr() {
        return redaction().redact(stderr.tail());
    }

    /** Returns the redaction that hides secrets, including the secrets of the agent's environment. */
    public Redaction redaction() {
        return launch.redaction();
    }

    /** Returns a text of the agent without secrets, including the secrets of its environment. */
    public String withoutSecrets(String text) {
        return redaction().redact(text);
    }

    /**
     * Returns a failure report with the facts known about the process.
     *
     * @param phase the phase of the failure, such as {@code initialize}
     */
    public FailureReport report(String phase) {
        String text = stderr();
        return FailureReport.of(phase, launch.commandLine())
                .withProblem(forced ? FailureReport.SILENCED : deaf ? FailureReport.DEAFENED : null)
                // This side caused the exit, so it explains nothing.
                .withExit(forced ? null : exit().orElse(null))
                .withStderr(text)
                .withWithheld(launch.withheldVariablesIn(text));
    }

    /**
     * Returns a failure report with the facts known about the process and its connection.
     *
     * @param phase the phase of the failure, such as {@code initialize}
     * @param connection the connection over {@link #transport()}
     */
    public FailureReport report(String phase, Connection connection) {
        FailureReport report = report(phase).withMessages(connection, redaction());
        String said = report.stderr() + "\n" + String.join("\n", report.noise());
        FailureReport withheld = report.withWithheld(launch.withheldVariablesIn(said));
        long unfinished = streams instanceof StreamTransport lines ? lines.unfinishedBytes() : 0;
        if (unfinished == 0 || exit().isPresent()) {
            // Of a process that has exited, the report has the line itself.
            return withheld;
        }
        List<String> noise = new ArrayList<>(report.noise());
        noise.add("(" + unfinished
                + " bytes without a line feed: a message is one line, in UTF-8, and ends with a line feed)");
        return withheld.withNoise(noise);
    }

    /**
     * Returns the variables of this program's environment that the agent did not inherit and that a text mentions, such
     * as an error of the agent.
     */
    public List<String> withheldVariablesIn(String text) {
        return launch.withheldVariablesIn(text);
    }

    /**
     * Ends the process and its descendants. Blocks until they have ended: normally some milliseconds, at most the
     * {@linkplain Launch#shutdownTimes configured times} plus two seconds. Interrupting the thread kills the remaining
     * processes at once. Idempotent.
     */
    @Override
    public void close() {
        close(launch.patience());
    }

    /**
     * Ends the process and its descendants as {@link #close()} does, with another time to end by themselves.
     *
     * @param patience how long they may take when standard input is closed; zero asks them to terminate at once
     */
    public void close(Duration patience) {
        closing = true;
        boolean interrupted = false;
        startEnding(true, patience);
        while (true) {
            try {
                ended.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                hurry();
            }
        }
        streams.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Closes the standard input of the process and returns, within a fifth of a second. If the process or one of its
     * descendants takes longer to end, another process sees to it, which goes on when this program has exited: it
     * waits, then asks them to terminate and waits, then kills them. For programs that exit now. Where this is
     * impossible, as on other systems than Linux, and when the thread is interrupted, this is {@link #close()}.
     *
     * @param patience how long the process may take to end by itself
     */
    public void closeInBackground(Duration patience) {
        closing = true;
        Thread.ofPlatform().daemon().name("acp4j-stdin-" + pid()).start(this::closeInput);
        try {
            boolean unused = process.waitFor(MOMENT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (Thread.currentThread().isInterrupted()
                || !tree.isAlive()
                || !tree.endInBackground(patience, launch.mercy())) {
            close();
        }
    }

    private void startEnding(boolean closeInput, Duration patience) {
        lock.lock();
        try {
            if (ender == null) {
                ender = Thread.ofPlatform().daemon().name("acp4j-end-" + pid()).start(() -> end(closeInput, patience));
            }
        } finally {
            lock.unlock();
        }
    }

    private void hurry() {
        lock.lock();
        try {
            if (ender != null) {
                ender.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    private void end(boolean closeInput, Duration patience) {
        try {
            if (closeInput) {
                // Closing flushes, so it waits for a blocked write. Ending the process releases both.
                Thread.ofPlatform().daemon().name("acp4j-stdin-" + pid()).start(this::closeInput);
            }
            ending = tree.end(patience, launch.mercy());
        } finally {
            ended.countDown();
        }
    }

    private void closeInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The process has closed its side, which is the aim of this.
        }
    }

    /** Called at the end of the agent's standard output: distinguishes a clean end from a failure. */
    private void checkExit() throws IOException, InterruptedException {
        boolean stays = !process.waitFor(EXIT_TIME.toMillis(), TimeUnit.MILLISECONDS);
        if (stays) {
            startEnding(true, launch.patience());
            ended.await();
        }
        ProcessTree.Ending how = ending;
        forced = stays && (how == null || how.lastStep() != ProcessTree.Step.WAITED);
        if (closing || (!forced && process.exitValue() == 0)) {
            return;
        }
        String what = forced ? " closed its standard output but kept running, and was ended" : " ended";
        throw failure(what, null);
    }

    private IOException failure(String what, @Nullable Throwable cause) throws InterruptedException {
        stderr.awaitEnd(STDERR_TIME);
        if (process.isAlive()) {
            return new IOException("the agent " + launch.commandLine() + what + ", but it is still running", cause);
        }
        ExitStatus exit = new ExitStatus(process.exitValue());
        String text = stderr();
        String last = FailureReport.lastLine(text);
        String message = "the agent " + launch.commandLine() + what + " with " + exit
                + (last.isEmpty() ? "" : "; its last line was: " + last);
        return new LaunchException(message, exit, text, cause);
    }

    /** Returns the command line and the process id. */
    @Override
    public String toString() {
        return "LaunchedProcess[" + launch.commandLine() + ", pid=" + pid() + "]";
    }

    private final class ProcessTransport implements Transport, Transport.Reader {
        @Override
        public Transport.Reader reader() {
            return this;
        }

        @Override
        public Transport.Writer writer() {
            return streams.writer();
        }

        @Override
        public @Nullable Message read() throws IOException, InterruptedException {
            Message message = streams.reader().read();
            while (message != null && closing) {
                // Reading on allows the agent to write its remaining output and exit by itself.
                message = streams.reader().read();
            }
            if (message == null) {
                outputRead.countDown();
                if (!closing) {
                    checkExit();
                }
            }
            return message;
        }

        @Override
        public boolean isReady() {
            return streams.reader().isReady();
        }

        /** "Broken pipe" alone is not helpful. */
        @Override
        public IOException explain(IOException failure) {
            if (failure instanceof MessageTooLargeException) {
                return failure;
            }
            try {
                if (!closing && process.waitFor(EXIT_TIME.toMillis(), TimeUnit.MILLISECONDS)) {
                    // Its last output is evidence, and may not have been read yet.
                    boolean unused = outputRead.await(STDERR_TIME.toMillis(), TimeUnit.MILLISECONDS);
                    return failure(" ended", failure);
                }
                deaf = !closing;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            String what = closing ? " is being closed" : " has closed its standard input";
            return new IOException("the agent " + launch.commandLine() + what, failure);
        }

        @Override
        public void close() {
            LaunchedProcess.this.close();
        }
    }

    /** Passes the bytes that are read to a listener. */
    private static final class HeardStream extends FilterInputStream {
        private final Consumer<byte[]> listener;

        HeardStream(InputStream in, Consumer<byte[]> listener) {
            super(in);
            this.listener = listener;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int from, int length) throws IOException {
            int count = super.read(buffer, from, length);
            if (count > 0) {
                listener.accept(Arrays.copyOfRange(buffer, from, from + count));
            }
            return count;
        }
    }
}
