package dev.acp4j.cli.trace;

import dev.acp4j.trace.TraceEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * The order of the ends of connections: the client is on the left, the agent on the right, between them the components
 * of a chain as the trace lists them, and proxies with a number.
 */
final class TraceLanes {
    private static final String PROXY = "proxy:";

    /** The ends of the chains in the trace, in an order in which all of them fit. */
    private final List<String> ends = new ArrayList<>();

    /** Adds the ends of a chain: those that are not known yet get a place behind the one before them. */
    void add(TraceEvent chain) {
        int place = 0;
        for (String name : names(chain)) {
            int known = ends.indexOf(name);
            if (known < 0) {
                ends.add(place, name);
                known = place;
            }
            place = Math.max(place, known + 1);
        }
    }

    /** Returns the ends of a chain, from the client to the agent. */
    static List<String> names(TraceEvent chain) {
        return MessageFacts.of(chain.body()).list().stream()
                .map(MessageFacts::text)
                .toList();
    }

    /** Returns the ends of all chains. */
    List<String> ends() {
        return ends;
    }

    /** Returns whether an event goes from left to right. */
    boolean isForth(TraceEvent event) {
        return !event.to().isEmpty() && compare(event.from(), event.to()) < 0;
    }

    /** Compares the places of two ends. */
    int compare(String one, String other) {
        int byRank = Double.compare(rank(one), rank(other));
        return byRank == 0 ? one.compareTo(other) : byRank;
    }

    private double rank(String name) {
        int place = ends.indexOf(name);
        if (place >= 0) {
            return place;
        }
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
