package dev.acp4j.registry;

import java.util.Set;

/** The programs that an entry may name instead of one of its own, which are looked up in the search path. */
final class Interpreters {
    private static final Set<String> NAMES = Set.of("node", "python", "python3", "java", "ruby");

    private Interpreters() {}

    static boolean isOne(String command) {
        return NAMES.contains(command);
    }
}
