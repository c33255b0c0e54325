package dev.acp4j.proxies;

import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One run of a command: JSON on its standard input, and what its end means. Its standard output is not read by anybody.
 */
final class HookRun {
    private static final Duration MERCY = Duration.ofSeconds(1);
    private static final int MOST_TEXT = 4_000;

    private HookRun() {}

    /**
     * Runs a command to its end.
     *
     * @return why it refuses, in the words of its standard error; null if it does not
     */
    static @Nullable String refusal(Launch command, RawJson input, Duration limit) throws InterruptedException {
        ProcessTree tree;
        try {
            tree = command.startTree();
        } catch (IOException e) {
            return "the hook " + command.command() + " cannot be started: " + e.getMessage();
        }
        try {
            return refusal(tree.root(), command, input, limit);
        } finally {
            ProcessTree.Ending unused = tree.end(Duration.ZERO, MERCY);
        }
    }

    private static @Nullable String refusal(Process process, Launch command, RawJson input, Duration limit)
            throws InterruptedException {
        AtomicReference<String> said = new AtomicReference<>("");
        Thread errors = Thread.ofPlatform()
                .daemon()
                .name("acp4j-hook-errors")
                .start(() -> said.set(text(process.getErrorStream())));
        Thread output =
                Thread.ofPlatform().daemon().name("acp4j-hook-output").start(() -> text(process.getInputStream()));
        Thread writer = Thread.ofPlatform()
                .daemon()
                .name("acp4j-hook-input")
                .start(() -> write(process.getOutputStream(), input));
        if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            return "the hook " + command.command() + " has not ended within " + limit.toMillis() / 1000.0 + " s";
        }
        // What its descendants keep open is not waited for.
        for (Thread each : new Thread[] {writer, output, errors}) {
            each.join(MERCY.toMillis());
        }
        if (process.exitValue() == 0) {
            return null;
        }
        String text = said.get().strip();
        return text.isEmpty() ? "the hook " + command.command() + " refuses it" : text;
    }

    private static void write(OutputStream to, RawJson input) {
        try (to) {
            to.write(input.bytes(), input.from(), input.length());
            to.write('\n');
        } catch (IOException e) {
            // It does not read its input.
        }
    }

    /** Returns the beginning of what is said, and reads the rest, too. */
    private static String text(InputStream from) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        byte[] buffer = new byte[1024];
        try {
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                kept.write(buffer, 0, Math.min(n, MOST_TEXT - kept.size()));
            }
        } catch (IOException e) {
            // The end of the process.
        }
        return kept.toString(StandardCharsets.UTF_8);
    }
}
