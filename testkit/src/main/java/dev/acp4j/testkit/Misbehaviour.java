package dev.acp4j.testkit;

import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A named misbehaviour of a peer: {@link #agents()} lists those of agents towards clients, {@link #clients()} those of
 * clients towards agents. A {@link Fault} corrupts the bytes between two good peers; this is a bad peer.
 *
 * <p>A bad agent answers {@code initialize}, {@code session/new} and each {@code session/prompt}, which it answers with
 * the text {@code one two}, correctly, except where it misbehaves. A bad client initializes, misbehaves, and then
 * requests a session, which it must get.
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
    /** The correct reaction of a peer. */
    public enum Reaction {
        /** All valid messages are handled, invalid ones have no effect. */
        GOES_ON,
        /** The request fails promptly with a reason; the next one works. */
        REQUEST_FAILS,
        /**
         * The request waits until its caller cancels it; nothing else is blocked. The notification {@code _bad/waiting}
         * reports that it has arrived.
         */
        CALLER_GIVES_UP,
        /** The connection ends, and all waiting callers fail promptly with a reason. */
        ENDS
    }

    /** The misbehaviour; {@code bad} has the streams. */
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

    /** Returns the misbehaviours of agents. */
    public static List<Misbehaviour> agents() {
        return BadAgents.ALL;
    }

    /** Returns the misbehaviours of clients. */
    public static List<Misbehaviour> clients() {
        return BadClients.ALL;
    }

    /**
     * Returns an agent that dies after writing this number of bytes.
     *
     * @param bytes the number of bytes; not negative
     */
    public static Misbehaviour agentDyingAfter(long bytes) {
        return BadAgents.dyingAfter(bytes);
    }

    /** Returns the misbehaviour of agents with this name; {@code dies-after-57} is a name, too. */
    public static Optional<Misbehaviour> agent(String name) {
        return name.matches("dies-after-\\d{1,18}")
                ? Optional.of(agentDyingAfter(Long.parseLong(name.substring("dies-after-".length()))))
                : named(agents().stream(), name);
    }

    /** Returns the misbehaviour of clients with this name. */
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

    /** Returns the description, as the rest of a sentence: "writes blank lines". */
    public String description() {
        return description;
    }

    /** Returns the correct reaction of a peer. */
    public Reaction reaction() {
        return reaction;
    }

    /** Returns whether the bad peer must be a process of its own, because it affects that process. */
    public boolean needsProcess() {
        return needsProcess;
    }

    /**
     * Runs the bad peer until the other one has closed or, for a client, until the agent has reacted. Blocks while the
     * other peer is silent; closing the streams ends that.
     *
     * @param in the output of the other peer
     * @param out the input of the other peer; a client closes it at the end
     * @throws AssertionError if the other peer does not respond correctly
     */
    public void play(InputStream in, OutputStream out) throws IOException {
        play(in, out, Version.V1);
    }

    /**
     * Does the same with a client that asks for this version of the protocol, and must get it. In version 2 it also
     * resumes and closes its session, which every agent of that version can. A bad agent uses the version that it is
     * asked for, whichever is given here.
     *
     * @param in the output of the other peer
     * @param out the input of the other peer; a client closes it at the end
     * @param version the version that a client asks for
     * @throws AssertionError if the other peer does not respond correctly
     */
    @Unstable
    public void play(InputStream in, OutputStream out, Version version) throws IOException {
        script.play(new BadPeer(in, out, version));
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
