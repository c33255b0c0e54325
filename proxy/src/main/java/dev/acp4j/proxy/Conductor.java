package dev.acp4j.proxy;

import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a chain: proxies, and the agent at its end, which together are one agent to the client.
 *
 * <pre>{@code
 * Conductor.builder()
 *         .proxy(Component.of("context", Launch.of("context-proxy")))
 *         .proxy(brief)
 *         .agent(Launch.of("claude-agent-acp"))
 *         .build()
 *         .serve(Stdio.system());
 * }</pre>
 *
 * <p>A {@link Component} is a program of its own, which is started again when it dies. A {@link Proxy} of this program
 * costs neither a process nor a message more. Immutable; one object may run several chains.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/proxy-chains">Proxy chains</a>
 */
@Unstable
public final class Conductor {
    /** Proxies of this program that stand next to each other, and the program behind them; null for the last. */
    record Stretch(List<Inside> insides, @Nullable Component component) {
        /** Returns one proxy that does what all inside do. */
        Proxy inside() {
            Proxy all = Proxy.builder("conductor", "1").build();
            for (Inside one : insides) {
                all = all.then(one.proxy());
            }
            return all;
        }
    }

    /** A proxy of this program, and its name in reports. */
    record Inside(String id, Proxy proxy) {}

    /** Names of other parts of a chain in reports and recordings. */
    private static final Set<String> RESERVED = Set.of(Hops.CLIENT, Hops.AGENT, ChainTrace.CONDUCTOR);

    /** Connects to an agent. */
    @FunctionalInterface
    public interface Connector {
        /**
         * Connects, once for each chain, and again when the agent is restarted.
         *
         * @return where the agent is; closed with the chain
         * @throws IOException when that fails
         * @throws InterruptedException when interrupted
         */
        Transport connect() throws IOException, InterruptedException;
    }

    private final List<Stretch> stretches;
    private final @Nullable Launch agent;
    private final @Nullable Connector connector;
    private final Map<String, Connector> connectors;
    private final Deadlines agentDeadlines;
    private final List<Component.OnDeath> agentOnDeath;
    private final ComponentLimits agentLimits;
    private final Limits limits;
    private final Consumer<String> onNotice;
    private final @Nullable ChainTrace trace;
    private final Connection.@Nullable Listener listener;
    private final Supplier<Clock> clocks;

    private Conductor(Builder builder) {
        this.stretches = List.copyOf(builder.stretches());
        this.agent = builder.agent;
        this.connector = builder.connector;
        this.connectors = Map.copyOf(builder.connectors);
        this.agentDeadlines = builder.agentDeadlines;
        this.agentOnDeath = builder.agentOnDeath;
        this.agentLimits = builder.agentLimits;
        this.limits = builder.limits;
        this.onNotice = builder.onNotice;
        this.trace = builder.trace;
        this.listener = builder.listener;
        this.clocks = builder.clocks;
    }

    /** Begins a conductor. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts the chain for one client.
     *
     * @param client where the client is; closed with the chain
     * @return the chain at work
     * @throws IOException when a program cannot be found or started; it is named, and none is left running
     * @throws InterruptedException when interrupted; none is left running
     */
    public RunningChain start(Transport client) throws IOException, InterruptedException {
        return RunningChain.start(this, client);
    }

    /**
     * Starts the chain for one client, and waits until it has ended.
     *
     * @throws IOException when a program cannot be found or started
     * @throws InterruptedException when interrupted; the chain is ended
     */
    public void serve(Transport client) throws IOException, InterruptedException {
        try (RunningChain chain = start(client)) {
            chain.awaitClosed();
        }
    }

    List<Stretch> stretches() {
        return stretches;
    }

    /** Whether the chain has no agent, and stands itself under a conductor. */
    boolean isProxy() {
        return agent == null && connector == null;
    }

    @Nullable
    Launch agent() {
        return agent;
    }

    @Nullable
    Connector connector() {
        return connector;
    }

    /** Returns where components are that are no programs, by their names. */
    Map<String, Connector> connectors() {
        return connectors;
    }

    Deadlines agentDeadlines() {
        return agentDeadlines;
    }

    List<Component.OnDeath> agentOnDeath() {
        return agentOnDeath;
    }

    ComponentLimits agentLimits() {
        return agentLimits;
    }

    Limits limits() {
        return limits;
    }

    Consumer<String> onNotice() {
        return onNotice;
    }

    @Nullable
    ChainTrace trace() {
        return trace;
    }

    Connection.@Nullable Listener listener() {
        return listener;
    }

    Clock clock() {
        return clocks.get();
    }

    /** Builds a conductor. */
    public static final class Builder {
        private final List<Object> parts = new ArrayList<>();
        private @Nullable Launch agent;
        private @Nullable Connector connector;
        private final Map<String, Connector> connectors = new HashMap<>();
        private Deadlines agentDeadlines = Deadlines.AGENT;
        private List<Component.OnDeath> agentOnDeath = List.of(Component.OnDeath.FAIL);
        private ComponentLimits agentLimits = ComponentLimits.NONE;
        private Limits limits = Limits.STANDARD;
        private Consumer<String> onNotice = Problems::log;
        private @Nullable ChainTrace trace;
        private Connection.@Nullable Listener listener;
        private Supplier<Clock> clocks = Clock::system;

        private Builder() {}

        /**
         * Adds a program, nearer to the agent than what was added before.
         *
         * @throws IllegalArgumentException when another one has its name, or that is {@code client}, {@code agent} or
         *     {@code conductor}
         */
        public Builder proxy(Component component) {
            requireFree(component.id());
            parts.add(component);
            return this;
        }

        /**
         * Adds a proxy of this program, nearer to the agent than what was added before. In reports it has its own name,
         * with a number if that is taken.
         */
        public Builder proxy(Proxy proxy) {
            String id = proxy.name();
            for (int i = 2; isTaken(id); i++) {
                id = proxy.name() + "-" + i;
            }
            return proxy(id, proxy);
        }

        /**
         * Adds a proxy of this program, nearer to the agent than what was added before.
         *
         * @param id its name in reports
         * @throws IllegalArgumentException when another one has its name, or that is {@code client}, {@code agent} or
         *     {@code conductor}
         */
        public Builder proxy(String id, Proxy proxy) {
            requireFree(id);
            parts.add(new Inside(id, Objects.requireNonNull(proxy)));
            return this;
        }

        private void requireFree(String id) {
            if (RESERVED.contains(id)) {
                throw new IllegalArgumentException("no component can have the name " + id
                        + ", which reports and recordings use for another part of the chain");
            }
            if (isTaken(id)) {
                throw new IllegalArgumentException("two components have the name " + id);
            }
        }

        private boolean isTaken(String id) {
            if (RESERVED.contains(id)) {
                return true;
            }
            for (Object part : parts) {
                if ((part instanceof Component component && component.id().equals(id))
                        || (part instanceof Inside inside && inside.id().equals(id))) {
                    return true;
                }
            }
            return false;
        }

        /** Sets the agent at the end of the chain. Without one the chain is itself a proxy, for another conductor. */
        public Builder agent(Launch launch) {
            agent = Objects.requireNonNull(launch);
            connector = null;
            return this;
        }

        /** Sets the agent at the end of the chain, one that is no process of ours. */
        public Builder agent(Connector value) {
            connector = Objects.requireNonNull(value);
            agent = null;
            return this;
        }

        /** Sets other deadlines of the agent than {@link Deadlines#AGENT}. */
        public Builder agentDeadlines(Deadlines value) {
            agentDeadlines = Objects.requireNonNull(value);
            return this;
        }

        /**
         * Sets what happens when the agent dies, tried in this order; without this, the chain ends. One that is
         * restarted is initialized as before, and its sessions are resumed, or loaded without the client seeing the
         * replay. Requests that were inside it fail, and what it cannot open again is answered -32002 from then on.
         *
         * @throws IllegalArgumentException when it is to be bypassed: nothing could take its place
         */
        public Builder agentOnDeath(Component.OnDeath... order) {
            List<Component.OnDeath> all = List.of(order);
            if (all.isEmpty() || all.contains(Component.OnDeath.BYPASS)) {
                throw new IllegalArgumentException("an agent that dies is restarted, or the chain fails");
            }
            agentOnDeath = all;
            return this;
        }

        /** Sets other limits of the agent than {@link ComponentLimits#NONE}. */
        public Builder agentLimits(ComponentLimits value) {
            agentLimits = Objects.requireNonNull(value);
            return this;
        }

        /** Sets other bounds of each connection than {@link Limits#STANDARD}. */
        public Builder limits(Limits value) {
            limits = Objects.requireNonNull(value);
            return this;
        }

        /** Takes what a user should know, a sentence each: a component that died, and what was done about it. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /** Records what passes the components. For one chain; it is not closed with that. */
        public Builder trace(ChainTrace value) {
            trace = Objects.requireNonNull(value);
            return this;
        }

        /**
         * Sets what measures the connections of chains: {@link Connection#name} is {@code acp4j-client},
         * {@code acp4j-agent}, or has the id of a component in the same way.
         */
        public Builder listener(Connection.Listener value) {
            listener = Objects.requireNonNull(value);
            return this;
        }

        /** Sets where a component is, in the place of its program. */
        Builder connector(String component, Connector value) {
            connectors.put(component, value);
            return this;
        }

        Builder clock(Clock value) {
            clocks = () -> value;
            return this;
        }

        private List<Stretch> stretches() {
            List<Stretch> all = new ArrayList<>();
            List<Inside> insides = new ArrayList<>();
            for (Object part : parts) {
                if (part instanceof Component component) {
                    all.add(new Stretch(List.copyOf(insides), component));
                    insides.clear();
                } else {
                    insides.add((Inside) part);
                }
            }
            all.add(new Stretch(List.copyOf(insides), null));
            return all;
        }

        /** Builds the conductor. */
        public Conductor build() {
            return new Conductor(this);
        }
    }
}
