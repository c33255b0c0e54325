package dev.acp4j.cli.editors;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.conduct.ExaminedChain;
import dev.acp4j.cli.proxy.ReadyProxy;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Component;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Proxies as words of {@code acp conduct} that mean the same in another folder and with another search path. */
final class AbsoluteChain {
    private final Desktop desktop;
    private final AgentEntry acp;
    private final UnaryOperator<List<String>> absolute;

    /**
     * @param acp the command of acp itself
     * @param absolute returns a command with the absolute path of its program
     */
    AbsoluteChain(Desktop desktop, AgentEntry acp, UnaryOperator<List<String>> absolute) {
        this.desktop = desktop;
        this.acp = acp;
        this.absolute = absolute;
    }

    /**
     * Returns the words for a chain file.
     *
     * @param hasAgent whether an agent is given beside the file
     * @throws UsageException if the file is wrong or not trusted, or there is no agent
     */
    List<String> ofFile(Streams streams, Path file, boolean hasAgent) {
        Path path = desktop.folder().resolve(file).normalize();
        if (!ExaminedChain.check(streams, new AgentChoice(List.of(), false), path) && !hasAgent) {
            throw new UsageException("the chain file has no agent: give its name, or its command after --");
        }
        return List.of("--chain", path.toString());
    }

    /**
     * Returns the words for proxies.
     *
     * @param proxies the values of {@code -p}
     * @throws UsageException if one is wrong
     */
    List<String> ofProxies(Streams streams, List<String> proxies) {
        List<String> words = new ArrayList<>();
        for (Component component : ExaminedChain.components(streams, proxies, desktop.folder())) {
            words.addAll(List.of("-p", text(component)));
        }
        return words;
    }

    private String text(Component component) {
        Launch launch = component.launch();
        ReadyProxy ready = ReadyProxy.of(launch);
        String text = ready == null ? text(launch) : text(ready, launch.arguments());
        boolean isNamed = component.id().matches("[a-z][a-z0-9-]*");
        boolean isByDefault = ready != null && component.id().equals(ready.id());
        return isNamed && !isByDefault ? component.id() + "=" + text : text;
    }

    private String text(ReadyProxy ready, List<String> arguments) {
        List<String> options = arguments.subList(2, arguments.size());
        try {
            return ready.id() + ":"
                    + desktop.shellLine(
                            ready.absolute(options, desktop.folder(), command -> text(Launch.parse(command))));
        } catch (IllegalArgumentException e) {
            throw new UsageException("the proxy " + ready.id() + ": " + SafeText.line(String.valueOf(e.getMessage())));
        }
    }

    /** Returns a command as people write it for {@code -p}. */
    private String text(Launch launch) {
        List<String> words = new ArrayList<>();
        launch.declared().forEach((name, value) -> {
            boolean isReference = value.matches("\\$\\w+");
            words.add(name + "=" + (isReference ? value : desktop.shellWord(value)));
        });
        words.add(desktop.shellLine(command(launch)));
        return String.join(" ", words);
    }

    private List<String> command(Launch launch) {
        boolean isOurs = launch.command().equals("acp");
        List<String> words = new ArrayList<>(isOurs ? acp.words() : List.of(launch.command()));
        words.addAll(launch.arguments());
        return isOurs ? words : absolute.apply(words);
    }
}
