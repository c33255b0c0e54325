package dev.acp4j.bench;

import java.util.List;

/**
 * How much of everything.
 *
 * @param starts how often each agent is started
 * @param rounds how often each subject takes part in the other workloads
 * @param fewRounds how often in those that take long
 * @param updates the updates of a stream
 * @param turns the tiny turns, and the reads
 * @param megabytes the sizes of large messages
 * @param sessions the numbers of idle sessions
 * @param lengths the numbers of updates that show how the cost of a turn grows
 * @param patience the seconds after which a process is killed
 */
record Scale(
        int starts,
        int rounds,
        int fewRounds,
        int updates,
        int turns,
        List<Integer> megabytes,
        List<Integer> sessions,
        List<Integer> lengths,
        int patience) {

    static final Scale FULL = new Scale(
            20,
            5,
            3,
            100_000,
            10_000,
            List.of(1, 10, 60),
            List.of(100, 1_000, 10_000),
            List.of(10_000, 100_000, 1_000_000),
            60);

    /** Shows that everything works, in some minutes. */
    static final Scale BRIEF = new Scale(1, 1, 1, 1_000, 200, List.of(1), List.of(20), List.of(1_000), 20);

    boolean isBrief() {
        return starts == 1;
    }
}
