package dev.acp4j.mcp;

import dev.acp4j.SessionSetup;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A session that passes a proxy with tools of its own, for the tools of that session: see
 * {@link ToolServer.ForSession}. Thread-safe.
 */
@Unstable
public final class ProxySession {
    private final Neighbour client;
    private final Neighbour agent;
    private final Version version;
    private final @Nullable SessionSetup setup;
    private final boolean connectsServers;
    private final CountDownLatch isOpened = new CountDownLatch(1);
    private volatile SessionId id;

    ProxySession(Hop hop, boolean connectsServers, @Nullable SessionSetup setup, @Nullable String known) {
        this.client = hop.client();
        this.agent = hop.agent();
        this.version = hop.version();
        this.connectsServers = connectsServers;
        this.setup = setup;
        this.id = SessionId.of(known == null ? "" : known);
        if (known != null) {
            isOpened.countDown();
        }
    }

    void opened(String value) {
        id = SessionId.of(value);
        isOpened.countDown();
    }

    /** Returns whether it is this session; false as long as it is being opened. */
    boolean is(Neighbour of, SessionId value) {
        return client.equals(of) && id.equals(value);
    }

    /** Returns the client. */
    public Neighbour client() {
        return client;
    }

    /** Returns the agent. */
    public Neighbour agent() {
        return agent;
    }

    /** Returns the version of the protocol that both sides speak. */
    public Version version() {
        return version;
    }

    /** Returns whether the agent connects MCP servers at all. If not, a session with servers is refused. */
    public boolean connectsServers() {
        return connectsServers;
    }

    /** Returns the folders of the session; empty when they are none of this machine. */
    public Optional<SessionSetup> setup() {
        return Optional.ofNullable(setup);
    }

    /**
     * Returns the id. The agent gives it with its answer, and this waits for that: call it when a tool runs, not before
     * the session is opened.
     *
     * @throws InterruptedException when interrupted, as a tool is when its session ends
     */
    public SessionId id() throws InterruptedException {
        isOpened.await();
        return id;
    }
}
