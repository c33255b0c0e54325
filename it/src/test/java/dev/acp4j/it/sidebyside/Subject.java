package dev.acp4j.it.sidebyside;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An implementation of the protocol under test.
 *
 * @param name its name and version
 * @param agent the command of an agent written with it
 * @param client the command of a client written with it, to be followed by its patience in seconds and an agent's
 *     command
 */
record Subject(String name, List<String> agent, List<String> client) {
    static final Subject ACP4J = java("acp4j", Acp4jAgent.class, Acp4jClient.class);

    static Subject java(String name, Class<?> agent, Class<?> client) {
        return new Subject(name, command(agent), command(client));
    }

    static Subject node(String name, Path agent, Path client) {
        return new Subject(name, List.of("node", agent.toString()), List.of("node", client.toString()));
    }

    private static List<String> command(Class<?> main) {
        return List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName());
    }

    /** Returns a command with one more option for its virtual machine. */
    static List<String> with(List<String> command, String java, String node) {
        List<String> more = new ArrayList<>(command);
        String option = command.get(0).equals("node") ? node : java;
        if (!option.isEmpty()) {
            more.add(1, option);
        }
        return more;
    }
}
