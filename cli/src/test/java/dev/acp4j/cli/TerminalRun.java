package dev.acp4j.cli;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Assumptions;

/**
 * A run of {@code acp} at a terminal of 80 columns, made by the system's {@code script}: keys go in, what is shown
 * comes out.
 *
 * <p>The lock guards what was shown.
 */
public final class TerminalRun implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Path SCRIPT = Path.of("/usr/bin/script");

    private final Process process;
    private final OutputStream keys;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();

    @GuardedBy("lock")
    private final StringBuilder shown = new StringBuilder();

    @GuardedBy("lock")
    private int seen;

    private TerminalRun(Process process) {
        this.process = process;
        this.keys = process.getOutputStream();
        Thread reader = new Thread(this::read, "terminal");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a command at a terminal. */
    static TerminalRun start(Path state, String... args) throws IOException {
        return start(state, Map.of(), args);
    }

    /** Starts a command at a terminal, with some environment. */
    static TerminalRun start(Path state, Map<String, String> environment, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(args));
        command.add("--");
        command.addAll(AcpRun.java(ScriptedAgent.class));
        return start(state, environment, command);
    }

    /** Starts a command that needs no agent at a terminal. */
    public static TerminalRun alone(Path state, String... args) throws IOException {
        return alone(state, Map.of(), args);
    }

    /** Starts a command with all its arguments at a terminal, with some environment. */
    public static TerminalRun alone(Path state, Map<String, String> environment, String... args) throws IOException {
        return start(state, environment, List.of(args));
    }

    private static TerminalRun start(Path state, Map<String, String> environment, List<String> args)
            throws IOException {
        Assumptions.assumeTrue(Files.exists(SCRIPT), "there is no script command");
        List<String> command = new ArrayList<>(AcpRun.java(Acp.class));
        command.addAll(args);
        // Ctrl-C is heard also when the tests run in the background of a shell, whose processes ignore it.
        Path run = Files.writeString(
                state.resolve("run.sh"),
                "stty cols 80 rows 24\nexec env --default-signal=INT "
                        + String.join(
                                " ", command.stream().map(TerminalRun::quoted).toList()));
        ProcessBuilder builder = new ProcessBuilder(
                SCRIPT.toString(),
                "--quiet",
                "--return",
                "--flush",
                "--command",
                // One shell that waits would be ended by Ctrl-C, and its exit code be shown; bash leaves it out by
                // itself.
                "exec sh " + quoted(run.toString()),
                "/dev/null");
        builder.environment().put("TERM", "xterm-256color");
        builder.environment().put("XDG_STATE_HOME", state.toString());
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().remove("NO_COLOR");
        builder.environment().putAll(environment);
        return new TerminalRun(builder.redirectErrorStream(true).start());
    }

    /** Presses keys. */
    public TerminalRun press(String text) throws IOException {
        keys.write(text.getBytes(StandardCharsets.UTF_8));
        keys.flush();
        return this;
    }

    /** Waits until a text is shown after what was waited for before. */
    public TerminalRun await(String text) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        lock.lock();
        try {
            int at;
            while ((at = shown.indexOf(text, seen)) < 0) {
                long left = deadline - System.nanoTime();
                if (left <= 0
                        || (!process.isAlive() && !more.await(1, TimeUnit.SECONDS) && shown.indexOf(text, seen) < 0)) {
                    throw new AssertionError("'" + text + "' was not shown, but:\n" + shown.substring(seen));
                }
                more.await(Math.min(left, 100_000_000), TimeUnit.NANOSECONDS);
            }
            seen = at + text.length();
            return this;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the end; returns the exit code. */
    public int end() throws InterruptedException {
        if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("it did not end:\n" + all());
        }
        return process.exitValue();
    }

    /** Makes the window as wide as this; the run is notified of it. */
    TerminalRun resize(int columns) throws IOException, InterruptedException {
        Path terminal = Files.readSymbolicLink(
                Path.of("/proc/" + agent().parent().orElseThrow().pid() + "/fd/0"));
        Process stty = new ProcessBuilder("stty", "-F", terminal.toString(), "cols", Integer.toString(columns)).start();
        if (stty.waitFor() != 0) {
            throw new AssertionError("the window cannot be resized");
        }
        return this;
    }

    /** Returns the process of the scripted agent. */
    ProcessHandle agent() {
        return AcpRun.agent(process);
    }

    /** Returns all that was shown. */
    public String all() {
        lock.lock();
        try {
            return shown.toString();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private void read() {
        try (Reader out = process.inputReader(StandardCharsets.UTF_8)) {
            char[] buffer = new char[4096];
            int count;
            while ((count = out.read(buffer)) >= 0) {
                lock.lock();
                try {
                    shown.append(buffer, 0, count);
                    more.signalAll();
                } finally {
                    lock.unlock();
                }
            }
        } catch (IOException e) {
            // The terminal is gone.
        }
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
