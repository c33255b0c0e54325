package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
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

    private static final int COMMAND_SECONDS = 30;

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

    /** Returns what gives the token; null if there is none. */
    @Nullable
    Supplier<String> token() {
        int sources = (variable == null ? 0 : 1) + (file == null ? 0 : 1) + (command == null ? 0 : 1);
        if (sources > 1) {
            throw new UsageException("--token-env, --token-file and --token-command cannot be combined");
        }
        if (file != null) {
            Path path = file;
            String unused = read(path);
            return () -> read(path);
        }
        if (command != null) {
            String words = command;
            return new Printed(words);
        }
        String name = variable == null ? "ACP_TOKEN" : variable;
        String value = System.getenv(name);
        if (value == null || value.isBlank()) {
            if (variable != null) {
                throw new UsageException("the environment variable " + SafeText.line(name) + " is not set");
            }
            return null;
        }
        return value::strip;
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

    /** The output of a command, kept until it is refused. */
    private static final class Printed implements Supplier<String> {
        private final String command;

        Printed(String command) {
            this.command = command;
        }

        @Override
        public String get() {
            try {
                Process process = new ProcessBuilder("/bin/sh", "-c", command)
                        .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                String output = new String(
                        process.getInputStream().readNBytes(64 * 1024), java.nio.charset.StandardCharsets.UTF_8);
                if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new UsageException("the command for the token did not end within " + COMMAND_SECONDS + " s");
                }
                if (process.exitValue() != 0) {
                    throw new UsageException("the command for the token exited with " + process.exitValue());
                }
                return requireToken(output, "the output of the command");
            } catch (IOException e) {
                throw new UsageException("the command for the token cannot be run: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new UsageException("interrupted while waiting for the token");
            }
        }
    }
}
