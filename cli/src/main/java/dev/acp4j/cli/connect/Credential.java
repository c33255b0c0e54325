package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.http.RemoteAgent;
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
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Where the token for a remote agent comes from. Never from an argument, which every user of the machine sees in the
 * list of processes.
 */
final class Credential {
    private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private static final Duration COMMAND_TIME = Duration.ofSeconds(30);

    @Option(
            names = "--token-env",
            paramLabel = "NAME",
            description = "Send the token in this environment variable; default: ACP_TOKEN, if it is set.")
    private @Nullable String variable;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Send the token in this file, which only you may read. It is read for each request.")
    private @Nullable Path file;

    @Option(
            names = "--token-command",
            paramLabel = "COMMAND",
            description =
                    "Send the first line that this command of the shell prints, such as that of a keychain. It is "
                            + "run at the start, and again when the server refuses the token.")
    private @Nullable String command;

    /** Uses what a file says of the server, unless the command line says something else. */
    void orElse(NamedServer server) {
        if (variable == null && file == null && command == null) {
            variable = server.get("tokenEnv");
            file = server.path("tokenFile");
            command = server.get("tokenCommand");
        }
    }

    /** Returns the agent with the token, if there is one. */
    RemoteAgent of(RemoteAgent remote) {
        int sources = (variable == null ? 0 : 1) + (file == null ? 0 : 1) + (command == null ? 0 : 1);
        if (sources > 1) {
            throw new UsageException("--token-env, --token-file and --token-command cannot be combined");
        }
        if (file != null) {
            Path path = file;
            String unused = read(path);
            return remote.bearer(() -> read(path));
        }
        if (command != null) {
            String words = command;
            // Run here, so that a command that does not work is misuse.
            AtomicReference<@Nullable String> first = new AtomicReference<>(printed(words, COMMAND_TIME));
            return remote.bearerUntilRefused(() -> {
                String known = first.getAndSet(null);
                return known == null ? printed(words, COMMAND_TIME) : known;
            });
        }
        String name = variable == null ? "ACP_TOKEN" : variable;
        String value = System.getenv(name);
        if (value == null || value.isBlank()) {
            if (variable != null) {
                throw new UsageException("the environment variable " + SafeText.line(name) + " is not set");
            }
            return remote;
        }
        return remote.bearer(() -> value);
    }

    private static String read(Path file) {
        String name = SafeText.line(file.toString());
        try {
            if (file.getFileSystem().supportedFileAttributeViews().contains("posix")
                    && Files.getPosixFilePermissions(file).stream().anyMatch(OF_OTHERS::contains)) {
                throw new UsageException(name + " can be read by others; run: chmod 600 " + name);
            }
            return requireToken(Files.readString(file), name);
        } catch (IOException e) {
            throw new UsageException("the token cannot be read from " + name + ": "
                    + e.getClass().getSimpleName());
        }
    }

    private static String requireToken(String text, String source) {
        String token = text.lines().findFirst().orElse("").strip();
        if (token.isEmpty()) {
            throw new UsageException("there is no token in " + source);
        }
        return token;
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
            return requireToken(new String(bytes, StandardCharsets.UTF_8), "the output of the command");
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
