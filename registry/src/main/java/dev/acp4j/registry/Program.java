package dev.acp4j.registry;

import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs a program of the user to its end: npm, uv, node. Its output is kept, and goes nowhere else. */
final class Program {
    private static final int LINES = 15;
    private static final Pattern VERSION = Pattern.compile("([0-9]+)\\.[0-9]+(?:\\.[0-9]+)?");
    private static final long VERSION_SECONDS = 20;

    /**
     * The end of a run.
     *
     * @param exit the exit code
     * @param output both streams, without secrets of addresses
     */
    record Ended(int exit, String output) {
        List<String> lastLines() {
            List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
            return lines.subList(Math.max(0, lines.size() - LINES), lines.size());
        }
    }

    private Program() {}

    /**
     * Finds a program that is new enough.
     *
     * @param least the first number of its version
     * @param hint where it comes from
     * @throws RegistryException if it is missing or older
     */
    static Path require(String name, int least, String hint) throws IOException, InterruptedException {
        Path file;
        try {
            file = Launch.of(name).program();
        } catch (LaunchException e) {
            throw new RegistryException(
                    "needs " + name + " " + least + " or newer, and there is none in the search path. " + hint, e);
        }
        Ended ended = run(List.of(file.toString(), "--version"), Path.of(""), Map.of(), VERSION_SECONDS);
        Matcher version = VERSION.matcher(ended.output());
        if (ended.exit() != 0 || !version.find()) {
            throw new RegistryException(
                    file + " --version has failed: " + ended.output().strip());
        }
        if (Integer.parseInt(version.group(1)) < least) {
            throw new RegistryException(
                    "needs " + name + " " + least + " or newer, found " + version.group() + ": " + file + ". " + hint);
        }
        return file;
    }

    /** Runs a program until it ends, or for some time; its input is empty. */
    static Ended run(List<String> command, Path folder, Map<String, String> environment, long seconds)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("acp-", ".log");
        try {
            ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command))
                    .directory(folder.toAbsolutePath().toFile())
                    .redirectErrorStream(true)
                    .redirectInput(new File(File.separatorChar == '\\' ? "NUL" : "/dev/null"))
                    .redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            try {
                if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                    throw new RegistryException(command.get(0) + " did not end in " + seconds + " seconds");
                }
                return new Ended(process.exitValue(), withoutSecrets(text(output)));
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    /** Addresses of servers may have passwords in them. */
    private static String withoutSecrets(String text) {
        return text.replaceAll("(?i)(https?://)[^/@\\s]+@", "$1…@")
                .replaceAll("(?i)(_auth(?:token)?\\s*=\\s*)\\S+", "$1…");
    }
}
