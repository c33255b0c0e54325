package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.proxy.ReadyProxy;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.Conductor;
import dev.acp4j.redaction.Redaction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The components of a chain, to be run otherwise than as one agent; closes what the ready-made ones have opened. */
public final class ExaminedChain implements AutoCloseable {
    private final ChainFile chain;
    private final List<AutoCloseable> opened = new ArrayList<>();

    private ExaminedChain(ChainFile chain) {
        this.chain = chain;
    }

    /**
     * Reads a chain as {@code acp conduct} does.
     *
     * @param proxies the values of {@code -p}
     * @param file the file of {@code --chain}; null for none
     * @param cwd the folder in which programs run that have none of their own
     * @throws dev.acp4j.cli.command.UsageException when it is wrong, or not trusted
     */
    public static ExaminedChain read(
            Streams streams, AgentChoice agent, List<String> proxies, @Nullable Path file, Path cwd) {
        return new ExaminedChain(Environment.filled(new ConductCommand(streams, agent).chainOf(proxies, file, cwd)));
    }

    /**
     * Reads a chain file as {@code acp conduct} would, without what the environment has to hold for it.
     *
     * @param agent the command that replaces the agent of the file, if it is given
     * @return whether the chain has an agent
     * @throws dev.acp4j.cli.command.UsageException when the file is wrong, or not trusted
     */
    public static boolean check(Streams streams, AgentChoice agent, Path file) {
        return new ConductCommand(streams, agent)
                        .chainOf(List.of(), file, Path.of("").toAbsolutePath())
                        .agent()
                != null;
    }

    /**
     * Returns proxies as {@code acp conduct} reads them, without what the environment has to hold for them.
     *
     * @param proxies the values of {@code -p}
     * @param cwd the folder in which programs run
     * @throws dev.acp4j.cli.command.UsageException when one is wrong
     */
    public static List<Component> components(Streams streams, List<String> proxies, Path cwd) {
        AgentChoice none = new AgentChoice(List.of(), false);
        return new ConductCommand(streams, none).chainOf(proxies, null, cwd).components();
    }

    /** Returns the names of the components, the first next to the client. */
    public List<String> ids() {
        return chain.components().stream().map(Component::id).toList();
    }

    /** Returns whether the chain has an agent at its end. */
    public boolean hasAgent() {
        return chain.agent() != null;
    }

    /** Returns the command of a component, without secrets. */
    public String commandLine(int index) {
        return chain.components().get(index).launch().commandLine();
    }

    /** Returns what hides the secrets of all components. */
    public Redaction redaction() {
        return chain.redaction();
    }

    /** Adds all components but wrappers to a conductor. */
    public void addTo(Conductor.Builder conductor) {
        for (int i = 0; i < chain.components().size(); i++) {
            if (!isWrapper(i)) {
                addTo(conductor, i);
            }
        }
    }

    /** Returns whether a component is a wrapper, which stands before an agent only. */
    public boolean isWrapper(int index) {
        return Wrapper.is(chain.components().get(index).launch());
    }

    /** Adds a component to a conductor: a ready-made one without a process, as {@code acp conduct} has it. */
    public void addTo(Conductor.Builder conductor, int index) {
        Component component = chain.components().get(index);
        Launch launch = component.launch();
        ReadyProxy ready = ReadyProxy.of(launch);
        if (ready != null && !component.isLegacy()) {
            List<String> words =
                    launch.arguments().subList(2, launch.arguments().size());
            conductor.proxy(ready.open(words, sentence -> {}, opened::add));
        } else {
            conductor.proxy(component.launch(launch.inheritNoModelKeys()));
        }
    }

    @Override
    public void close() {
        ReadyProxy.close(opened);
    }
}
