package dev.acp4j;

import java.nio.file.Path;

/** Programs in Java that tests start as processes. */
final class TestPrograms {
    private TestPrograms() {}

    /** Returns the launch of a class with a main method, on the class path of the tests. */
    static AgentProcess launch(Class<?> program, String... arguments) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return AgentProcess.of(
                        java,
                        "-Xshare:auto",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        program.getName())
                .withArguments(arguments);
    }
}
