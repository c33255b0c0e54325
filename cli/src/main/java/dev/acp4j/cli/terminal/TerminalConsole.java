package dev.acp4j.cli.terminal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOError;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jline.keymap.KeyMap;
import org.jline.reader.Binding;
import org.jline.reader.Completer;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.MaskingCallback;
import org.jline.reader.Reference;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.SimpleMaskingCallback;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/**
 * A chat at a terminal, with line editing, history and completion.
 *
 * <p>The terminal must not turn Ctrl-C into a signal: it would reach the agent as well, which is in the same process
 * group, and end it. So the terminal stays in raw mode and Ctrl-C is read as a key, while a line is edited and while a
 * turn runs. JLine could turn the key back into a signal of its own, but then an interrupted thread could not be
 * distinguished from a pressed key.
 *
 * <p>The lock guards who has the keys between turns: an agent may ask while the user types the next message, which is
 * then put aside. It is not held while reading; to wait for the other thread releases it.
 */
public final class TerminalConsole implements Console {
    private static final char CTRL_C = 3;
    private static final String INTERRUPT = "acp-interrupt";
    private static final String NEW_LINE = "acp-new-line";

    private static final MaskingCallback SHOW_NOTHING = new SimpleMaskingCallback('\0');

    private final Terminal terminal;
    private final boolean colour;
    private final LineReader messages;
    private final LineReader answers;
    private volatile Display display;
    private volatile Runnable onResize = () -> {};
    private volatile @Nullable KeyWatch keys;
    /** Text typed while no input was awaited. */
    private volatile @Nullable KeyWatch typedAhead;
    /** The message that was being typed when a question came. */
    private String putAside = "";
    /** What the next message begins with. */
    private final AtomicReference<String> begun = new AtomicReference<>("");

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The thread that reads the next message. */
    @GuardedBy("lock")
    private @Nullable Thread typing;

    /** Whether that thread is interrupted for a question, and for nothing else. */
    @GuardedBy("lock")
    private boolean putsAside;

    /** The number of questions that are open. */
    @GuardedBy("lock")
    private int questions;

    /** Whether the key ended a question; JLine reports an interrupted thread in the same way. */
    private boolean wasPressed;

    TerminalConsole(Terminal terminal, boolean colour, Completer completer, @Nullable Path history) {
        this.terminal = terminal;
        this.colour = colour;
        this.display = measured();
        LineReaderBuilder reader = reader(terminal).completer(completer).variable(LineReader.HISTORY_SIZE, 1000);
        if (history != null) {
            reader.variable(LineReader.HISTORY_FILE, history);
        }
        this.messages = reader.build();
        this.answers = reader(terminal)
                .variable(LineReader.DISABLE_HISTORY, true)
                .variable(LineReader.DISABLE_COMPLETION, true)
                .build();
        bindKeys(messages);
        bindKeys(answers);
    }

    /**
     * Opens the controlling terminal of the process.
     *
     * @return the console; null if there is no terminal, or one that cannot move its cursor
     */
    public static @Nullable TerminalConsole open(boolean colour, Completer completer, @Nullable Path history) {
        System.setProperty(TerminalBuilder.PROP_SOFTWARE_SIGNALS, "false");
        Terminal terminal;
        try {
            // "exec" asks stty. The other ways call native code, for which JDK 24 and newer print warnings.
            // To ask for grapheme clusters would wait for the terminal's answer, which comes too late on slow lines.
            terminal = TerminalBuilder.builder()
                    .system(true)
                    .provider("exec")
                    .graphemeCluster(false)
                    .dumb(false)
                    .build();
        } catch (IOException | IllegalStateException e) {
            return null;
        }
        if (terminal.getType().startsWith(Terminal.TYPE_DUMB)) {
            closeQuietly(terminal);
            return null;
        }
        terminal.enterRawMode();
        return new TerminalConsole(terminal, colour, completer, history);
    }

    /** Calls {@code listener} when the window size changes. */
    public void onResize(Runnable listener) {
        onResize = listener;
        terminal.handle(Terminal.Signal.WINCH, signal -> measure());
    }

    private void measure() {
        Display now;
        try {
            now = measured();
        } catch (IOError e) {
            if (e.getCause() instanceof InterruptedIOException) {
                Thread.currentThread().interrupt();
            }
            return; // the next question measures again
        }
        if (!now.equals(display)) {
            display = now;
            onResize.run();
        }
    }

    @Override
    public Display display() {
        return display;
    }

    @Override
    public void write(TerminalText lines) {
        if (messages.isReading()) {
            messages.printAbove(lines.toString());
        } else {
            terminal.writer().write(lines.toString());
            terminal.writer().flush();
        }
    }

    @Override
    public Input read(String prompt, String status, BooleanSupplier isOver) throws InterruptedException {
        KeyWatch earlier = typedAhead;
        if (earlier == null) {
            return message(prompt, status, begun.getAndSet(""), isOver);
        }
        String line = earlier.nextLine();
        if (line != null) {
            AttributedString shown = Styles.join(Styles.of(prompt, Styles.STRONG), Styles.plain(line));
            write(TerminalText.of(0, List.of(shown), colour));
            if (!line.isBlank()) {
                messages.getHistory().add(line);
            }
            return new Input.Line(line);
        }
        typedAhead = null;
        if (earlier.hasEnded()) {
            return new Input.End();
        }
        earlier.putBack(begun.getAndSet(""));
        return message(prompt, status, earlier.begunLine(), isOver);
    }

    /** Reads a message; starts again with what was typed when a question has interrupted it. */
    private Input message(String prompt, String status, String begunText, BooleanSupplier isOver)
            throws InterruptedException {
        String text = begunText;
        while (true) {
            typingBegins();
            try {
                return input(messages, prompt, status, text, null);
            } catch (InterruptedException e) {
                if (!isPutAside() || isOver.getAsBoolean()) {
                    if (!putAside.isBlank()) {
                        messages.getHistory().add(putAside);
                    }
                    throw e;
                }
                text = putAside;
            } finally {
                typingEnds();
                // While it reads, JLine alone is notified of a new size. To show it again may wait for a question.
                measure();
            }
        }
    }

    private void typingBegins() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (questions > 0) {
                changed.await();
            }
            typing = Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    private void typingEnds() {
        lock.lock();
        try {
            typing = null;
            changed.signalAll();
            // The interrupt may have come when the line was finished.
            boolean unused = stopsPuttingAside();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the message that is being typed is put aside; it is from now on. */
    private boolean isPutAside() {
        lock.lock();
        try {
            return stopsPuttingAside();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the thread is interrupted for questions; it is not any more, however many there were. */
    @GuardedBy("lock")
    private boolean stopsPuttingAside() {
        boolean was = putsAside;
        putsAside = false;
        if (was) {
            boolean unused = Thread.interrupted();
        }
        return was;
    }

    @Override
    public Input ask(String prompt) throws InterruptedException {
        return ask(prompt, null);
    }

    @Override
    public Input askSecret(String prompt) throws InterruptedException {
        return ask(prompt, SHOW_NOTHING);
    }

    private Input ask(String prompt, @Nullable MaskingCallback mask) throws InterruptedException {
        try {
            return input(answers, prompt, "", "", mask);
        } finally {
            measure();
        }
    }

    @Override
    public void questionBegins() throws InterruptedException {
        lock.lock();
        try {
            questions++;
            if (typing != null) {
                putsAside = true;
                typing.interrupt();
            }
            while (typing != null) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
        KeyWatch watch = keys;
        if (watch != null) {
            watch.pause();
        }
    }

    @Override
    public void questionEnds() {
        lock.lock();
        try {
            questions--;
            changed.signalAll();
            KeyWatch watch = keys;
            if (watch != null && questions == 0) {
                watch.resume();
            }
        } finally {
            lock.unlock();
        }
    }

    private Input input(LineReader reader, String prompt, String status, String begun, @Nullable MaskingCallback mask)
            throws InterruptedException {
        wasPressed = false;
        try {
            String line = reader.readLine(
                    pattern(prompt, Styles.STRONG),
                    status.isEmpty() ? null : pattern(status, Styles.QUIET),
                    mask,
                    begun);
            return new Input.Line(line);
        } catch (UserInterruptException e) {
            if (!wasPressed) {
                if (reader.equals(messages)) {
                    putAside = e.getPartialLine();
                }
                throw new InterruptedException("the question was withdrawn");
            }
            return new Input.Interrupt(!e.getPartialLine().isBlank());
        } catch (EndOfFileException e) {
            return new Input.End();
        }
    }

    @Override
    public void turnBegins(Runnable onInterrupt, Predicate<String> takes) {
        KeyWatch earlier = typedAhead;
        typedAhead = null;
        KeyWatch watch = earlier == null ? new KeyWatch(terminal.reader()) : earlier;
        keys = watch;
        watch.begin(onInterrupt, takes);
    }

    @Override
    public boolean putBack(String text) {
        KeyWatch watch = keys;
        if (watch != null) {
            watch.putBack(text);
        } else if (messages.isReading()) {
            return false;
        } else {
            begun.set(text);
        }
        return true;
    }

    @Override
    public List<String> typedAhead() {
        KeyWatch watch = keys;
        return watch == null ? List.of() : watch.lines();
    }

    @Override
    public void turnEnds() {
        KeyWatch watch = keys;
        keys = null;
        if (watch != null) {
            watch.pause();
            typedAhead = watch;
        }
    }

    @Override
    public void close() {
        turnEnds();
        closeQuietly(terminal);
    }

    private Display measured() {
        Size size = terminal.getSize();
        boolean unicode = terminal.outputEncoding().name().startsWith("UTF");
        int columns = size.getColumns() > 0 ? size.getColumns() : 80;
        return new Display(columns, size.getRows() > 0 ? size.getRows() : 24, colour, true, unicode);
    }

    private static LineReaderBuilder reader(Terminal terminal) {
        return LineReaderBuilder.builder()
                .terminal(terminal)
                .appName("acp")
                .parser(new MessageParser())
                .completionMatcher(new MentionMatcher())
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.HISTORY_TIMESTAMPED, false)
                .variable(LineReader.SECONDARY_PROMPT_PATTERN, "  ");
    }

    private void bindKeys(LineReader reader) {
        reader.getWidgets().put(INTERRUPT, () -> {
            wasPressed = true;
            throw new UserInterruptException(reader.getBuffer().toString());
        });
        reader.getWidgets().put(NEW_LINE, () -> {
            reader.getBuffer().write('\n');
            return true;
        });
        KeyMap<Binding> keys = Objects.requireNonNull(reader.getKeyMaps().get(LineReader.MAIN));
        keys.bind(new Reference(INTERRUPT), String.valueOf(CTRL_C));
        keys.bind(new Reference(NEW_LINE), KeyMap.alt('\r'), KeyMap.alt('\n'));
    }

    /** In JLine's prompts a percent sign begins a directive. */
    private String pattern(String text, AttributedStyle style) {
        return TerminalText.of(Styles.of(text, style), colour).toString().replace("%", "%%");
    }

    private static void closeQuietly(Terminal terminal) {
        try {
            terminal.close();
        } catch (IOException e) {
            // The process ends anyway; the shell resets the terminal.
        }
    }
}
