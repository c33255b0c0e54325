package dev.acp4j.agent;

import java.io.IOException;

/** A command that the user calls by name. A command is stateless: it may run in several sessions concurrently. */
interface Command {
    /** The name, without the slash. */
    String name();

    /** The description, in one line. */
    String description();

    /** The description of the arguments; empty if there are none. */
    String hint();

    /**
     * Runs the command.
     *
     * @param arguments the text after the name, trimmed
     * @throws UsageException if the arguments are invalid
     * @throws InterruptedException when the turn was cancelled
     * @throws IOException when a file cannot be read or written
     */
    void run(Work work, String arguments) throws InterruptedException, IOException;
}
