package dev.acp4j.cli.terminal;

/** The input of the user. */
public sealed interface Input {
    /**
     * A line.
     *
     * @param text the line without its end; several lines if they were pasted
     */
    record Line(String text) implements Input {}

    /**
     * Ctrl-C.
     *
     * @param hadText whether typed text was discarded
     */
    record Interrupt(boolean hadText) implements Input {}

    /** Ctrl-D, or the end of a file. */
    record End() implements Input {}
}
