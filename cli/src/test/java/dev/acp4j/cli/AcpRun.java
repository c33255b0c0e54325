package dev.acp4j.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A run of {@code acp} as a process of its own.
 *
 * @param exitCode its exit code
 * @param out its standard output
 * @param err its standard error
 */
public record AcpRun(int exitCode, String out, String err) {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Prepares a run. */
    public static Builder acp(String... args) {
        return new Builder(List.of(args));
    }

    public List<String> lines() {
        return out.lines().toList();
    }

    /** Collects what a run gets. */
    public static final class Builder {
        private final List<String> args;
        private final Map<String, String> environment = new LinkedHashMap<>();
        private String input = "";
        private String redirection = "";
        private boolean interruptible;
        private Path folder = Path.of("").toAbsolutePath();

        Builder(List<String> args) {
            this.args = new ArrayList<>(args);
        }

        /** Talks to the scripted agent of the tests. */
        public Builder with(String... agentArgs) {
            args.add("--");
            args.addAll(java(ScriptedAgent.class));
            args.addAll(List.of(agentArgs));
            return this;
        }

        /** Talks to an agent. */
        public Builder agent(String... command) {
            args.add("--");
            args.addAll(List.of(command));
            return this;
        }

        public Builder input(String text) {
            input = text;
            return this;
        }

        public Builder env(String name, String value) {
            environment.put(name, value);
            return this;
        }

        public Builder in(Path value) {
            folder = value;
            return this;
        }

        /** Has a shell redirect the standard streams. */
        public Builder redirected(String value) {
            redirection = value;
            return this;
        }

        /**
         * Lets the run hear SIGINT and SIGHUP, also when the tests run in the background of a shell, which ignores them
         * for all.
         */
        public Builder interruptible() {
            interruptible = true;
            return this;
        }

        public Process start() throws IOException {
            List<String> command = new ArrayList<>();
            if (interruptible && System.getProperty("os.name").equals("Linux")) {
                command.addAll(List.of("env", "--default-signal=INT,HUP,TERM"));
            }
            if (!redirection.isEmpty()) {
                command.addAll(List.of("sh", "-c", "exec \"$@\" " + redirection, "sh"));
            }
            command.addAll(java(Acp.class));
            command.addAll(args);
            ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
            builder.environment()
                    .put(
                            "XDG_STATE_HOME",
                            Path.of("target/state").toAbsolutePath().toString());
            builder.environment().putAll(environment);
            return builder.start();
        }

        public AcpRun run() {
            try {
                Process process = start();
                CompletableFuture<String> out = text(process.getInputStream());
                CompletableFuture<String> err = text(process.getErrorStream());
                try (var stdin = process.getOutputStream()) {
                    stdin.write(input.getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                    // It ended without reading.
                }
                if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new AssertionError("acp did not end:\n" + out.join() + "\n" + err.join());
                }
                return new AcpRun(process.exitValue(), out.join(), err.join());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Returns the process of the scripted agent that a run has started. Linux only. */
    static ProcessHandle agent(Process acp) {
        return acp.descendants().filter(AcpRun::isAgent).findFirst().orElseThrow();
    }

    /**
     * The command line of acp names the agent too, behind two dashes. It is read from the system: a process handle has
     * no arguments that are longer than a page of memory, which a class path may be.
     */
    private static boolean isAgent(ProcessHandle process) {
        try {
            List<String> arguments = List.of(Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"))
                    .split("\0", -1));
            return arguments.contains(ScriptedAgent.class.getName()) && !arguments.contains("--");
        } catch (IOException e) {
            return false; // It has ended.
        }
    }

    /** Returns the command that runs a class of the class path of the tests. */
    public static List<String> java(Class<?> main) {
        List<String> command = new ArrayList<>(TestJava.COMMAND);
        command.add(main.getName());
        return List.copyOf(command);
    }

    private static CompletableFuture<String> text(InputStream in) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (in) {
                        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                Thread::startVirtualThread);
    }
}
