package dev.acp4j.proxy;

import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
    record Stretch(Proxy inside, @Nullable Component component) {}

    /** Connects to an agent. */
    @FunctionalInterface
    public interface Connector {
        /**
         * Connects, once for each chain.
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
    private final Deadlines agentDeadlines;
    private final ComponentLimits agentLimits;
    private final Limits limits;
    private final Consumer<String> onNotice;
    private final Supplier<Clock> clocks;

    private Conductor(Builder builder) {
        this.stretches = List.copyOf(builder.stretches());
        this.agent = builder.agent;
        this.connector = builder.connector;
        this.agentDeadlines = builder.agentDeadlines;
        this.agentLimits = builder.agentLimits;
        this.limits = builder.limits;
        this.onNotice = builder.onNotice;
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

    Deadlines agentDeadlines() {
        return agentDeadlines;
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

    Clock clock() {
        return clocks.get();
    }

    /** Builds a conductor. */
    public static final class Builder {
        private final List<Object> parts = new ArrayList<>();
        private @Nullable Launch agent;
        private @Nullable Connector connector;
        private Deadlines agentDeadlines = Deadlines.AGENT;
        private ComponentLimits agentLimits = ComponentLimits.NONE;
        private Limits limits = Limits.STANDARD;
        private Consumer<String> onNotice = Problems::log;
        private Supplier<Clock> clocks = Clock::system;

        private Builder() {}

        /**
         * Adds a program, nearer to the agent than what was added before.
         *
         * @throws IllegalArgumentException when another one has its name
         */
        public Builder proxy(Component component) {
            for (Object part : parts) {
                if (part instanceof Component other && other.id().equals(component.id())) {
                    throw new IllegalArgumentException("two components have the name " + component.id());
                }
            }
            parts.add(component);
            return this;
        }

        /** Adds a proxy of this program, nearer to the agent than what was added before. */
        public Builder proxy(Proxy proxy) {
            parts.add(Objects.requireNonNull(proxy));
            return this;
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

        Builder clock(Clock value) {
            clocks = () -> value;
            return this;
        }

        private List<Stretch> stretches() {
            List<Stretch> all = new ArrayList<>();
            Proxy inside = nothing();
            for (Object part : parts) {
                if (part instanceof Component component) {
                    all.add(new Stretch(inside, component));
                    inside = nothing();
                } else {
                    inside = inside.then((Proxy) part);
                }
            }
            all.add(new Stretch(inside, null));
            return all;
        }

        private static Proxy nothing() {
            return Proxy.builder("conductor", "1").build();
        }

        /** Builds the conductor. */
        public Conductor build() {
            return new Conductor(this);
        }
    }
}
