package dev.acp4j.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A program that is measured.
 *
 * @param name its column in the table
 * @param command starts it; empty when it cannot be had
 * @param missing why it cannot be had
 */
record Subject(String name, List<String> command, String missing) {
    static final String ACP4J = "acp4j";
    static final String LAUNCHER = "./acp agent";
    static final String ACP4J_PLAIN = "acp4j, plain java";
    static final String FLOOR = "floor";
    static final String JAVA_SDK = "Java SDK";
    static final String KOTLIN_SDK = "Kotlin SDK";
    static final String TYPESCRIPT_SDK = "TypeScript SDK";

    Subject(String name, List<String> command) {
        this(name, command, "");
    }

    static Subject missing(String name, String why) {
        return new Subject(name, List.of(), why);
    }

    boolean isMissing() {
        return command.isEmpty();
    }

    /** Returns the command with arguments. */
    List<String> with(List<String> arguments) {
        List<String> all = new ArrayList<>(command);
        all.addAll(arguments);
        return all;
    }

    /** Returns the same program in a virtual machine with another option; without one, it stays as it is. */
    Subject option(String option) {
        if (!name.equals(ACP4J_PLAIN) && !name.equals(FLOOR)) {
            return this;
        }
        List<String> all = new ArrayList<>(command);
        all.add(1, option);
        return new Subject(name, all);
    }

    List<String> with(String... arguments) {
        return with(Arrays.asList(arguments));
    }
}
