package dev.acp4j.bench;

import java.util.Arrays;

/** How long each of many equal things took. */
final class Latencies {
    private final long[] nanos;
    private int count;
    private int refused;

    Latencies(int most) {
        nanos = new long[most];
    }

    void add(long value) {
        nanos[count++] = value;
    }

    /** Counts what had to be tried again. */
    void refused(int times) {
        refused += times;
    }

    /** Returns the median, in microseconds. */
    double median() {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return sorted[count / 2] / 1e3;
    }

    /** Writes the median and the 99th percentile, in microseconds. */
    void writeTo(Workload.Sheet sheet, String prefix) {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        sheet.write(prefix + "p50, µs", sorted[count / 2] / 1e3);
        sheet.write(prefix + "p99, µs", sorted[(int) (count * 0.99)] / 1e3);
        if (refused > 0) {
            sheet.write(prefix + "prompts refused", refused);
        }
    }
}
