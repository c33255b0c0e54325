package dev.acp4j.testkit;

import dev.acp4j.AgentTurn;

/**
 * A command of the test agent.
 *
 * @param example an example line; its first word is the command's name
 * @param usage the name and its arguments
 * @param about the description
 * @param action the implementation
 */
record TestCommand(String example, String usage, String about, Action action) {
    /** The implementation of a command. */
    interface Action {
        void run(AgentTurn turn, String rest) throws Exception;
    }

    String name() {
        return firstWord(example);
    }

    /** Returns the arguments in the usage. */
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
