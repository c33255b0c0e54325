package dev.acp4j.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A process and its descendants, ended together: killing {@code npx} alone would leave the agent it started running.
 * Trees that are alive when the JVM exits are ended then.
 *
 * <p>A process belongs to the tree if its chain of parents leads to the root, or did so in an earlier snapshot. On
 * Linux, processes whose parents have exited are found as well, by an environment variable that every process of the
 * tree inherits. Among these, a process that started a session of its own and closed the root's pipes is a daemon. The
 * daemons of a command belong to its tree, and those of an agent do not: they may be a browser that was opened for a
 * login. On Linux the commands of a program that is killed are ended, too.
 *
 * <p>Thread-safe. The lock guards the processes seen so far; the operating system is not queried while holding it.
 * {@code STARTING} serializes starts, see {@link #startAlone}.
 */
public final class ProcessTree {
    private static final String MARK_NAME = "ACP4J_LAUNCH";
    private static final long LAUNCHED_AT = System.currentTimeMillis();
    private static final AtomicInteger LAUNCHES = new AtomicInteger();
    private static final Duration LEFTOVER_TIME = Duration.ofSeconds(1);
    private static final Duration TIME_TO_DIE = Duration.ofSeconds(2);
    private static final Duration LONGEST_START = Duration.ofSeconds(10);
    private static final ReentrantLock STARTING = new ReentrantLock();
    private static final long SHORTEST_LOOK_NANOS = 1_000_000;
    private static final long LONGEST_LOOK_NANOS = 50_000_000;

    /** What a tree is started for. */
    private enum Purpose {
        AGENT("a"),
        COMMAND("c");

        /** How the marks of such trees of this program begin. */
        final String mark;

        Purpose(String letter) {
            mark = ProcessHandle.current().pid() + "-" + Long.toString(LAUNCHED_AT, Character.MAX_RADIX) + "-" + letter;
        }
    }

    private final Process root;
    private final Purpose purpose;
    private final String mark;
    private final List<String> streams;

    /** Those of the streams that are pipes created for the root, not inherited from this process. */
    private final Set<String> ownPipes;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Set<ProcessHandle> seen = new LinkedHashSet<>();

    /** The means of ending a tree. */
    public enum Step {
        /** It ended by itself within the given time. */
        WAITED,
        /** Its processes were asked to terminate (SIGTERM). */
        TERMINATED,
        /** Its processes were killed (SIGKILL). */
        KILLED
    }

    /**
     * The result of ending a tree.
     *
     * @param lastStep the strongest means used
     * @param survivors the processes still running, because killing them was not permitted or had no effect; normally
     *     none
     */
    public record Ending(Step lastStep, List<Long> survivors) {
        /** Copies the list. */
        public Ending {
            survivors = List.copyOf(survivors);
        }

        /** Returns whether all processes of the tree have ended. */
        public boolean isComplete() {
            return survivors.isEmpty();
        }
    }

    private ProcessTree(Process root, Purpose purpose, String mark) {
        this.root = root;
        this.purpose = purpose;
        this.mark = mark;
        this.streams = LinuxProcesses.AVAILABLE ? LinuxProcesses.standardStreams(root.pid()) : List.of();
        this.ownPipes = new LinkedHashSet<>(streams);
        ownPipes.removeIf(stream -> !stream.startsWith("pipe:"));
        if (!ownPipes.isEmpty()) {
            LinuxProcesses.standardStreams(ProcessHandle.current().pid()).forEach(ownPipes::remove);
        }
        seen.add(root.toHandle());
    }

    /**
     * Starts a command as the root of a tree, to which its daemons belong. The command is looked up as in a shell: a
     * name in the search path of its environment or, if it has none, of this program, and on Windows with the program
     * extensions; a relative path from its working directory.
     *
     * @param builder the process to start; the resolved file replaces the command, and an environment variable is added
     * @throws LaunchException if there is no such program, or these arguments cannot be passed to it; the message lists
     *     the searched folders
     * @throws IOException if it cannot be started
     * @throws IllegalStateException if the JVM is exiting
     */
    public static ProcessTree start(ProcessBuilder builder) throws IOException {
        List<String> words = builder.command();
        File directory = builder.directory();
        builder.command(CommandLookup.in(builder.environment())
                .line(
                        words.get(0),
                        words.subList(1, words.size()),
                        Path.of(directory == null ? "" : directory.getPath())));
        return startCommand(builder);
    }

    /** Starts a command whose file is already resolved. Its daemons belong to the tree. */
    static ProcessTree startCommand(ProcessBuilder builder) throws IOException {
        Watchdog.watch(Purpose.COMMAND.mark);
        return start(builder, Purpose.COMMAND);
    }

    /**
     * Starts a program whose file is already resolved: an agent, or the user's login shell. Its daemons do not belong
     * to the tree.
     */
    static ProcessTree startFile(ProcessBuilder builder) throws IOException {
        return start(builder, Purpose.AGENT);
    }

    private static ProcessTree start(ProcessBuilder builder, Purpose purpose) throws IOException {
        String mark = purpose.mark + LAUNCHES.incrementAndGet() + ";";
        Map<String, String> environment = builder.environment();
        // Trees can be nested: a process launched by an agent belongs to the agent's tree and to this one.
        String outer = System.getenv(MARK_NAME);
        environment.put(MARK_NAME, outer == null ? mark : outer + mark);
        return ExitHook.start(() -> new ProcessTree(startAlone(builder), purpose, mark));
    }

    /**
     * Starts processes one at a time. Until a new process runs its own program, it holds a copy of every pipe that this
     * process has open, including the reading end of a pipe being created for another process: writes to an agent that
     * has closed its input would then appear to succeed. A start that hangs, for example on an unresponsive file
     * system, blocks the others for ten seconds at most.
     */
    static Process startAlone(ProcessBuilder builder) throws IOException {
        boolean isAlone = false;
        try {
            isAlone = STARTING.tryLock(LONGEST_START.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            return builder.start();
        } finally {
            if (isAlone) {
                STARTING.unlock();
            }
        }
    }

    /** Returns the root process. The caller owns its streams. */
    public Process root() {
        return root;
    }

    /** Returns whether any process of the tree is running. This scans all processes of the machine. */
    public boolean isAlive() {
        return root.isAlive() || !alive().isEmpty();
    }

    /** Scans the processes of the machine and returns the running ones of the tree, oldest first. */
    public List<ProcessHandle> alive() {
        return new ArrayList<>(alive(List.of(this)));
    }

    private static Set<ProcessHandle> alive(List<ProcessTree> trees) {
        LinuxProcesses.Look look = LinuxProcesses.AVAILABLE ? new LinuxProcesses.Look() : null;
        Set<ProcessHandle> found = new LinkedHashSet<>();
        for (ProcessTree tree : trees) {
            found.addAll(tree.alive(look));
        }
        return found;
    }

    /**
     * Scans the processes of the machine and returns the running daemons of the tree, which are not ended with it.
     * Empty on other systems than Linux, where they cannot be found.
     */
    public List<ProcessHandle> daemons() {
        if (!LinuxProcesses.AVAILABLE) {
            return List.of();
        }
        LinuxProcesses.Look look = new LinuxProcesses.Look();
        Set<ProcessHandle> members = alive(look);
        List<ProcessHandle> daemons = new ArrayList<>();
        for (LinuxProcesses.Stat process : look.processes) {
            if (!process.dead() && look.wasStartedWith(process.pid(), mark)) {
                ProcessHandle.of(process.pid())
                        .filter(handle -> !members.contains(handle))
                        .ifPresent(daemons::add);
            }
        }
        return daemons;
    }

    private Set<ProcessHandle> alive(LinuxProcesses.@Nullable Look look) {
        Set<ProcessHandle> found = new LinkedHashSet<>();
        for (ProcessHandle known : remembered()) {
            if (isRunning(known)) {
                found.add(known);
            }
        }
        if (look != null) {
            addFrom(look, found);
        } else {
            for (ProcessHandle known : List.copyOf(found)) {
                known.descendants().forEach(found::add);
            }
        }
        lock.lock();
        try {
            seen.addAll(found);
        } finally {
            lock.unlock();
        }
        return found;
    }

    private List<ProcessHandle> remembered() {
        lock.lock();
        try {
            return new ArrayList<>(seen);
        } finally {
            lock.unlock();
        }
    }

    private void addFrom(LinuxProcesses.Look look, Set<ProcessHandle> found) {
        Set<Long> members = new LinkedHashSet<>();
        for (ProcessHandle handle : found) {
            members.add(handle.pid());
        }
        List<LinuxProcesses.Stat> others = new ArrayList<>(look.processes);
        others.removeIf(other -> other.dead() || members.contains(other.pid()));
        moveChildren(others, members);
        long session = LinuxProcesses.ownSession();
        others.removeIf(other -> !isOrphanOfOurs(other, session, look) || !members.add(other.pid()));
        moveChildren(others, members);
        for (long pid : members) {
            ProcessHandle.of(pid).filter(ProcessTree::isRunning).ifPresent(found::add);
        }
    }

    /** Moves the descendants of members from the others to the members. */
    private static void moveChildren(List<LinuxProcesses.Stat> others, Set<Long> members) {
        boolean more = true;
        while (more) {
            more = others.removeIf(other -> members.contains(other.parent()) && members.add(other.pid()));
        }
    }

    private boolean isOrphanOfOurs(LinuxProcesses.Stat process, long session, LinuxProcesses.Look look) {
        List<String> open = look.standardStreams(process.pid());
        // A process that holds a pipe created for the root need not have the mark.
        return !Collections.disjoint(ownPipes, open)
                || (look.wasStartedWith(process.pid(), mark)
                        && (purpose == Purpose.COMMAND || process.session() == session || holdsPipe(open)));
    }

    /**
     * Returns whether a process holds a pipe of the root or, if the root ended before its pipes were known, any pipe.
     */
    private boolean holdsPipe(List<String> open) {
        boolean isUnknown = streams.contains("");
        for (String target : open) {
            if (target.startsWith("pipe:") && (isUnknown || streams.contains(target))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isRunning(ProcessHandle handle) {
        return handle.isAlive() && !(LinuxProcesses.AVAILABLE && LinuxProcesses.isDead(handle.pid()));
    }

    /**
     * Waits for the tree to end by itself, then terminates it, then kills it. Blocks for at most the two times plus two
     * seconds. Interrupting the thread does not stop this: the remaining processes are killed at once, and the thread
     * is interrupted again on return. Must also be called for a tree that has ended by itself, to find remaining
     * processes and to release it.
     *
     * @param patience how long to wait first, for example after closing the standard input of the root; may be zero.
     *     Descendants that outlive the root have one second of it
     * @param mercy how long to wait between terminating and killing; may be zero
     */
    public Ending end(Duration patience, Duration mercy) {
        return endAll(List.of(this), patience, mercy);
    }

    /**
     * Ends several trees at the same time as {@link #end} ends one: they share the times and the snapshots of
     * processes, so many trees take about as long as one.
     *
     * @return the strongest means used for any of them, and the survivors of all
     */
    public static Ending endAll(List<ProcessTree> trees, Duration patience, Duration mercy) {
        if (trees.isEmpty()) {
            return new Ending(Step.WAITED, List.of());
        }
        // Once the root is gone, its children cannot be found by their parents, so take a snapshot before.
        alive(trees);
        Step step = Step.WAITED;
        boolean ended = false;
        boolean interrupted = false;
        try {
            ended = awaitEnd(trees, patience, LEFTOVER_TIME, Set.of());
            if (!ended) {
                step = Step.TERMINATED;
                ended = awaitEnd(trees, mercy, mercy, signalAll(trees, false));
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        List<Long> survivors = List.of();
        if (!ended) {
            step = Step.KILLED;
            survivors = kill(trees);
        }
        for (ProcessTree tree : trees) {
            ExitHook.remove(tree);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return new Ending(step, survivors);
    }

    /**
     * Lets a process of its own end the tree, which goes on when this program has exited; its exit then does not end
     * the tree. Returns at once. For programs that exit now, such as a command whose work is done. Close the standard
     * input of the root before, or it is closed by the exit.
     *
     * @param patience how long the tree may take to end by itself; descendants that outlive the root have one second
     * @param mercy how long to wait between terminating and killing
     * @return false if this is impossible here, as on other systems than Linux; then use {@link #end}
     */
    public boolean endInBackground(Duration patience, Duration mercy) {
        Set<ProcessHandle> processes = new LinkedHashSet<>();
        processes.add(root.toHandle());
        processes.addAll(alive(List.of(this)));
        boolean started = BackgroundEnd.start(mark, List.copyOf(processes), patience, mercy);
        if (started) {
            ExitHook.remove(this);
        }
        return started;
    }

    /** Kills repeatedly until no process is left, because a process may start another during the scan. */
    private static List<Long> kill(List<ProcessTree> trees) {
        long deadline = System.nanoTime() + TIME_TO_DIE.toNanos();
        boolean interrupted = false;
        while (!signalAll(trees, true).isEmpty() && System.nanoTime() < deadline) {
            try {
                awaitEnd(trees, Duration.ofMillis(100), TIME_TO_DIE, Set.of());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        List<Long> survivors = new ArrayList<>();
        for (ProcessHandle survivor : alive(trees)) {
            survivors.add(survivor.pid());
        }
        return survivors;
    }

    /** Terminates or kills every process of the trees; returns those found. */
    private static Set<ProcessHandle> signalAll(List<ProcessTree> trees, boolean force) {
        Set<ProcessHandle> targets = alive(trees);
        for (ProcessHandle target : targets) {
            if (force) {
                target.destroyForcibly();
            } else {
                target.destroy();
            }
        }
        return targets;
    }

    /**
     * Waits until no process of the trees is running; returns false after the timeout.
     *
     * @param leftover how much of the time the descendants have once the roots are gone
     * @param terminated the processes that were asked to terminate; if there are any, processes found later are asked,
     *     too: a process may have started another just before it ended
     */
    private static boolean awaitEnd(
            List<ProcessTree> trees, Duration time, Duration leftover, Set<ProcessHandle> terminated)
            throws InterruptedException {
        // Not toNanos(), which throws for very long durations.
        long nanos = TimeUnit.NANOSECONDS.convert(time);
        long begun = System.nanoTime();
        for (ProcessTree tree : trees) {
            if (!tree.root.waitFor(nanos - (System.nanoTime() - begun), TimeUnit.NANOSECONDS)) {
                return false;
            }
        }
        long rootsEnded = System.nanoTime();
        long rest = Math.min(nanos - (rootsEnded - begun), TimeUnit.NANOSECONDS.convert(leftover));
        // There is no notification for the end of a process that is not a child of this one, so poll.
        long pause = SHORTEST_LOOK_NANOS;
        while (isAnyRememberedRunning(trees) || !isGone(trees, terminated)) {
            long left = rest - (System.nanoTime() - rootsEnded);
            if (left <= 0) {
                return false;
            }
            LockSupport.parkNanos(trees, Math.min(pause, left));
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for processes to end");
            }
            pause = Math.min(2 * pause, LONGEST_LOOK_NANOS);
        }
        return true;
    }

    private static boolean isGone(List<ProcessTree> trees, Set<ProcessHandle> terminated) {
        Set<ProcessHandle> left = alive(trees);
        if (!terminated.isEmpty()) {
            for (ProcessHandle late : left) {
                if (!terminated.contains(late)) {
                    late.destroy();
                }
            }
        }
        return left.isEmpty();
    }

    private static boolean isAnyRememberedRunning(List<ProcessTree> trees) {
        for (ProcessTree tree : trees) {
            for (ProcessHandle handle : tree.remembered()) {
                if (isRunning(handle)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns for example {@code ProcessTree[4711]}. */
    @Override
    public String toString() {
        return "ProcessTree[" + root.pid() + "]";
    }
}
