package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.RawJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * What a client of another SDK did: it ran to its end, drove an agent of ours, and printed a JSON object a step and, if
 * it is one that does, the wire.
 *
 * @param printed all that it printed
 */
record ClientProgram(String printed) {
    /** Runs a script of src/test/node over an entry point of the SDK with our agent, a main class and its arguments. */
    static ClientProgram run(String script, String entryPoint, Path workspace, Path output, String... agent)
            throws Exception {
        List<String> command = new ArrayList<>(
                List.of("node", NodePrograms.folder().resolve(script).toString(), entryPoint, workspace.toString()));
        command.addAll(java(agent));
        return run(command, output);
    }

    /** Runs the command of a client. */
    static ClientProgram run(List<String> command, Path output) throws Exception {
        Process client = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = client.waitFor(120, TimeUnit.SECONDS);
        client.descendants().forEach(ProcessHandle::destroyForcibly);
        client.destroyForcibly();
        String printed = Files.readString(output);
        assertThat(ended && client.exitValue() == 0)
                .as("the client ended well; it printed:%n%s", printed)
                .isTrue();
        return new ClientProgram(printed);
    }

    /** Returns the command of a main class of the test's class path, with its arguments. */
    static List<String> java(String... main) {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(List.of(main));
        return command;
    }

    /** Returns the line of each step by its name. */
    Map<String, String> steps() {
        Map<String, String> steps = new LinkedHashMap<>();
        for (String line : printed.lines().filter(text -> text.startsWith("{")).toList()) {
            steps.put(text(line, "step"), line);
        }
        return steps;
    }

    /** Returns the messages on the wire, {@code -->} from the client and {@code <--} from the agent. */
    List<String> wire() {
        return printed.lines()
                .filter(line -> line.startsWith("-->") || line.startsWith("<--"))
                .toList();
    }

    /** Returns the methods of the messages in one direction, {@code -->} or {@code <--}. */
    Set<String> methods(String arrow) {
        return methods(printed.lines().toList(), arrow);
    }

    static Set<String> methods(List<String> wire, String arrow) {
        Set<String> methods = new TreeSet<>();
        for (String line : wire) {
            if (line.startsWith(arrow)) {
                methods.add(text(line.substring(arrow.length()), "method"));
            }
        }
        methods.remove("");
        return methods;
    }

    private static String text(String json, String member) {
        return ((JsonObject) RawJson.parse(json.strip()).value())
                .get(member)
                .map(value -> value instanceof JsonString string ? string.value() : "")
                .orElse("");
    }
}
