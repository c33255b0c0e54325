package dev.acp4j.cli.terminal;

/** A destination for text that arrives in pieces. */
public interface TextStream {
    /** Adds text and shows the finished part. */
    void append(String text);

    /** Shows the rest: the text is complete. */
    void finish();

    /** Drops the text so far; returns false if some of it has been printed permanently. */
    boolean restart();
}
