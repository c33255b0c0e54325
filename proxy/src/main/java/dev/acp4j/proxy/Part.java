package dev.acp4j.proxy;

import java.util.List;

/** What the interceptors of one proxy have in common. Compared by identity: two proxies may have one name. */
final class Part {
    /** For what belongs to no proxy, or not yet. */
    static final Part NONE = new Part("", false, List.of(), Patience.Bounds.NONE);

    private final String name;
    private final boolean isFilter;
    private final List<SessionState<?>> states;
    private final Patience.Bounds patience;

    /**
     * Takes what is known.
     *
     * @param name the name of the proxy
     * @param isFilter whether what its interceptors fail at goes no further
     * @param states what it keeps for sessions
     * @param patience how long its interceptors may take by themselves
     */
    Part(String name, boolean isFilter, List<SessionState<?>> states, Patience.Bounds patience) {
        this.name = name;
        this.isFilter = isFilter;
        this.states = List.copyOf(states);
        this.patience = patience;
    }

    String name() {
        return name;
    }

    boolean isFilter() {
        return isFilter;
    }

    List<SessionState<?>> states() {
        return states;
    }

    Patience.Bounds patience() {
        return patience;
    }
}
