package dev.acp4j.cli.terminal;

/**
 * Where a chat takes place: a terminal, or lines from one stream to another.
 *
 * <p>Methods that wait for the user are called by one thread at a time; {@link #write} and {@link #turnEnds} by any.
 */
public interface Console extends AutoCloseable {
    /** Returns what can be shown. */
    Display display();

    /** Writes whole lines, above what the user is typing if he is. */
    void write(TerminalText lines);

    /**
     * Waits for the user's next message. When the thread is interrupted, what was typed is remembered as if it were
     * sent.
     *
     * @param prompt what stands before it
     * @param status what stands at the right edge, if there is room
     */
    Input read(String prompt, String status) throws InterruptedException;

    /**
     * Asks a question in the middle of a turn.
     *
     * @throws InterruptedException when the question is withdrawn
     */
    Input ask(String prompt) throws InterruptedException;

    /** A turn runs from now on: Ctrl-C calls {@code onInterrupt}, other keys are kept for the next message. */
    void turnBegins(Runnable onInterrupt);

    /** The turn is over. */
    void turnEnds();

    /** Gives the terminal back as it was. */
    @Override
    void close();
}
