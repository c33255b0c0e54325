package dev.acp4j.proxy;

import dev.acp4j.schema.Unstable;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * What a component of a running chain does now.
 *
 * @param id its name
 * @param pid the id of its process; empty if it has none
 * @param state what it does
 * @param restarts how often it was started again
 * @param inFlight how many requests are inside it
 * @param queuedBytes how much waits to be written to it
 * @param median the median of the time that its last requests spent in it, without the time that it waited for others
 * @param percentile99 the 99th percentile of that time
 */
@Unstable
public record ComponentStatus(
        String id,
        OptionalLong pid,
        State state,
        int restarts,
        int inFlight,
        long queuedBytes,
        Duration median,
        Duration percentile99) {
    /** What a component does. */
    public enum State {
        /** It has started, and is not initialized yet. */
        STARTING,
        /** It works. */
        READY,
        /** It has ended, and something is being done about it. */
        DOWN,
        /** It has ended, and its neighbours are joined. */
        BYPASSED,
        /** It has ended, and the chain ends. */
        FAILED
    }
}
