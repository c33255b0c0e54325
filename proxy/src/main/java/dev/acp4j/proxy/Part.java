package dev.acp4j.proxy;

import dev.acp4j.rpc.Problem;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the interceptors of one proxy have in common. Each proxy has its own: two may have one name. */
final class Part {
    /** For what belongs to no proxy, or not yet. */
    static final Part NONE = new Part("", false, List.of(), Patience.Bounds.NONE, Problems.LOG);

    /** The same for all that is of one proxy. */
    private final Object proxy;

    private final String name;
    private final boolean isFilter;
    private final List<SessionState<?>> states;
    private final Patience.Bounds patience;
    private final Consumer<Problem> onProblem;

    /**
     * Takes what is known.
     *
     * @param name the name of the proxy
     * @param isFilter whether what its interceptors fail at goes no further
     * @param states what it keeps for sessions
     * @param patience how long its interceptors may take by themselves
     * @param onProblem takes what goes wrong in them
     */
    Part(
            String name,
            boolean isFilter,
            List<SessionState<?>> states,
            Patience.Bounds patience,
            Consumer<Problem> onProblem) {
        this(new Object(), name, isFilter, states, patience, onProblem);
    }

    private Part(
            Object proxy,
            String name,
            boolean isFilter,
            List<SessionState<?>> states,
            Patience.Bounds patience,
            Consumer<Problem> onProblem) {
        this.proxy = proxy;
        this.name = name;
        this.isFilter = isFilter;
        this.states = List.copyOf(states);
        this.patience = patience;
        this.onProblem = onProblem;
    }

    /** Returns the same proxy for an interceptor whose failures nothing passes, and that sees every session. */
    Part strict() {
        return new Part(proxy, name, true, List.of(), Patience.Bounds.NONE, onProblem);
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

    Consumer<Problem> onProblem() {
        return onProblem;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Part part && proxy.equals(part.proxy);
    }

    @Override
    public int hashCode() {
        return proxy.hashCode();
    }
}
