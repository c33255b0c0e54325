package dev.acp4j.workspace;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options and limits of terminals.
 *
 * @param maxTerminals the maximum number of open terminals in one session; a terminal is open until it is released,
 *     running or not
 * @param defaultOutputBytes the output limit if the agent gives none, in bytes of UTF-8
 * @param maxOutputBytes the maximum output limit, regardless of the agent's request
 * @param shellLines whether a request without arguments whose command is not a file and looks like a shell command
 *     line, such as {@code npm test && npm publish}, is run by the system's shell. Many agents send all their commands
 *     this way. If false, such a request fails. A request with arguments is never run by a shell
 * @param environment the environment of commands before the variables of the request are added; null for the variables
 *     of this program's environment that a {@link dev.acp4j.process.Launch} passes on by default, so that an agent
 *     cannot read variables here that were withheld from it
 * @param mercy the timeout between terminating and killing a command
 */
public record TerminalOptions(
        int maxTerminals,
        int defaultOutputBytes,
        int maxOutputBytes,
        boolean shellLines,
        @Nullable Map<String, String> environment,
        Duration mercy) {
    /**
     * The defaults: 32 terminals, 1 MiB of output by default and 8 MiB at most, shell command lines are run by a shell,
     * 1 s of mercy.
     */
    public static final TerminalOptions DEFAULTS =
            new TerminalOptions(32, 1 << 20, 8 << 20, true, null, Duration.ofSeconds(1));

    /** Checks the numbers and copies the environment. */
    public TerminalOptions {
        requireNotNegative("maxTerminals", maxTerminals);
        requireNotNegative("defaultOutputBytes", defaultOutputBytes);
        requireNotNegative("maxOutputBytes", maxOutputBytes);
        if (mercy.isNegative()) {
            throw new IllegalArgumentException("mercy is negative: " + mercy);
        }
        environment = environment == null ? null : Map.copyOf(environment);
    }

    private static void requireNotNegative(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " is negative: " + value);
        }
    }

    /** Returns these options with another number of terminals. */
    public TerminalOptions withMaxTerminals(int number) {
        return new TerminalOptions(number, defaultOutputBytes, maxOutputBytes, shellLines, environment, mercy);
    }

    /** Returns these options with other output limits. */
    public TerminalOptions withOutputBytes(int byDefault, int atMost) {
        return new TerminalOptions(maxTerminals, byDefault, atMost, shellLines, environment, mercy);
    }

    /** Returns these options with or without shell command lines. */
    public TerminalOptions withShellLines(boolean allowed) {
        return new TerminalOptions(maxTerminals, defaultOutputBytes, maxOutputBytes, allowed, environment, mercy);
    }

    /**
     * Returns these options with another environment for commands: {@link dev.acp4j.process.Launch#environment()} gives
     * them the agent's, {@link System#getenv()} all of this program's, secrets included.
     */
    public TerminalOptions withEnvironment(@Nullable Map<String, String> variables) {
        return new TerminalOptions(maxTerminals, defaultOutputBytes, maxOutputBytes, shellLines, variables, mercy);
    }

    /** Returns these options with another time between terminating and killing. */
    public TerminalOptions withMercy(Duration time) {
        return new TerminalOptions(maxTerminals, defaultOutputBytes, maxOutputBytes, shellLines, environment, time);
    }

    /** Returns the output limit for a request with this limit, or without one. */
    int outputBytes(@Nullable Long asked) {
        return (int) Math.min(maxOutputBytes, asked == null ? defaultOutputBytes : asked);
    }

    /** Returns the options without the values of the environment, which may be secret. */
    @Override
    public String toString() {
        return "TerminalOptions[maxTerminals=" + maxTerminals + ", defaultOutputBytes=" + defaultOutputBytes
                + ", maxOutputBytes=" + maxOutputBytes + ", shellLines=" + shellLines + ", environment="
                + (environment == null ? "that of agents" : environment.keySet()) + ", mercy=" + mercy + "]";
    }
}
