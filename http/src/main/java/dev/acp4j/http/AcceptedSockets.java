package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;

/**
 * The sockets that are open at the server: so many of an address, and none without a request for long. Jetty forgets
 * those that it accepts while it stops: they would stay open, and their clients would wait for an answer.
 *
 * <p>The lock guards which sockets there are. Nothing is closed while it is held.
 */
final class AcceptedSockets implements SelectorManager.AcceptListener {
    /**
     * How long a client may take for TLS and the headers of its first request. Jetty's time begins anew at each byte.
     */
    private static final Duration FIRST_REQUEST = Duration.ofSeconds(30);

    private static final int NETWORK_BYTES = 8;

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

    /** Those that have sent no request yet. */
    private final Map<SelectableChannel, Waiting> waiting = new ConcurrentHashMap<>();

    private record Waiting(EndPoint endPoint, long since) {}

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
        InetAddress network = network(address);
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

    /** A machine with one address of IPv6 has a whole network of them, so that counts as one. */
    private static InetAddress network(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address;
        }
        byte[] bytes = address.getAddress();
        Arrays.fill(bytes, NETWORK_BYTES, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // It has as many bytes as it had.
        }
    }

    /** Jetty reads from it now. */
    void begins(SelectableChannel channel, EndPoint endPoint) {
        waiting.put(channel, new Waiting(endPoint, time.nanoTime()));
    }

    /** Its first request has come, or a further one. */
    void requests(EndPoint endPoint) {
        if (ProxyProtocol.unwrapped(endPoint).getTransport() instanceof SelectableChannel channel) {
            Waiting unused = waiting.remove(channel);
        }
    }

    /** Closes those whose first request takes too long. */
    void tick() {
        long now = time.nanoTime();
        for (Iterator<Waiting> each = waiting.values().iterator(); each.hasNext(); ) {
            Waiting next = each.next();
            if (now - next.since >= FIRST_REQUEST.toNanos()) {
                each.remove();
                next.endPoint.close(new TimeoutException("no request within " + FIRST_REQUEST.toSeconds() + " s"));
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
        Waiting unused = waiting.remove(channel);
        lock.lock();
        try {
            InetAddress address = open.remove(channel);
            if (address != null) {
                Integer unusedToo = ofAddress.computeIfPresent(address, (of, count) -> count == 1 ? null : count - 1);
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
