package dev.acp4j.cli.terminal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads keys while a turn runs: Ctrl-C is reported at once, and lines that are meant for the turn; other lines are kept
 * for the user's next messages. Ctrl-C takes them back: they are the beginning of the next message.
 *
 * <p>The lock guards the typed text and the thread; it is not held while reading or calling back.
 */
final class KeyWatch {
    private static final int CTRL_C = 3;
    private static final int CTRL_D = 4;
    private static final int CTRL_U = 21;
    private static final int ESCAPE = 27;
    private static final int BACKSPACE = 8;
    private static final int DELETE = 127;

    private final NonBlockingReader keys;
    private volatile Runnable onInterrupt = () -> {};
    private volatile Predicate<String> takes = line -> false;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final StringBuilder typed = new StringBuilder();

    @GuardedBy("lock")
    private boolean hasEnded;

    @GuardedBy("lock")
    private @Nullable Thread thread;

    KeyWatch(NonBlockingReader keys) {
        this.keys = keys;
    }

    /** Starts reading; see {@link Console#turnBegins}. */
    void begin(Runnable interrupted, Predicate<String> taking) {
        onInterrupt = interrupted;
        takes = taking;
        resume();
    }

    /** Continues reading. */
    void resume() {
        lock.lock();
        try {
            if (thread == null) {
                Thread reader = new Thread(this::readKeys, "acp-keys");
                reader.setDaemon(true);
                thread = reader;
                reader.start();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Stops reading: the next key is for another reader. */
    void pause() {
        Thread reader;
        lock.lock();
        try {
            reader = thread;
            thread = null;
        } finally {
            lock.unlock();
        }
        if (reader == null || reader.equals(Thread.currentThread())) {
            return;
        }
        reader.interrupt();
        boolean interrupted = false;
        while (reader.isAlive()) {
            try {
                reader.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes and returns the first complete line; null if there is none. */
    @Nullable
    String nextLine() {
        lock.lock();
        try {
            int end = typed.indexOf("\n");
            if (end < 0) {
                return null;
            }
            String line = typed.substring(0, end);
            typed.delete(0, end + 1);
            return line;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the typed lines, the last of which is incomplete; none if nothing was typed. */
    List<String> lines() {
        lock.lock();
        try {
            return typed.isEmpty() ? List.of() : List.of(typed.toString().split("\n", -1));
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether Ctrl-D was pressed after the lines, at the beginning of one. */
    boolean hasEnded() {
        lock.lock();
        try {
            return hasEnded;
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns the incomplete line. */
    String begunLine() {
        lock.lock();
        try {
            String line = typed.toString();
            typed.setLength(0);
            return line;
        } finally {
            lock.unlock();
        }
    }

    /** Adds text to the incomplete line. */
    void putBack(String text) {
        if (text.isEmpty()) {
            return;
        }
        lock.lock();
        try {
            if (!typed.isEmpty() && !Character.isWhitespace(typed.charAt(typed.length() - 1))) {
                typed.append(' ');
            }
            typed.append(text.replace('\n', ' '));
        } finally {
            lock.unlock();
        }
    }

    private void readKeys() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                int key = keys.read();
                if (key < 0) {
                    return;
                }
                if (key == CTRL_C) {
                    unsend();
                    onInterrupt.run();
                } else if (key == ESCAPE) {
                    skipSequence();
                } else if (key == '\r' || key == '\n') {
                    endLine();
                } else {
                    keep((char) key);
                }
            }
        } catch (IOException e) {
            // Interrupted by pause(), or the terminal is gone, which the next question detects.
        }
    }

    /** Skips arrow keys and the like: ESC, a bracket, and everything up to a letter. */
    private void skipSequence() throws IOException {
        if (keys.peek(20) != '[') {
            return;
        }
        int next = keys.read();
        do {
            next = keys.read();
        } while (next >= 0 && next < '@');
    }

    /** Makes one incomplete line of what was typed: it is not sent, and the user gets it back. */
    private void unsend() {
        lock.lock();
        try {
            String line = typed.toString().replace('\n', ' ').strip();
            typed.setLength(0);
            typed.append(line);
        } finally {
            lock.unlock();
        }
    }

    private void endLine() {
        String line = lastLine();
        if (!takes.test(line)) {
            lock.lock();
            try {
                typed.append(line).append('\n');
            } finally {
                lock.unlock();
            }
        }
    }

    /** Removes and returns the incomplete line, which follows the complete ones. */
    private String lastLine() {
        lock.lock();
        try {
            int begun = typed.lastIndexOf("\n") + 1;
            String line = typed.substring(begun);
            typed.setLength(begun);
            return line;
        } finally {
            lock.unlock();
        }
    }

    private void keep(char key) {
        lock.lock();
        try {
            int begun = typed.lastIndexOf("\n") + 1;
            if (key == BACKSPACE || key == DELETE) {
                typed.setLength(Math.max(begun, typed.length() - 1));
            } else if (key == CTRL_U) {
                typed.setLength(begun);
            } else if (key == CTRL_D) {
                hasEnded |= begun == typed.length();
            } else if (key == '\t') {
                typed.append(' ');
            } else if (key >= ' ') {
                typed.append(key);
            }
        } finally {
            lock.unlock();
        }
    }
}
