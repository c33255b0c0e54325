package dev.acp4j.cli.terminal;

/** What came of waiting for the user. */
public sealed interface Input {
    /**
     * A line.
     *
     * @param text the line without its end; more lines than one when they were pasted
     */
    record Line(String text) implements Input {}

    /**
     * Ctrl-C.
     *
     * @param hadText whether there was something typed, which is dropped
     */
    record Interrupt(boolean hadText) implements Input {}

    /** Ctrl-D, or the end of a file. */
    record End() implements Input {}
}
