package dev.acp4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the kernel says of a process. */
final class ProcessFigures {
    private static final double TICKS_PER_SECOND = 100;

    private ProcessFigures() {}

    /** Returns the most memory that the process ever had, in MiB. */
    static double peakMebibytes(long pid) throws IOException {
        return status(pid, "VmHWM:") / 1024.0;
    }

    /** Returns the memory that the process has, in KiB. */
    static double residentKibibytes(long pid) throws IOException {
        return status(pid, "VmRSS:");
    }

    /** Returns how many files, sockets and the like the process has open. */
    static int descriptors(long pid) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return (int) all.count();
        }
    }

    private static long status(long pid, String name) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/" + pid + "/status"));
        for (String line : lines) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException("process " + pid + " has no " + name);
    }

    /** Returns the seconds of processor time that the process has used, to a hundredth. */
    static double cpuSeconds(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }
}
