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
 * A process and all it started in turn, ended together: killing {@code npx} alone would leave the agent behind it
 * running. What lives when the JVM exits is ended then.
 *
 * <p>A process belongs to the tree when its chain of parents leads to the root, or did so at some look before. On Linux
 * those whose parents have exited are found as well, by an environment variable that every process of the tree
 * inherits. Among these, one that started a session of its own and let go of the root's pipes is a daemon by its own
 * will (a browser opened for a login, a build daemon) and is left alone.
 *
 * <p>All methods may be called from any thread. The lock guards the processes seen so far; the operating system is not
 * asked while holding it. {@code STARTING} keeps starts apart, see {@link #startAlone}.
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

    private final Process root;
    private final String mark;
    private final List<String> streams;

    /** The pipes among them that were made for the root, not handed on from this process. */
    private final Set<String> ownPipes;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Set<ProcessHandle> seen = new LinkedHashSet<>();

    /** What it took to end a tree. */
    public enum Step {
        /** It ended by itself within the time it was given. */
        WAITED,
        /** Its processes were asked to terminate (SIGTERM). */
        TERMINATED,
        /** Its processes were killed (SIGKILL). */
        KILLED
    }

    /**
     * How a tree ended.
     *
     * @param lastStep the strongest means that was used
     * @param survivors the processes that are still there, because killing them was not allowed or had no effect;
     *     normally none
     */
    public record Ending(Step lastStep, List<Long> survivors) {
        /** Copies the list. */
        public Ending {
            survivors = List.copyOf(survivors);
        }

        /** Returns whether nothing of the tree is left. */
        public boolean isComplete() {
            return survivors.isEmpty();
        }
    }

    private ProcessTree(Process root, String mark) {
        this.root = root;
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
     * Starts a process as the root of a tree. Its command is looked up as a shell would: a name in the search path of
     * its environment, or in that of this program if it has none, and on Windows with the extensions of programs; a
     * relative path from its working directory.
     *
     * @param builder what to start; the file that was found replaces the command, and an environment variable is added
     * @throws LaunchException when there is no such program, or it cannot be given these arguments; the message says
     *     where it was looked for
     * @throws IOException when it cannot be started
     * @throws IllegalStateException when the JVM is exiting
     */
    public static ProcessTree start(ProcessBuilder builder) throws IOException {
        List<String> words = builder.command();
        File directory = builder.directory();
        builder.command(CommandLookup.in(builder.environment())
                .line(
                        words.get(0),
                        words.subList(1, words.size()),
                        Path.of(directory == null ? "" : directory.getPath())));
        return startFile(builder);
    }

    /** Starts a program whose file is known. */
    static ProcessTree startFile(ProcessBuilder builder) throws IOException {
        String mark = ProcessHandle.current().pid() + "-" + Long.toString(LAUNCHED_AT, Character.MAX_RADIX) + "-"
                + LAUNCHES.incrementAndGet() + ";";
        Map<String, String> environment = builder.environment();
        // Trees may be nested: what an agent launches belongs to its tree and to ours.
        String outer = System.getenv(MARK_NAME);
        environment.put(MARK_NAME, outer == null ? mark : outer + mark);
        return ExitHook.start(() -> new ProcessTree(startAlone(builder), mark));
    }

    /**
     * Starts processes one at a time. Until a new process runs its own program it holds a copy of every pipe that this
     * one has open just then, and so the reading end of a pipe that is being made for another: what is written to an
     * agent that has closed its input would then seem to arrive. A start that hangs, as on a file system that does not
     * answer, keeps the others waiting for ten seconds at most.
     */
    private static Process startAlone(ProcessBuilder builder) throws IOException {
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

    /** Returns the process that was started. Its streams belong to the caller. */
    public Process root() {
        return root;
    }

    /** Returns whether anything of the tree is running. This looks at all processes of the machine. */
    public boolean isAlive() {
        return root.isAlive() || !alive().isEmpty();
    }

    /** Looks at the processes of the machine and returns those of the tree that are running, the oldest known first. */
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

    /** Moves the children of members, and theirs in turn, from the others to the members. */
    private static void moveChildren(List<LinuxProcesses.Stat> others, Set<Long> members) {
        boolean more = true;
        while (more) {
            more = others.removeIf(other -> members.contains(other.parent()) && members.add(other.pid()));
        }
    }

    private boolean isOrphanOfOurs(LinuxProcesses.Stat process, long session, LinuxProcesses.Look look) {
        List<String> open = look.standardStreams(process.pid());
        // Who holds a pipe that was made for the root need not show the mark.
        return !Collections.disjoint(ownPipes, open)
                || (look.wasStartedWith(process.pid(), mark) && (process.session() == session || holdsPipe(open)));
    }

    /** Returns whether a process holds a pipe of the root, or, when the root was gone too soon to tell, any pipe. */
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
     * Waits for the tree to end by itself, then terminates it, then kills it. Blocks for at most the two times and two
     * seconds more. Interrupting the thread does not stop this but hurries it: what is left is killed at once, and the
     * thread is interrupted again on return. Call it also for a tree that has ended by itself, to be sure and to forget
     * it.
     *
     * @param patience how long to wait first, for example after closing the standard input of the root; may be zero.
     *     What the root leaves behind has a second of it.
     * @param mercy how long to wait between terminating and killing; may be zero
     */
    public Ending end(Duration patience, Duration mercy) {
        return endAll(List.of(this), patience, mercy);
    }

    /**
     * Ends several trees as {@link #end} ends one, all at the same time: they share the times and each look at the
     * processes of the machine, so that many take about as long as one.
     *
     * @return the strongest means that was used for any of them, and what is left of all
     */
    public static Ending endAll(List<ProcessTree> trees, Duration patience, Duration mercy) {
        if (trees.isEmpty()) {
            return new Ending(Step.WAITED, List.of());
        }
        // Once the root is gone its children can no longer be told by their parents, so look before.
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

    /** Kills until nothing is left, since a process may start another one while it is being looked for. */
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

    /** Asks every process of the trees to end, or forces it to; returns those that were there. */
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
     * Waits until nothing of the trees is running; false when that takes longer.
     *
     * @param leftover how much of the time those have that are still there when the roots are gone
     * @param terminated the processes that were asked to terminate; when there are any, those found later are asked,
     *     too: a process may have been starting another one just when it was ended itself
     */
    private static boolean awaitEnd(
            List<ProcessTree> trees, Duration time, Duration leftover, Set<ProcessHandle> terminated)
            throws InterruptedException {
        // Not toNanos(), which throws for what nobody lives to see.
        long nanos = TimeUnit.NANOSECONDS.convert(time);
        long begun = System.nanoTime();
        for (ProcessTree tree : trees) {
            if (!tree.root.waitFor(nanos - (System.nanoTime() - begun), TimeUnit.NANOSECONDS)) {
                return false;
            }
        }
        long rootsEnded = System.nanoTime();
        long rest = Math.min(nanos - (rootsEnded - begun), TimeUnit.NANOSECONDS.convert(leftover));
        // Nobody tells us when a process ends that is not our child, so there is only looking again and again.
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
