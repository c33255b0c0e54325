package dev.acp4j.proxy;

import dev.acp4j.schema.Unstable;
import java.time.Duration;
import java.util.Objects;

/**
 * How long a component may take. Only its own time counts: while it waits for an answer of its neighbours, the next
 * component for example, it is not late. Zero stands for no limit.
 *
 * <p>A request that takes too long is cancelled at the component and answered with an error, which names the component
 * and the phase. Then the component is examined: if it does not react within {@code health}, it hangs, and is treated
 * like one that has died.
 *
 * @param start until the program is started, or the agent connected
 * @param initialization for initializing it
 * @param setup for opening a session: new, load, resume or fork
 * @param prompt for a prompt without any message of the component
 * @param health how long a component with a request inside may be silent until it gets a neutral request, which any
 *     program answers or passes on, and how long it may then take to react
 */
@Unstable
public record Deadlines(Duration start, Duration initialization, Duration setup, Duration prompt, Duration health) {
    /** Those of a proxy: 30 s, 60 s, 60 s, 10 minutes and 60 s. */
    public static final Deadlines STANDARD = new Deadlines(
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofMinutes(10),
            Duration.ofSeconds(60));

    /**
     * Those of an agent: 30 s, 60 s, 5 minutes for servers that start slowly, and no limit of silence, because tools
     * run long and some agents do not read meanwhile.
     */
    public static final Deadlines AGENT = new Deadlines(
            Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofMinutes(5), Duration.ZERO, Duration.ZERO);

    /** No limits. */
    public static final Deadlines NONE =
            new Deadlines(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);

    public Deadlines {
        require("start", start);
        require("initialization", initialization);
        require("setup", setup);
        require("prompt", prompt);
        require("health", health);
    }

    private static void require(String name, Duration value) {
        if (Objects.requireNonNull(value, name).isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative, got " + value);
        }
    }

    /** Returns a copy with another limit for the start. */
    public Deadlines withStart(Duration value) {
        return new Deadlines(value, initialization, setup, prompt, health);
    }

    /** Returns a copy with another limit for the initialization. */
    public Deadlines withInitialization(Duration value) {
        return new Deadlines(start, value, setup, prompt, health);
    }

    /** Returns a copy with another limit for opening a session. */
    public Deadlines withSetup(Duration value) {
        return new Deadlines(start, initialization, value, prompt, health);
    }

    /** Returns a copy with another limit for a silent prompt. */
    public Deadlines withPrompt(Duration value) {
        return new Deadlines(start, initialization, setup, value, health);
    }

    /** Returns a copy with another limit for silence. */
    public Deadlines withHealth(Duration value) {
        return new Deadlines(start, initialization, setup, prompt, value);
    }

    /** Returns the phase of a method: initialization, setup or prompt; empty for others, which have no limit. */
    static String phase(String method) {
        return switch (method) {
            case "initialize", "proxy/initialize", "_proxy/initialize" -> "initialization";
            case "session/new", "session/load", "session/resume", "session/fork" -> "setup";
            case "session/prompt" -> "prompt";
            default -> "";
        };
    }

    /** Returns the limit of a phase; zero for none. */
    Duration of(String phase) {
        return switch (phase) {
            case "initialization" -> initialization;
            case "setup" -> setup;
            case "prompt" -> prompt;
            default -> Duration.ZERO;
        };
    }
}
