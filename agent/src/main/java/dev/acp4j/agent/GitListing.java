package dev.acp4j.agent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Asks the {@code git} command which files of a folder are tracked, or untracked and not ignored. */
final class GitListing {
    // A file system monitor is a program named by the checkout's own configuration: listing must not start it.
    private static final List<String> COMMAND = List.of(
            "git",
            "--no-optional-locks",
            "-c",
            "core.fsmonitor=false",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard");
    private static final Duration WAIT = Duration.ofSeconds(1);

    private GitListing() {}

    /**
     * Returns names relative to {@code folder}, one more than {@code limit} at most, or null where {@code folder} is
     * not in a checkout or there is no {@code git}.
     */
    static @Nullable List<String> of(Path folder, int limit) throws InterruptedException {
        try (LocalProcess git = LocalProcess.program(folder, COMMAND)) {
            Set<String> names = new LinkedHashSet<>();
            boolean complete = read(git, names, limit);
            return !complete || git.waitFor() == 0 ? List.copyOf(names) : null;
        } catch (IOException e) {
            return null;
        }
    }

    private static boolean read(LocalProcess git, Set<String> names, int limit) throws InterruptedException {
        ByteArrayOutputStream name = new ByteArrayOutputStream();
        for (byte[] piece = git.next(WAIT); piece != null; piece = git.next(WAIT)) {
            for (byte b : piece) {
                if (b != 0) {
                    name.write(b);
                    continue;
                }
                names.add(name.toString(StandardCharsets.UTF_8));
                name.reset();
                if (names.size() > limit) {
                    return false;
                }
            }
        }
        return true;
    }
}
