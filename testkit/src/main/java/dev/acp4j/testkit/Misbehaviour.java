package dev.acp4j.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Something that a bad peer does, with a name: {@link #agents()} lists what agents do to clients, {@link #clients()}
 * what clients do to agents. A {@link Fault} breaks the bytes between two good peers; this is a bad peer.
 *
 * <p>A bad agent answers {@code initialize}, {@code session/new} and each {@code session/prompt}, which it answers with
 * the text {@code one two}, well, except where it misbehaves. A bad client initializes, misbehaves, and then asks for a
 * session, which it must get.
 *
 * <pre>{@code
 * @ParameterizedTest
 * @MethodSource("dev.acp4j.testkit.Misbehaviour#clients")
 * void survives(Misbehaviour bad) throws Exception {
 *   Process agent = new ProcessBuilder("my-agent").start();
 *   bad.play(agent.getInputStream(), agent.getOutputStream());
 * }
 * }</pre>
 *
 * <p>{@link MisbehavingPeer} is the same as a program, for peers in other languages.
 */
public final class Misbehaviour {
    /** How a good peer reacts. */
    public enum Reaction {
        /** All that was meant is done, what else came does no harm. */
        GOES_ON,
        /** The request fails, soon and with a reason; the next one works. */
        REQUEST_FAILS,
        /**
         * The request waits until its caller gives up; nothing else waits for it. The notification {@code _bad/waiting}
         * tells that it has come.
         */
        CALLER_GIVES_UP,
        /** The connection ends, and everybody who waits learns of it soon and with a reason. */
        ENDS
    }

    /** What is done; {@code bad} has the streams. */
    @FunctionalInterface
    interface Script {
        void play(BadPeer bad) throws IOException;
    }

    private final String name;
    private final String description;
    private final Reaction reaction;
    private final boolean needsProcess;
    private final Script script;

    Misbehaviour(String name, String description, Reaction reaction, boolean needsProcess, Script script) {
        this.name = name;
        this.description = description;
        this.reaction = reaction;
        this.needsProcess = needsProcess;
        this.script = script;
    }

    /** Returns what agents do to clients. */
    public static List<Misbehaviour> agents() {
        return BadAgents.ALL;
    }

    /** Returns what clients do to agents. */
    public static List<Misbehaviour> clients() {
        return BadClients.ALL;
    }

    /**
     * Returns an agent that dies when it has written so many bytes.
     *
     * @param bytes how many; not negative
     */
    public static Misbehaviour agentDyingAfter(long bytes) {
        return BadAgents.dyingAfter(bytes);
    }

    /** Returns what an agent of this name does; {@code dies-after-57} is a name too. */
    public static Optional<Misbehaviour> agent(String name) {
        return name.matches("dies-after-\\d{1,18}")
                ? Optional.of(agentDyingAfter(Long.parseLong(name.substring("dies-after-".length()))))
                : named(agents().stream(), name);
    }

    /** Returns what a client of this name does. */
    public static Optional<Misbehaviour> client(String name) {
        return named(clients().stream(), name);
    }

    private static Optional<Misbehaviour> named(Stream<Misbehaviour> all, String name) {
        return all.filter(each -> each.name.equals(name)).findAny();
    }

    /** Returns the name, in lower case with hyphens. */
    public String name() {
        return name;
    }

    /** Returns what the peer does, as the rest of a sentence: "writes blank lines". */
    public String description() {
        return description;
    }

    /** Returns how a good peer reacts. */
    public Reaction reaction() {
        return reaction;
    }

    /** Returns true if the bad peer must be a process of its own, since it does something to that process. */
    public boolean needsProcess() {
        return needsProcess;
    }

    /**
     * Is the bad peer, until the other one has gone or, for a client, until the agent has shown how it reacts. Blocks
     * as long as the other peer is silent; closing the streams ends that.
     *
     * @param in what the other peer writes
     * @param out what it reads; a client closes it in the end
     * @throws AssertionError if the other peer answers otherwise than a good one
     */
    public void play(InputStream in, OutputStream out) throws IOException {
        script.play(new BadPeer(in, out));
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
