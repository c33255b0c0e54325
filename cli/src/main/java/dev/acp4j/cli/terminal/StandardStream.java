package dev.acp4j.cli.terminal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;

/**
 * Standard output or standard error. Text is written as {@link TerminalText} only; bytes are for files and other
 * programs. After the first failed write nothing more is written.
 *
 * <p>The lock makes each call atomic, and guards the failure. Nothing is called while holding it.
 */
public final class StandardStream {
    private final OutputStream out;
    private final Charset charset;
    private final Display display;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable IOException failure;

    private volatile Runnable onFailure = () -> {};

    /**
     * Creates a stream.
     *
     * @param charset how text is encoded
     * @param display the capabilities of its target
     */
    StandardStream(OutputStream out, Charset charset, Display display) {
        this.out = out;
        this.charset = charset;
        this.display = display;
    }

    static StandardStream of(FileDescriptor descriptor, Charset charset, Display display) {
        return new StandardStream(new FileOutputStream(descriptor), charset, display);
    }

    public Display display() {
        return display;
    }

    public void print(TerminalText text) {
        write(text.toString().getBytes(charset));
    }

    public void print(AttributedString line) {
        print(TerminalText.of(0, List.of(line), display.colour()));
    }

    public void println(String text) {
        print(TerminalText.of(text + "\n"));
    }

    /** Writes a line of JSON, which is always UTF-8, regardless of the terminal's charset. */
    public void json(String line) {
        write(TerminalText.json(line).toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Writes bytes, which must not go to a terminal. */
    public void bytes(byte[] bytes) {
        write(bytes);
    }

    /** Returns a stream of bytes, which must not go to a terminal. It never fails: see {@link #failure()}. */
    public OutputStream bytes() {
        return new OutputStream() {
            @Override
            public void write(int b) {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                StandardStream.this.write(Arrays.copyOfRange(bytes, offset, offset + length));
            }
        };
    }

    /** Returns a writer for the help, which has its own colours. */
    public PrintWriter writer() {
        return new PrintWriter(
                new StringWriter() {
                    @Override
                    public void flush() {
                        StringBuffer text = getBuffer();
                        print(TerminalText.coloured(text.toString(), display.colour()));
                        text.setLength(0);
                    }
                },
                true);
    }

    /** Sets the action that runs once when writing fails, on the thread that writes. */
    public void onFailure(Runnable listener) {
        onFailure = listener;
    }

    /** Returns the cause of lost output; null if none was lost. */
    @Nullable
    public IOException failure() {
        lock.lock();
        try {
            return failure;
        } finally {
            lock.unlock();
        }
    }

    private void write(byte[] bytes) {
        boolean hasFailed = false;
        lock.lock();
        try {
            if (failure == null) {
                out.write(bytes);
            }
        } catch (IOException e) {
            failure = e;
            hasFailed = true;
        } finally {
            lock.unlock();
        }
        if (hasFailed) {
            onFailure.run();
        }
    }
}
