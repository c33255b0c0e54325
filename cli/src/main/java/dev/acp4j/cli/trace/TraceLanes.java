package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;

/** The order of the ends of connections: the client is on the left, the agent on the right, proxies between them. */
final class TraceLanes {
    private static final String PROXY = "proxy:";

    private TraceLanes() {}

    /** Returns whether an event goes from left to right. */
    static boolean isForth(TraceEvent event) {
        return !event.to().isEmpty() && compare(event.from(), event.to()) < 0;
    }

    /** Compares the places of two ends. */
    static int compare(String one, String other) {
        int byRank = Double.compare(rank(one), rank(other));
        return byRank == 0 ? one.compareTo(other) : byRank;
    }

    private static double rank(String name) {
        if (name.equals("client")) {
            return -1;
        }
        if (name.equals("agent")) {
            return Double.POSITIVE_INFINITY;
        }
        if (name.startsWith(PROXY)) {
            try {
                return Integer.parseUnsignedInt(name.substring(PROXY.length()));
            } catch (NumberFormatException e) {
                return Integer.MAX_VALUE;
            }
        }
        return Integer.MAX_VALUE;
    }
}
