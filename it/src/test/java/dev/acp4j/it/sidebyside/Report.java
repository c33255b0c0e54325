package dev.acp4j.it.sidebyside;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a client program tells of itself: one line a step, {@code name TAB value TAB value}, in ASCII, so that no
 * charset changes it. The lock guards what it has heard since the last step.
 */
final class Report {
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final StringBuilder text = new StringBuilder();

    @GuardedBy("lock")
    private final Map<String, String> tools = new TreeMap<>();

    /** Takes a piece of the agent's message. */
    void heard(String piece) {
        lock.lock();
        try {
            text.append(piece);
        } finally {
            lock.unlock();
        }
    }

    /** Takes the state of a tool call, or null when the update does not say it. */
    void tool(String id, @Nullable String status) {
        lock.lock();
        try {
            if (status != null) {
                tools.put(id, status);
            } else {
                tools.putIfAbsent(id, "");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Tells a step, and what was heard before it. */
    void step(String name, String detail) {
        lock.lock();
        try {
            print(name + "\t" + shown(text.toString()) + "\t" + shown(detail) + "\t" + tools);
            text.setLength(0);
        } finally {
            lock.unlock();
        }
    }

    /** Tells that a step failed, with all that the exception says. */
    void failed(Throwable failure) {
        StringBuilder all = new StringBuilder();
        for (Throwable cause = failure; cause != null && all.length() < 20_000; cause = cause.getCause()) {
            all.append(cause.getClass().getSimpleName())
                    .append(": ")
                    .append(cause.getMessage())
                    .append("; ");
        }
        step("failed", all.length() > 20_000 ? all.substring(0, 20_000) : all.toString());
    }

    /** Returns the text in ASCII; of a long one, what tells it from others. */
    static String shown(String text) {
        if (text.length() > 50_000) {
            return text.length() + " characters, hash " + text.hashCode();
        }
        StringBuilder ascii = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            ascii.append(c >= ' ' && c < 0x7f ? String.valueOf(c) : String.format("\\u%04x", (int) c));
        }
        return ascii.toString();
    }

    private static void print(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
