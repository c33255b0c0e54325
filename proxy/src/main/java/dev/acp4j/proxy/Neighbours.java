package dev.acp4j.proxy;

import dev.acp4j.schema.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The client and the agent, as each of the proxies before them sees them. In a chain they are the same objects for as
 * long as it runs, whatever it is changed to: a proxy that is in the chain before and after has them as keys, and keeps
 * them to say something later.
 */
class Neighbours {
    /** One of them. */
    private record Key(Part part, int number, Method.Side side) {}

    private final Map<Key, Neighbour> all = new ConcurrentHashMap<>();

    /**
     * Returns a side as a proxy on a link sees it.
     *
     * @param number on how many links before that it stands, too
     */
    Neighbour of(Interceptions link, Part part, int number, Method.Side side) {
        return all.computeIfAbsent(new Key(part, number, side), key -> new Neighbour(this, link, side, part, number));
    }

    /**
     * Returns the link on which a proxy stands now.
     *
     * @param link where it stood first
     * @param number on how many links before that it stood, too
     * @param session the session of which it has something to say; empty for none
     */
    Interceptions link(Interceptions link, Part part, int number, String session) {
        return link;
    }
}
