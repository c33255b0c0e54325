package dev.acp4j.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process and the lines that it writes. Reads blocks and looks for line feeds; what a line says is looked at only as
 * far as needed. A process that takes too long is killed, and reading then fails.
 */
final class Child implements AutoCloseable {
    private static final int BLOCK = 64 * 1024;

    final long started = System.nanoTime();
    private final Process process;
    private final OutputStream in;
    private final InputStream out;
    private final Thread watch;
    private byte[] buffer = new byte[2 * BLOCK];
    private int next;
    private int end;

    /** The line that was read last. */
    private int from;

    private int to;

    Child(List<String> command, int secondsToLive) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        Bench.WORK.resolve("errors.txt").toFile()));
        builder.environment().remove("ACP4J_TRACE"); // tests set it, and recording would be measured
        process = builder.start();
        in = process.getOutputStream();
        out = process.getInputStream();
        watch = Thread.ofVirtual().start(() -> killAfter(secondsToLive));
    }

    private void killAfter(int seconds) {
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            // It has been closed in time.
        }
    }

    long pid() {
        return process.pid();
    }

    void write(byte[] frame) throws IOException {
        in.write(frame);
        in.flush();
    }

    /** Reads the next line. */
    void next() throws IOException {
        int scan = next;
        while (true) {
            while (scan < end && buffer[scan] != '\n') {
                scan++;
            }
            if (scan < end) {
                from = next;
                to = scan;
                next = scan + 1;
                return;
            }
            scan -= next;
            fill();
        }
    }

    private void fill() throws IOException {
        if (next > 0) {
            System.arraycopy(buffer, next, buffer, 0, end - next);
            end -= next;
            next = 0;
        }
        if (buffer.length - end < BLOCK) {
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
        int read = out.read(buffer, end, BLOCK);
        if (read < 0) {
            throw new EOFException("the process has ended, or was killed because it took too long");
        }
        end += read;
    }

    /** Returns the number of bytes of the line. */
    int length() {
        return to - from;
    }

    /** Returns the index behind the first place of these bytes in the line, or -1. */
    int after(byte[] what) {
        int last = to - what.length;
        for (int i = from; i <= last; i++) {
            if (buffer[i] == what[0] && Arrays.equals(buffer, i, i + what.length, what, 0, what.length)) {
                return i + what.length;
            }
        }
        return -1;
    }

    boolean has(byte[] what) {
        return after(what) >= 0;
    }

    /** Returns the bytes from the index to the next comma, brace, or a quotation mark that is not the first byte. */
    String valueAt(int index) {
        int stop = index;
        while (stop < to && buffer[stop] != ',' && buffer[stop] != '}' && (stop == index || buffer[stop] != '"')) {
            stop++;
        }
        boolean quoted = stop < to && buffer[stop] == '"' && buffer[index] == '"';
        return new String(buffer, index, stop - index + (quoted ? 1 : 0), StandardCharsets.ISO_8859_1);
    }

    /** Returns the beginning of the line, to be shown. */
    String text() {
        return new String(buffer, from, Math.min(200, length()), StandardCharsets.UTF_8);
    }

    /** Lets the process read to the end of its input, and waits until it has ended. */
    void finish() throws IOException, InterruptedException {
        in.close();
        process.waitFor();
    }

    @Override
    public void close() {
        watch.interrupt();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
    }
}
