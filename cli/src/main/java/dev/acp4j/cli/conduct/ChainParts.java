package dev.acp4j.cli.conduct;

import dev.acp4j.cli.proxy.ReadyProxy;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.mcp.McpBridge;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.ChainTrace;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.Conductor;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RunningChain;
import dev.acp4j.redaction.Redaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes conductors of chain files. A ready-made proxy that is in several of them is the same object, so it keeps what
 * it knows when a chain is changed. For one thread at a time.
 */
final class ChainParts {
    static final String AGENT = "agent";

    /** Names of other parts of a chain in reports and recordings: no component can have them. */
    static final Set<String> RESERVED = Set.of("client", AGENT, "conductor");

    private static final Duration END_TIME = Duration.ofSeconds(2);

    /** How long a program may take when it is asked to terminate: who ends a chain does not wait for long. */
    private static final Duration MERCY = Duration.ofSeconds(1);

    private final LineQueue err;
    private final Consumer<String> report;
    private final @Nullable ChainTrace trace;
    private final Proxy relay;
    private final Proxy bridge;
    private final Proxy elsewhere;
    private final Consumer<AutoCloseable> opened;
    private final Map<List<String>, Proxy> ready = new HashMap<>();
    private volatile @Nullable RunningChain running;

    /** Whether the agent is to be started again. */
    private volatile boolean restartsAgent;

    private Redaction hidden = Redaction.SECRETS.and(System.getenv());

    /**
     * Creates a maker.
     *
     * @param err takes the standard error of programs
     * @param report takes what ready-made proxies report
     * @param trace records what passes; null for nothing
     * @param bridge stands around the other proxies if there are any: only a proxy has servers of its own
     * @param opened takes what is to be closed at the end
     */
    ChainParts(
            LineQueue err,
            Consumer<String> report,
            @Nullable ChainTrace trace,
            McpBridge bridge,
            Consumer<AutoCloseable> opened) {
        this.err = err;
        this.report = report;
        this.trace = trace;
        this.relay = bridge.relay();
        this.bridge = bridge.proxy();
        this.elsewhere = bridge.elsewhere();
        this.opened = opened;
    }

    /**
     * Begins a conductor with the components of a chain, and its agent.
     *
     * @throws dev.acp4j.cli.command.UsageException when a wrapper has no agent, or a variable is not set
     */
    Conductor.Builder conductor(ChainFile written) {
        ChainFile chain = Environment.filled(Wrapper.folded(written, opened));
        Conductor.Builder conductor = Conductor.builder().onNotice(report);
        if (trace != null) {
            // Of the chain as it is written: a wrapper takes the place of what is behind it. What a chain before this
            // one
            // has hidden stays hidden, since its programs may still be at work.
            hidden = written.hiddenBy(hidden);
            trace.hide(hidden);
            conductor.trace(trace);
        }
        boolean hasBridge = chain.agent() != null && !chain.components().isEmpty();
        if (hasBridge) {
            conductor.proxy(relay);
        }
        for (Component component : chain.components()) {
            Proxy inside = inside(component);
            if (inside == null) {
                conductor.proxy(component.launch(
                        program(component.id(), component.launch().inheritNoModelKeys())));
            } else {
                conductor.proxy(component.id(), inside);
            }
        }
        Launch agent = chain.agent();
        if (running == null) {
            // The agent stays as it was when a chain is changed.
            restartsAgent = chain.agentOnDeath().contains(Component.OnDeath.RESTART);
        }
        if (agent != null) {
            if (hasBridge) {
                conductor.proxy(chain.isBridged() ? bridge : elsewhere);
            }
            conductor
                    // The agent gets what it would get without a conductor.
                    .agent(program(AGENT, agent.inheritAll()))
                    .agentDeadlines(chain.agentDeadlines())
                    .agentLimits(chain.agentLimits())
                    .agentOnDeath(chain.agentOnDeath().toArray(Component.OnDeath[]::new));
        }
        return conductor;
    }

    /** Returns one of ours, which needs no process; null if the component is a program. */
    private @Nullable Proxy inside(Component component) {
        Launch launch = component.launch();
        ReadyProxy made = component.isLegacy() ? null : ReadyProxy.of(launch);
        if (made == null) {
            return null;
        }
        List<String> words = launch.arguments().subList(2, launch.arguments().size());
        List<String> key = new ArrayList<>(List.of(component.id(), made.id()));
        key.addAll(words);
        Proxy known = ready.get(key);
        if (known == null) {
            known = made.open(
                    words,
                    sentence -> report.accept(component.id() + ": " + sentence),
                    opened,
                    () -> agentHangs(component.id()));
            ready.put(key, known);
        }
        return known;
    }

    /** A proxy has found out that the agent hangs. */
    void agentHangs(String by) {
        RunningChain of = running;
        if (of != null && !of.restartAgent("a turn does not end after it was cancelled")) {
            report.accept(by
                    + (restartsAgent
                            ? ": The agent is not ended for that: it is being started already, or has ended."
                            : ": The agent is not started again, which --on-death agent=restart,fail is for."));
        }
    }

    /** Sets the chain whose agent is started again when a proxy finds out that it hangs. */
    void runIn(RunningChain chain) {
        running = chain;
    }

    /** Shows what a program writes on standard error, without the secrets that it has. */
    private Launch program(String id, Launch launch) {
        UnaryOperator<String> withoutSecrets = launch.redaction().lines();
        return launch.shutdownTimes(END_TIME, MERCY).onStderr(line -> {
            if (trace != null) {
                trace.stderr(id, line);
            }
            err.add(SafeText.line(id) + ": " + SafeText.line(withoutSecrets.apply(line)));
        });
    }
}
