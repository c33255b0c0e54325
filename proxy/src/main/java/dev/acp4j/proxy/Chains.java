package dev.acp4j.proxy;

import dev.acp4j.schema.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The interceptors and observers of messages, in the order in which they see them. Those of notifications, of which
 * there may be very many, are kept for each method.
 */
final class Chains {
    /** A peer may send any number of names of methods, of any length, so not all are kept. */
    private static final int MOST = 256;

    private static final int LONGEST = 128;

    private final List<Entry> entries;
    private final Map<String, List<Entry>> toAgent = new ConcurrentHashMap<>();
    private final Map<String, List<Entry>> toClient = new ConcurrentHashMap<>();

    Chains(List<Entry> entries) {
        this.entries = entries;
    }

    List<Entry> ofNotification(String method, Method.Side to) {
        Map<String, List<Entry>> known = to == Method.Side.AGENT ? toAgent : toClient;
        List<Entry> chain = known.get(method);
        if (chain == null) {
            chain = find(method, to, false);
            if (known.size() < MOST && method.length() <= LONGEST) {
                known.put(method, chain);
            }
        }
        return chain;
    }

    List<Entry> ofRequest(String method, Method.Side to) {
        return find(method, to, true);
    }

    private List<Entry> find(String method, Method.Side to, boolean isRequest) {
        List<Entry> chain = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.isFor(to, isRequest, method)) {
                chain.add(entry);
            }
        }
        return List.copyOf(to == Method.Side.AGENT ? chain : chain.reversed());
    }
}
