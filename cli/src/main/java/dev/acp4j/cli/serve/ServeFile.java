package dev.acp4j.cli.serve;

import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.NearestName;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Yaml;
import dev.acp4j.cli.terminal.SafeText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The file of {@code acp serve}, YAML or JSON: options without their hyphens, and {@code command}, the words of the
 * agent's command.
 */
final class ServeFile {
    private static final String COMMAND = "command";

    private record Entry(int line, List<String> values) {}

    private final Path file;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    private ServeFile(Path file) {
        this.file = file;
    }

    static ServeFile read(Path path) {
        ServeFile file = new ServeFile(path);
        String text;
        try {
            text = Files.readString(path);
        } catch (IOException e) {
            throw new UsageException("the configuration cannot be read: " + SafeText.line(IoProblem.text(e)));
        }
        file.parse(text);
        return file;
    }

    private UsageException wrong(int line, String message) {
        return new UsageException(SafeText.line(file + ":" + line + ": " + message));
    }

    private void parse(String text) {
        if (!(Yaml.parse(file, text, this::wrong) instanceof MappingNode mapping)) {
            throw wrong(1, "expected options such as port: 8080");
        }
        Set<String> known = names();
        for (NodeTuple tuple : mapping.getValue()) {
            String name = scalar(tuple.getKeyNode());
            if (!known.contains(name)) {
                throw wrong(
                        Yaml.line(tuple.getKeyNode()),
                        "there is no option '" + name + "'." + NearestName.suggestion(name, known));
            }
            if (entries.put(name, new Entry(Yaml.line(tuple.getKeyNode()), values(tuple.getValueNode()))) != null) {
                throw wrong(Yaml.line(tuple.getKeyNode()), "'" + name + "' stands twice");
            }
        }
    }

    private String scalar(Node node) {
        if (node instanceof ScalarNode text) {
            return text.getValue();
        }
        throw wrong(Yaml.line(node), "expected one value");
    }

    private List<String> values(Node node) {
        return node instanceof SequenceNode list
                ? list.getValue().stream().map(this::scalar).toList()
                : List.of(scalar(node));
    }

    private static Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        for (OptionSpec option :
                new CommandLine(new ServeOptions()).getCommandSpec().options()) {
            names.add(option.longestName().substring(2));
        }
        names.add(COMMAND);
        return names;
    }

    /** Returns the names of the options that the file has, as on the command line. */
    Set<String> options() {
        return entries.keySet().stream()
                .filter(name -> !name.equals(COMMAND))
                .map(name -> "--" + name)
                .collect(Collectors.toSet());
    }

    /** Returns the command of the agent; empty when the file has none. */
    List<String> command() {
        Entry entry = entries.get(COMMAND);
        return entry == null ? List.of() : entry.values;
    }

    /** Returns the options of the file, and those of the command line, which count where both have one. */
    ServeOptions with(ParseResult given) {
        List<String> words = new ArrayList<>();
        for (Map.Entry<String, Entry> entry : entries.entrySet()) {
            String option = "--" + entry.getKey();
            if (!entry.getKey().equals(COMMAND) && !given.hasMatchedOption(option)) {
                List<String> own = words(option, entry.getValue().values);
                try {
                    ServeOptions unused = parse(own);
                } catch (ParameterException e) {
                    throw wrong(entry.getValue().line, String.valueOf(e.getMessage()));
                }
                words.addAll(own);
            }
        }
        Set<String> names = names();
        for (OptionSpec option : given.matchedOptions()) {
            if (names.contains(option.longestName().substring(2))) {
                words.addAll(words(option.longestName(), option.originalStringValues()));
            }
        }
        return parse(words);
    }

    private static List<String> words(String option, List<String> values) {
        return values.stream().map(value -> option + "=" + value).toList();
    }

    private static ServeOptions parse(List<String> words) {
        return CommandLine.populateCommand(new ServeOptions(), words.toArray(String[]::new));
    }
}
