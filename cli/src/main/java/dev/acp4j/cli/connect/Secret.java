package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Where a secret comes from. Never from an argument, which every user of the machine sees in the list of processes, and
 * never from a file that says how a server is reached.
 */
sealed interface Secret {
    /**
     * Returns the secret as it is now, one line.
     *
     * @throws UsageException when there is none
     */
    String read();

    /** Returns where it comes from, for reports. */
    String source();

    /** A variable of the environment. */
    record Variable(String name) implements Secret {
        @Override
        public String read() {
            String value = System.getenv(name);
            if (value == null || value.isBlank()) {
                throw new UsageException("the environment variable " + SafeText.line(name) + " is not set");
            }
            return value.strip();
        }

        @Override
        public String source() {
            return "the environment variable " + SafeText.line(name);
        }
    }

    /** The first line of a file that only the user may read. */
    record OfFile(Path path) implements Secret {
        private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.of(
                PosixFilePermission.GROUP_READ,
                PosixFilePermission.GROUP_WRITE,
                PosixFilePermission.OTHERS_READ,
                PosixFilePermission.OTHERS_WRITE);

        @Override
        public String read() {
            requirePrivate(path);
            try {
                return firstLine(Files.readString(path), SafeText.line(path.toString()));
            } catch (IOException e) {
                throw new UsageException("the token cannot be read from " + SafeText.line(path.toString()) + ": "
                        + e.getClass().getSimpleName());
            }
        }

        /** Demands that only the user may read a file, as far as the system has that. */
        static void requirePrivate(Path path) {
            String name = SafeText.line(path.toString());
            try {
                if (path.getFileSystem().supportedFileAttributeViews().contains("posix")
                        && Files.getPosixFilePermissions(path).stream().anyMatch(OF_OTHERS::contains)) {
                    throw new UsageException(name + " can be read by others; run: chmod 600 " + name);
                }
            } catch (IOException e) {
                throw new UsageException(
                        name + " cannot be read: " + e.getClass().getSimpleName());
            }
        }

        @Override
        public String source() {
            return SafeText.line(path.toString());
        }
    }

    /** The first line that a command of the shell prints, such as that of a keychain. */
    record Command(String words) implements Secret {
        private static final Duration TIME = Duration.ofSeconds(30);

        @Override
        public String read() {
            return printed(words, TIME);
        }

        @Override
        public String source() {
            return "the command for the token";
        }

        /** Returns the first line that a command prints. Whatever becomes of the command, it does not run on. */
        static String printed(String command, Duration limit) {
            Process process;
            try {
                process = new ProcessBuilder("/bin/sh", "-c", command)
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
            } catch (IOException e) {
                throw new UsageException("the command for the token cannot be run: " + e.getMessage());
            }
            try {
                CompletableFuture<byte[]> output = new CompletableFuture<>();
                Thread unused = Thread.ofVirtual().name("acp-token").start(() -> read(process, output));
                byte[] bytes = output.get(limit.toMillis(), TimeUnit.MILLISECONDS);
                if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new TimeoutException();
                }
                if (process.exitValue() != 0) {
                    throw new UsageException("the command for the token exited with " + process.exitValue());
                }
                return firstLine(new String(bytes, StandardCharsets.UTF_8), "the output of the command");
            } catch (TimeoutException e) {
                throw new UsageException("the command for the token did not end within " + limit.toSeconds() + " s");
            } catch (ExecutionException e) {
                throw new UsageException("the output of the command for the token cannot be read: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new UsageException("interrupted while waiting for the token");
            } finally {
                // The shell first, which would say of the other that it was killed.
                List<ProcessHandle> below = process.descendants().toList();
                process.destroyForcibly();
                below.forEach(ProcessHandle::destroyForcibly);
            }
        }

        private static void read(Process process, CompletableFuture<byte[]> output) {
            try (InputStream in = process.getInputStream()) {
                output.complete(in.readNBytes(64 * 1024));
            } catch (IOException e) {
                output.completeExceptionally(e);
            }
        }
    }

    private static String firstLine(String text, String source) {
        String token = text.lines().findFirst().orElse("").strip();
        if (token.isEmpty()) {
            throw new UsageException("there is no token in " + source);
        }
        return token;
    }
}
