package dev.acp4j.process;

import java.nio.file.Path;

/** Programs in Java that tests start as processes. */
public final class TestPrograms {
    private TestPrograms() {}

    /** Returns the launch of a class with a main method, on the class path of the tests. */
    public static Launch launch(Class<?> program, String... arguments) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Launch.of(
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
