package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that are open at the server: so many of an address, and none whose request is long in coming. Jetty
 * forgets those that it accepts while it stops: they would stay open, and their clients would wait for an answer.
 *
 * <p>The lock guards which sockets there are. Nothing is closed while it is held.
 */
final class AcceptedSockets implements SelectorManager.AcceptListener {
    /**
     * How long a client may take for TLS and the headers of its first request, and for those of each further one, from
     * their first byte on. Jetty's time begins anew at each byte.
     */
    private static final Duration MOST_HEADERS = Duration.ofSeconds(30);

    private final int mostOfAddress;
    private final Set<InetAddress> proxies;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<SelectableChannel, InetAddress> open = new HashMap<>();

    @GuardedBy("lock")
    private final Map<InetAddress, Integer> ofAddress = new HashMap<>();

    @GuardedBy("lock")
    private boolean isStopped;

    /** Those that have begun a request of which no handler knows yet, the first one of a socket with its first byte. */
    private final Set<Accepted> arriving = ConcurrentHashMap.newKeySet();

    /**
     * @param mostOfAddress how many there may be of one address
     * @param proxies the addresses that may have any number
     */
    AcceptedSockets(int mostOfAddress, Set<InetAddress> proxies, Time time) {
        this.mostOfAddress = mostOfAddress;
        this.proxies = proxies;
        this.time = time;
    }

    /** Adds one, before Jetty does anything else with it, or closes it. Returns whether its address may have it. */
    boolean add(SocketChannel channel) {
        InetAddress address = channel.socket().getInetAddress();
        InetAddress network = Network.of(address);
        boolean fits;
        boolean closes;
        lock.lock();
        try {
            fits = proxies.contains(address) || ofAddress.getOrDefault(network, 0) < mostOfAddress;
            closes = isStopped || !fits;
            if (!closes) {
                open.put(channel, network);
                ofAddress.merge(network, 1, Integer::sum);
            }
        } finally {
            lock.unlock();
        }
        if (closes) {
            close(channel);
        }
        return fits;
    }

    /** One of them, from which Jetty reads. */
    final class Accepted extends SocketChannelEndPoint {
        private volatile long since = time.nanoTime();

        /** What spoke HTTP/1 here at the last request; null before the first one. */
        private volatile @Nullable Connection http;

        /** Whether its last request has been answered, and nothing of a further one has come. */
        private volatile boolean isAnswered;

        Accepted(SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler) {
            super(channel, selector, key, scheduler);
            arriving.add(this);
        }

        @Override
        public int fill(ByteBuffer buffer) throws IOException {
            int bytes = super.fill(buffer);
            // What came in one piece with the end of the last request has no time until its next byte.
            if (bytes > 0 && isAnswered) {
                isAnswered = false;
                since = time.nanoTime();
                arriving.add(this);
            }
            return bytes;
        }

        /** A request has come. */
        private void requested() {
            isAnswered = false;
            arriving.remove(this);
        }

        private void answered(Connection by) {
            http = by;
            isAnswered = true;
        }

        /** A WebSocket has come in the place of HTTP, and has more to say than requests. */
        private boolean isOther() {
            Connection before = http;
            return before != null && !before.equals(before.getEndPoint().getConnection());
        }

        @Override
        public void onClose(@Nullable Throwable cause) {
            arriving.remove(this);
            super.onClose(cause);
        }
    }

    /** A request has come over this connection. */
    void requested(Connection over) {
        if (ProxyProtocol.unwrapped(over.getEndPoint()) instanceof Accepted accepted) {
            accepted.requested();
        }
    }

    /** A request over this connection of HTTP/1 is about to be answered to its end: what comes next is another one. */
    void answered(Connection over) {
        if (ProxyProtocol.unwrapped(over.getEndPoint()) instanceof Accepted accepted) {
            accepted.answered(over);
        }
    }

    /** Closes those whose request takes too long. */
    void tick() {
        long now = time.nanoTime();
        for (Accepted accepted : List.copyOf(arriving)) {
            if (now - accepted.since >= MOST_HEADERS.toNanos() && arriving.remove(accepted) && !accepted.isOther()) {
                accepted.close(new TimeoutException("no request within " + MOST_HEADERS.toSeconds() + " s"));
            }
        }
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        remove(channel);
    }

    @Override
    public void onClosed(SelectableChannel channel) {
        remove(channel);
    }

    private void remove(SelectableChannel channel) {
        lock.lock();
        try {
            InetAddress address = open.remove(channel);
            if (address != null) {
                Integer unused = ofAddress.computeIfPresent(address, (of, count) -> count == 1 ? null : count - 1);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes those that are still open, when the server has stopped. */
    void close() {
        List<SelectableChannel> left;
        lock.lock();
        try {
            isStopped = true;
            left = List.copyOf(open.keySet());
        } finally {
            lock.unlock();
        }
        left.forEach(AcceptedSockets::close);
    }

    private static void close(SelectableChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.WARNING, "a socket was not closed", e);
        }
    }
}
