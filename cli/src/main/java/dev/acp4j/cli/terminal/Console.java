package dev.acp4j.cli.terminal;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * The console of a chat: a terminal, or lines from one stream to another.
 *
 * <p>Methods that wait for the user must be called by one thread at a time; {@link #write}, {@link #typedAhead},
 * {@link #turnEnds} and {@link #putBack} are thread-safe.
 */
public interface Console extends AutoCloseable {
    /** Returns the capabilities of the display. */
    Display display();

    /** Writes whole lines, above the user's current input. */
    void write(TerminalText lines);

    /**
     * Waits for the user's next message. If the thread is interrupted, the typed text is kept as if it had been sent.
     *
     * @param prompt the text before the input
     * @param status the text at the right edge, if there is space
     * @param isOver returns whether nobody wants the message any more, for which the thread is interrupted as well: a
     *     question interrupts it, too, and then it goes on
     */
    Input read(String prompt, String status, BooleanSupplier isOver) throws InterruptedException;

    /**
     * Takes the keys for a question of one or more lines: a message that the user is typing is put aside. Must be
     * followed by {@link #questionEnds}, also if it throws.
     */
    void questionBegins() throws InterruptedException;

    /** Gives the keys back: the user goes on with the message. */
    void questionEnds();

    /**
     * Asks for a line of a question.
     *
     * @throws InterruptedException when the question is withdrawn
     */
    Input ask(String prompt) throws InterruptedException;

    /**
     * Asks for a line that is neither shown while it is typed nor kept in a history. Without a terminal, this is the
     * end of input: nothing is hidden there.
     *
     * @throws InterruptedException when the question is withdrawn
     */
    Input askSecret(String prompt) throws InterruptedException;

    /**
     * Starts a turn: Ctrl-C calls {@code onInterrupt}, other keys are kept for the next message.
     *
     * @param takes returns whether a typed line is meant for the turn; then it is not kept. Both are called by the
     *     thread that reads keys, which a question waits for: neither may wait
     */
    void turnBegins(Runnable onInterrupt, Predicate<String> takes);

    /**
     * Puts a text into the user's next input, where it can be changed and sent. Returns false if this is impossible:
     * without a terminal, or while the user is typing.
     */
    boolean putBack(String text);

    /** Returns the lines typed during turns that have not been read, the last of which is incomplete. */
    List<String> typedAhead();

    /** Ends the turn. */
    void turnEnds();

    /** Restores the terminal. */
    @Override
    void close();
}
