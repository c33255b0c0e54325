package dev.acp4j.agent;

import java.io.IOException;

/** Something the user can ask for by name. A command has no state: it may run in several sessions at a time. */
interface Command {
    /** The name, without the slash. */
    String name();

    /** What it does, in one line. */
    String description();

    /** What may follow the name; empty when nothing does. */
    String hint();

    /**
     * Does it.
     *
     * @param arguments what follows the name, without space around it
     * @throws UsageException when the arguments make no sense
     * @throws InterruptedException when the turn was cancelled
     * @throws IOException when a file cannot be read or written
     */
    void run(Work work, String arguments) throws InterruptedException, IOException;
}
