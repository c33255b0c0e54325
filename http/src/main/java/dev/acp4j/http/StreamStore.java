package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.nio.file.Path;

/**
 * Where a server keeps the streams of its clients, so that they outlive its process: a client that comes back after a
 * restart gets what it has not had. Immutable.
 *
 * <pre>{@code
 * Http.on(8080).store(StreamStore.in(Path.of("/var/lib/my-agent/streams")));
 * }</pre>
 *
 * <p>Agents end with the server, and so do their connections: what is kept can be read to its end, which is the answer
 * to each request that was open, an error whose data has the reason {@code outcome_unknown}. Then the client begins a
 * new connection, by which it resumes its sessions as far as the agent can.
 *
 * @see HttpServer#store
 */
@Unstable
public final class StreamStore {
    private final Path folder;

    private StreamStore(Path folder) {
        this.folder = folder;
    }

    /**
     * Returns a store in a folder, which is created when the server starts, so that only the user of this process can
     * use it. One server uses it at a time.
     *
     * <p>The messages of agents are in its files, in clear text. They are deleted with their connection, and while it
     * lasts as the {@linkplain ServerLimits#retainedBytes() limits} say for what was sent.
     *
     * <p>A message is with the operating system before a client is sent it, and about a second later on the disk. So
     * the end of this process, however sudden, loses nothing. When the machine loses power, the messages of the last
     * seconds may be missing; a client that has got one of them is told that its position is unknown, and begins anew.
     */
    public static StreamStore in(Path folder) {
        return new StreamStore(folder.toAbsolutePath().normalize());
    }

    Path folder() {
        return folder;
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
