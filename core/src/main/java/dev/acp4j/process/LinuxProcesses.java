package dev.acp4j.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads facts from {@code /proc} that {@link ProcessHandle} lacks: which processes are zombies, which session they are
 * in, and which environment they were started with.
 */
final class LinuxProcesses {
    static final boolean AVAILABLE = new File("/proc/self/environ").canRead();

    private static final int READ_BYTES = 16 * 1024;
    private static final int EMPTY_READS = 20;
    private static final long EMPTY_PAUSE_NANOS = 100_000;
    private static final int STANDARD_STREAMS = 3;

    /** The index of the start time among the fields behind the command. */
    private static final int START_TIME = 19;

    private LinuxProcesses() {}

    /** One process as described by its {@code stat} file. */
    record Stat(long pid, long parent, long session, boolean dead) {}

    /**
     * A snapshot of all processes, which several trees can share. The files of a process are read once: with many
     * trees, reading them dominates the time. For use by one thread.
     */
    static final class Look {
        final List<Stat> processes = list();
        private final Map<Long, List<String>> streams = new HashMap<>();
        private final Map<Long, String> environments = new HashMap<>();

        List<String> standardStreams(long pid) {
            return streams.computeIfAbsent(pid, LinuxProcesses::standardStreams);
        }

        /** Returns whether the process was started with an environment that contains the mark. */
        boolean wasStartedWith(long pid, String mark) {
            return environments
                    .computeIfAbsent(pid, key -> new String(environment(key), StandardCharsets.ISO_8859_1))
                    .contains(mark);
        }
    }

    private static List<Stat> list() {
        List<Stat> stats = new ArrayList<>();
        String[] names = new File("/proc").list();
        for (String name : names == null ? new String[0] : names) {
            Stat stat = isNumber(name) ? stat(name) : null;
            if (stat != null) {
                stats.add(stat);
            }
        }
        return stats;
    }

    /** Returns whether the process is a zombie: it has ended, but its parent has not read the exit code. */
    static boolean isDead(long pid) {
        Stat stat = stat(Long.toString(pid));
        return stat == null || stat.dead;
    }

    static long ownSession() {
        Stat stat = stat("self");
        return stat == null ? -1 : stat.session;
    }

    /** Returns when a process started, in the unit of its {@code stat} file; empty if it has ended. */
    static String startTime(long pid) {
        String text = new String(read("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
        int rest = text.lastIndexOf(") ");
        String[] fields = rest < 0 ? new String[0] : text.substring(rest + 2).split(" ", START_TIME + 2);
        return fields.length > START_TIME ? fields[START_TIME] : "";
    }

    private static boolean isNumber(String name) {
        char first = name.charAt(0);
        return first >= '1' && first <= '9';
    }

    private static @Nullable Stat stat(String pid) {
        byte[] bytes = read("/proc/" + pid + "/stat");
        // pid (command) state parent group session …, where the command may itself contain parentheses and spaces.
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int command = text.indexOf(" (");
        int rest = text.lastIndexOf(") ");
        if (command < 0 || rest < 0) {
            return null;
        }
        String[] fields = text.substring(rest + 2).split(" ", 5);
        boolean dead = fields[0].equals("Z") || fields[0].equals("X");
        return new Stat(
                Long.parseLong(text.substring(0, command)), Long.parseLong(fields[1]), Long.parseLong(fields[3]), dead);
    }

    /** Reads the environment, and retries if it is empty: it appears empty while a process starts a program. */
    private static byte[] environment(long pid) {
        String file = "/proc/" + pid + "/environ";
        byte[] environment = read(file);
        // Kernel threads have neither an environment nor a program.
        for (int i = 0;
                environment.length == 0
                        && i < EMPTY_READS
                        && !link("/proc/" + pid + "/exe").isEmpty();
                i++) {
            LockSupport.parkNanos(EMPTY_PAUSE_NANOS);
            environment = read(file);
        }
        return environment;
    }

    /** Returns the targets of the process's standard streams, such as {@code pipe:[4711]}; empty for closed ones. */
    static List<String> standardStreams(long pid) {
        List<String> targets = new ArrayList<>();
        for (int fd = 0; fd < STANDARD_STREAMS; fd++) {
            targets.add(link("/proc/" + pid + "/fd/" + fd));
        }
        return targets;
    }

    private static String link(String path) {
        try {
            return Files.readSymbolicLink(Path.of(path)).toString();
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns an empty array if the file is gone or belongs to another user. */
    private static byte[] read(String path) {
        try (InputStream in = new FileInputStream(path)) {
            byte[] bytes = in.readNBytes(READ_BYTES);
            if (bytes.length < READ_BYTES) {
                return bytes;
            }
            byte[] more = in.readAllBytes();
            byte[] all = Arrays.copyOf(bytes, bytes.length + more.length);
            System.arraycopy(more, 0, all, bytes.length, more.length);
            return all;
        } catch (IOException e) {
            return new byte[0];
        }
    }
}
