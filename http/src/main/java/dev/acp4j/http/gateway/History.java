package dev.acp4j.http.gateway;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much is kept of the updates of the sessions of all shared agents. Each keeps at most as much as is left of the
 * bound, so that something is left for one that comes.
 */
final class History {
    private final long ofAgent;
    private final long inAll;
    private final AtomicLong bytes = new AtomicLong();

    /** Creates the count for limits of a gateway. */
    History(GatewayLimits limits) {
        this.ofAgent = limits.historyBytes();
        this.inAll = limits.historyBytesInAll();
    }

    /** Counts bytes that are kept more, or less. */
    void add(long more) {
        var unused = bytes.addAndGet(more);
    }

    /** Returns how much is kept of all. */
    long bytes() {
        return bytes.get();
    }

    /** Returns how much one agent may keep. */
    long share() {
        return Math.max(0, Math.min(ofAgent, inAll - bytes.get()));
    }
}
