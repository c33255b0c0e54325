package dev.acp4j.proxy;

import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the connection to the client, or to the agent, does with messages: each goes to the strand of its session. */
final class Crossing implements Handler {
    private final Ways ways;
    private final boolean ofClient;
    private final boolean bindsAtOnce;
    private final Consumer<Connection> onEnding;

    /** Sessions whose updates are for nobody. */
    private final Set<String> muted = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean isEnding = new AtomicBoolean();
    private volatile @Nullable Connection connection;

    /**
     * Creates one.
     *
     * @param onEnding what is done once when the connection begins to end
     */
    Crossing(Ways ways, boolean ofClient, Consumer<Connection> onEnding) {
        this(ways, ofClient, true, onEnding);
    }

    private Crossing(Ways ways, boolean ofClient, boolean bindsAtOnce, Consumer<Connection> onEnding) {
        this.bindsAtOnce = bindsAtOnce;
        this.ways = ways;
        this.ofClient = ofClient;
        this.onEnding = onEnding;
    }

    /** Returns one for an agent that takes the place of another: nothing is sent to it before it is bound. */
    static Crossing replacement(Ways ways, Consumer<Connection> onEnding) {
        return new Crossing(ways, false, false, onEnding);
    }

    /** Drops the notifications of a session: it is being replayed. */
    void mute(String session) {
        muted.add(session);
    }

    void unmute(String session) {
        muted.remove(session);
    }

    @Override
    public void bound(Connection bound) {
        connection = bound;
        if (bindsAtOnce) {
            bind(ways.newest());
        }
    }

    /** Has a strand send to the connection from now on. */
    void bind(Strand strand) {
        strand.ends(ofClient).bind(connection());
    }

    Connection connection() {
        return Objects.requireNonNull(connection);
    }

    @Override
    public void ending() {
        Connection known = connection;
        if (known != null && isEnding.compareAndSet(false, true)) {
            onEnding.accept(known);
        }
    }

    @Override
    public @Nullable Acceptance request(IncomingRequest request) throws InterruptedException {
        return ways.enter(request, ofClient).ends(ofClient).request(connection(), request);
    }

    @Override
    public @Nullable Delivery notification(Message message) throws InterruptedException {
        if (!muted.isEmpty() && muted.contains(message.session())) {
            return null;
        }
        return ways.of(message.session(), ofClient).ends(ofClient).notification(connection(), message);
    }
}
