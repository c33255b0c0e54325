package dev.acp4j.cli.command;

import java.nio.file.Path;
import java.util.function.BiFunction;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/** YAML, of which JSON is a part, as nodes that know their lines. */
public final class Yaml {
    private Yaml() {}

    /**
     * Parses a file.
     *
     * @param wrong makes the exception for a line and what is wrong with it
     * @return its only document
     */
    public static Node parse(Path file, String text, BiFunction<Integer, String, UsageException> wrong) {
        try {
            LoadSettings settings =
                    LoadSettings.builder().setLabel(file.toString()).build();
            return new Composer(settings, new ParserImpl(settings, new StreamReader(settings, text)))
                    .getSingleNode()
                    .orElseThrow(() -> wrong.apply(1, "the file is empty"));
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
            throw wrong.apply(line, String.valueOf(e.getProblem()));
        } catch (YamlEngineException e) {
            throw wrong.apply(1, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the line of a node, from 1. */
    public static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }
}
