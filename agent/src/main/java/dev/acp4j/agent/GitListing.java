package dev.acp4j.agent;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks the {@code git} command which files of a folder are tracked, or untracked and not ignored.
 *
 * <p>This program is started without asking, and the checkout is not trusted. So {@code git} gets an empty repository
 * of this program, and from the checkout only the files, the index, the objects and the ignore patterns. It never reads
 * the configuration of the checkout, which can name programs to start and remotes to fetch from.
 */
final class GitListing {
    private static final Duration WAIT = Duration.ofMillis(100);
    // Names in an index share their beginnings: a small file can hold more of them than memory.
    private static final int MAX_BYTES = 16 << 20;
    private static final List<String> KEPT = List.of(
            "HOME", "XDG_CONFIG_HOME", "SystemRoot", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "TMPDIR", "TEMP", "TMP");

    private final Path folder;
    private final GitCheckout checkout;
    private final int limit;

    private GitListing(Path folder, GitCheckout checkout, int limit) {
        this.folder = folder;
        this.checkout = checkout;
        this.limit = limit;
    }

    /**
     * Returns names relative to {@code folder}, one more than {@code limit} at most, or null where {@code folder} is
     * not in a checkout, there is no {@code git}, or it does not manage in the time that is allowed.
     */
    static @Nullable List<String> of(Path folder, int limit, Duration allowed) throws InterruptedException {
        GitCheckout checkout = GitCheckout.around(folder);
        if (checkout == null) {
            return null;
        }
        try (EmptyRepository ours = EmptyRepository.create(checkout.isSha256())) {
            return new GitListing(folder, checkout, limit).names(ours, System.nanoTime() + allowed.toNanos());
        } catch (IOException e) {
            return null;
        }
    }

    private @Nullable List<String> names(EmptyRepository ours, long deadline) throws InterruptedException, IOException {
        String path = searchPath(System.getenv().getOrDefault("PATH", ""), checkout.top());
        try (LocalProcess git = LocalProcess.program(folder, command(), environment(ours, path))) {
            Set<String> names = new LinkedHashSet<>();
            ByteArrayOutputStream name = new ByteArrayOutputStream();
            int bytes = 0;
            for (byte[] piece = git.next(WAIT); piece != null; piece = git.next(WAIT)) {
                bytes += piece.length;
                // A pipe in place of a file, for example of an ignore file, would block forever.
                if (bytes > MAX_BYTES || System.nanoTime() - deadline > 0) {
                    return null;
                }
                if (!add(piece, name, names)) {
                    return List.copyOf(names);
                }
            }
            return git.endsBefore(deadline) && git.waitFor() == 0 ? List.copyOf(names) : null;
        }
    }

    /** Returns false if there are more names than the limit. */
    private boolean add(byte[] piece, ByteArrayOutputStream name, Set<String> names) {
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
        return true;
    }

    private List<String> command() {
        List<String> command = new ArrayList<>();
        command.add("git");
        // The user's own configuration is read, for the files ignored everywhere; its programs are not for this.
        command.addAll(List.of("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"));
        command.addAll(List.of("-c", "core.ignoreCase=" + checkout.ignoresCase(), "-c", "core.precomposeUnicode=true"));
        command.addAll(List.of("ls-files", "-z", "--cached", "--others", "--exclude-standard"));
        if (Files.isRegularFile(checkout.excludes())) {
            command.add("--exclude-from=" + checkout.excludes());
        }
        return command;
    }

    private Map<String, String> environment(EmptyRepository ours, String path) {
        Map<String, String> environment = new LinkedHashMap<>();
        for (String name : KEPT) {
            String value = System.getenv(name);
            if (value != null) {
                environment.put(name, value);
            }
        }
        environment.put("PATH", path);
        environment.put("GIT_DIR", ours.folder().toString());
        environment.put("GIT_WORK_TREE", checkout.top().toString());
        environment.put("GIT_INDEX_FILE", checkout.index().toString());
        environment.put("GIT_OBJECT_DIRECTORY", checkout.objects().toString());
        environment.put("GIT_OPTIONAL_LOCKS", "0");
        // The empty repository has no remotes. These options prevent fetching in any case.
        environment.put("GIT_NO_LAZY_FETCH", "1");
        environment.put("GIT_ALLOW_PROTOCOL", "none");
        environment.put("GIT_TERMINAL_PROMPT", "0");
        return environment;
    }

    /** Returns a search path without folders of the checkout, including relative ones. */
    static String searchPath(String path, Path top) {
        List<String> places = new ArrayList<>();
        for (String place : path.split(File.pathSeparator, -1)) {
            try {
                Path folder = Path.of(place);
                if (folder.isAbsolute() && !folder.toRealPath().startsWith(top)) {
                    places.add(place);
                }
            } catch (IOException | InvalidPathException e) {
                // There is no such folder.
            }
        }
        return String.join(File.pathSeparator, places);
    }

    /** An empty repository: no configuration, no hooks, no remotes. */
    private record EmptyRepository(Path folder) implements AutoCloseable {
        static EmptyRepository create(boolean sha256) throws IOException {
            EmptyRepository repository = new EmptyRepository(Files.createTempDirectory("acp4j-git"));
            try {
                Files.createDirectory(repository.refs());
                Files.writeString(repository.head(), "ref: refs/heads/none\n");
                String format = "[core]\nrepositoryFormatVersion = 1\n[extensions]\nobjectFormat = sha256\n";
                Files.writeString(repository.config(), sha256 ? format : "");
                return repository;
            } catch (IOException e) {
                repository.close();
                throw e;
            }
        }

        private Path refs() {
            return folder.resolve("refs");
        }

        private Path head() {
            return folder.resolve("HEAD");
        }

        private Path config() {
            return folder.resolve("config");
        }

        @Override
        public void close() throws IOException {
            for (Path path : List.of(refs(), head(), config(), folder)) {
                Files.deleteIfExists(path);
            }
        }
    }
}
