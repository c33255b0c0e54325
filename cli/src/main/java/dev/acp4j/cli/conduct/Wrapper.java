package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.AgentLauncher;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.ComponentLimits;
import dev.acp4j.proxy.Deadlines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Wrappers: programs that take the command line of an agent, start it themselves, and are an agent to the outside. In a
 * chain the word {@value #REST} of their command stands for the command of what is behind them.
 */
final class Wrapper {
    private static final String REST = "{}";

    private Wrapper() {}

    /** Returns whether a command is that of a wrapper. */
    static boolean is(Launch launch) {
        return launch.arguments().contains(REST);
    }

    /**
     * Returns a chain that ends with its first wrapper as the agent; the same chain if it has none.
     *
     * @param opened takes what to close at the end of the chain
     * @throws UsageException when there is no agent behind the wrapper
     */
    static ChainFile folded(ChainFile chain, Consumer<AutoCloseable> opened) {
        int first = before(chain);
        List<Component> components = chain.components();
        if (first == components.size()) {
            return chain;
        }
        Component wrapper = components.get(first);
        if (chain.agent() == null) {
            throw new UsageException(SafeText.line(
                    "the wrapper " + wrapper.id() + " takes the command of an agent, and the chain has none"));
        }
        ChainFile rest = chain.components(components.subList(first + 1, components.size()));
        return chain.components(components.subList(0, first))
                .agent(withRest(wrapper.launch(), command(rest, wrapper.launch(), opened)));
    }

    /** Returns how many components stand before the first wrapper, or before the agent if there is none. */
    static int before(ChainFile chain) {
        int before = 0;
        for (Component component : chain.components()) {
            if (is(component.launch())) {
                break;
            }
            before++;
        }
        return before;
    }

    /** Returns the text of what is the agent to the components before it: a wrapper and all behind it, or the agent. */
    static String ending(ChainFile chain) {
        List<Component> components = chain.components();
        return chain.components(components.subList(before(chain), components.size()))
                .text();
    }

    private static Launch withRest(Launch launch, List<String> rest) {
        List<String> words = new ArrayList<>();
        for (String word : launch.arguments()) {
            if (word.equals(REST)) {
                words.addAll(rest);
            } else {
                words.add(word);
            }
        }
        Launch wrapping = Launch.of(launch.command(), words);
        for (Map.Entry<String, String> variable : launch.declared().entrySet()) {
            wrapping = wrapping.env(variable.getKey(), variable.getValue());
        }
        Path cwd = launch.cwd();
        return cwd == null ? wrapping : wrapping.cwd(cwd);
    }

    /** Returns the command of a chain: of its agent alone, if a command line says all of it. */
    private static List<String> command(ChainFile rest, Launch wrapper, Consumer<AutoCloseable> opened) {
        Launch agent = Objects.requireNonNull(rest.agent());
        boolean isPlain = rest.components().isEmpty()
                && agent.declared().isEmpty()
                && Objects.equals(agent.cwd(), wrapper.cwd())
                && rest.agentDeadlines().equals(Deadlines.AGENT)
                && rest.agentLimits().equals(ComponentLimits.NONE)
                && rest.agentOnDeath().equals(ChainFile.AGENT_ON_DEATH);
        if (isPlain) {
            return words(agent);
        }
        try {
            // Not in arguments, which others can list, and not in variables, which the wrapper would have.
            Path folder = Files.createTempDirectory("acp-chain");
            Path file = folder.resolve("chain.yaml");
            opened.accept(() -> {
                Files.deleteIfExists(file);
                Files.deleteIfExists(folder);
            });
            Files.writeString(file, rest.text());
            return words(AgentLauncher.acp("conduct", "--chain", file.toString()));
        } catch (IOException e) {
            throw new UsageException("the rest of the chain cannot be written: " + SafeText.line(IoProblem.text(e)));
        }
    }

    private static List<String> words(Launch launch) {
        List<String> words = new ArrayList<>();
        words.add(launch.command());
        words.addAll(launch.arguments());
        return words;
    }
}
