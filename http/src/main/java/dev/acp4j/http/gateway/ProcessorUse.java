package dev.acp4j.http.gateway;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The time of processors that an agent and the processes it has started use: nothing else shows what an agent does
 * without a turn, such as the build that it has left in the background. For one thread at a time.
 */
final class ProcessorUse {
    /** One in how many seconds of a processor programs use that only wait, for their timers and caches. */
    private static final int AT_REST = 50;

    /** Null when it has ended already. */
    private final @Nullable ProcessHandle root;

    private Map<ProcessHandle, Duration> used = new HashMap<>();
    private long looked = now();

    /** @param pid the process of an agent that has just been started */
    ProcessorUse(long pid) {
        this.root = ProcessHandle.of(pid).orElse(null);
    }

    /** Processors know no other time than the real one. */
    private static long now() {
        return System.nanoTime();
    }

    /** Returns whether they have worked since this was asked last, and not only waited. */
    boolean wasWork() {
        long now = now();
        Map<ProcessHandle, Duration> total = new HashMap<>();
        Stream.ofNullable(root)
                .flatMap(agent -> Stream.concat(Stream.of(agent), agent.descendants()))
                .forEach(process ->
                        total.put(process, process.info().totalCpuDuration().orElse(Duration.ZERO)));
        long since = 0;
        for (Map.Entry<ProcessHandle, Duration> entry : total.entrySet()) {
            since += entry.getValue()
                    .minus(used.getOrDefault(entry.getKey(), Duration.ZERO))
                    .toNanos();
        }
        boolean works = since > (now - looked) / AT_REST;
        used = total;
        looked = now;
        return works;
    }
}
