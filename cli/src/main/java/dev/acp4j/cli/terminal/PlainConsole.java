package dev.acp4j.cli.terminal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A chat without a terminal: lines in, lines out.
 *
 * <p>Input is read by a thread of its own, one line ahead, because reading a stream cannot be interrupted.
 */
public final class PlainConsole implements Console {
    private final BufferedReader in;
    private final StandardStream out;
    /** Whether a terminal echoes the input; otherwise this console does, so that the output is readable. */
    private final boolean isTyped;

    private final SynchronousQueue<Input> lines = new SynchronousQueue<>();
    private final AtomicBoolean reading = new AtomicBoolean();
    private boolean hasEnded;

    public PlainConsole(Streams streams) {
        this.in = new BufferedReader(new InputStreamReader(streams.in(), streams.charset()));
        this.out = streams.out();
        this.isTyped = streams.inIsTerminal();
    }

    @Override
    public Display display() {
        return out.display();
    }

    @Override
    public void write(TerminalText lines) {
        out.print(lines);
    }

    @Override
    public Input read(String prompt, String status, BooleanSupplier isOver) throws InterruptedException {
        return ask(prompt);
    }

    @Override
    public void questionBegins() {}

    @Override
    public void questionEnds() {}

    @Override
    public Input ask(String prompt) throws InterruptedException {
        if (isTyped) {
            write(TerminalText.of(prompt));
            return next();
        }
        Input input = next();
        if (input instanceof Input.Line line) {
            write(TerminalText.of(prompt + SafeText.line(line.text()) + "\n"));
        }
        return input;
    }

    @Override
    public Input askSecret(String prompt) {
        return new Input.End();
    }

    @Override
    public void turnBegins(Runnable onInterrupt, Predicate<String> takes) {}

    @Override
    public boolean putBack(String text) {
        return false;
    }

    @Override
    public List<String> typedAhead() {
        return List.of();
    }

    @Override
    public void turnEnds() {}

    @Override
    public void close() {}

    private Input next() throws InterruptedException {
        if (hasEnded) {
            return new Input.End();
        }
        if (reading.compareAndSet(false, true)) {
            Thread thread = new Thread(this::readLines, "acp-input");
            thread.setDaemon(true);
            thread.start();
        }
        Input input = lines.take();
        hasEnded = input instanceof Input.End;
        return input;
    }

    private void readLines() {
        try {
            String line;
            while ((line = in.readLine()) != null) {
                lines.put(new Input.Line(line));
            }
        } catch (IOException e) {
            // A read failure is treated as the end of input.
        } catch (InterruptedException e) {
            return;
        }
        try {
            lines.put(new Input.End());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
