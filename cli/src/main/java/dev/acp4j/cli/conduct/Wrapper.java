package dev.acp4j.cli.conduct;

import dev.acp4j.cli.command.AgentLauncher;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Component;
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
        for (int i = 0; i < chain.components().size(); i++) {
            Component component = chain.components().get(i);
            if (is(component.launch())) {
                if (chain.agent() == null) {
                    throw new UsageException(SafeText.line("the wrapper " + component.id()
                            + " takes the command of an agent, and the chain has none"));
                }
                ChainFile rest = new ChainFile(
                        chain.components().subList(i + 1, chain.components().size()),
                        chain.agent(),
                        chain.agentDeadlines());
                Launch wrapping = withRest(component.launch(), command(rest, component.launch(), opened));
                return new ChainFile(chain.components().subList(0, i), wrapping, chain.agentDeadlines());
            }
        }
        return chain;
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
                && rest.agentDeadlines().equals(Deadlines.AGENT);
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
