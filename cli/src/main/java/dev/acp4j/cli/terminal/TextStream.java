package dev.acp4j.cli.terminal;

/** A place for text that arrives in pieces. */
public interface TextStream {
    /** Adds text and shows what can be shown of it. */
    void append(String text);

    /** Shows what is left: the text is complete. */
    void finish();

    /** Drops the text so far; returns false when some of it has been printed for good. */
    boolean restart();
}
