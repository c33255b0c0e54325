package dev.acp4j.testkit;

import dev.acp4j.AgentTurn;

/**
 * Something that the test agent can be told to do.
 *
 * @param example a line that does it; its first word is the command's name
 * @param usage the name and what stands behind it
 * @param about what it does
 * @param action does it
 */
record TestCommand(String example, String usage, String about, Action action) {
    /** What a command does. */
    interface Action {
        void run(AgentTurn turn, String rest) throws Exception;
    }

    String name() {
        return firstWord(example);
    }

    /** Returns what stands behind the name in the usage. */
    String hint() {
        return rest(usage);
    }

    static String firstWord(String line) {
        int space = line.indexOf(' ');
        return space < 0 ? line : line.substring(0, space);
    }

    static String rest(String line) {
        int space = line.indexOf(' ');
        return space < 0 ? "" : line.substring(space + 1);
    }
}
