package dev.acp4j.http;

import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy between a client and a server that cuts connections: all of them when a test says so, or after a number
 * of bytes. It knows nothing of HTTP, so cuts fall anywhere.
 */
public final class CuttingProxy implements AutoCloseable {
    private final ServerSocket listening;
    private volatile int serverPort;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger cuts = new AtomicInteger();

    /** Whether connections are ended as soon as they come, as where nothing listens. */
    private volatile boolean refuses;

    /** Whether what comes is taken and goes nowhere. */
    private volatile boolean swallows;

    private final Semaphore swallowed = new Semaphore(0);
    private final Semaphore connections = new Semaphore(0);
    private final Semaphore refused = new Semaphore(0);

    /** How many bytes pass before something is cut; no limit when it is negative. */
    private final AtomicLong budget = new AtomicLong(-1);

    /** What the responses begin with of which every second is lost; empty for none. */
    private volatile String lost = "";

    private final AtomicInteger seen = new AtomicInteger();

    private final String scheme;
    private volatile @Nullable Random random;
    private volatile int mostBytes;
    private volatile Duration longestStall = Duration.ZERO;

    /** How many bytes of a client pass in a second; any number when it is 0. */
    private volatile int trickle;

    public CuttingProxy() throws IOException {
        this("http");
    }

    CuttingProxy(String scheme) throws IOException {
        this.scheme = scheme;
        this.listening = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    private static void start(Runnable body) {
        Thread unused = Thread.ofVirtual().name("cutting-proxy").start(body);
    }

    public URI uri() {
        return URI.create(scheme + "://127.0.0.1:" + listening.getLocalPort() + "/acp");
    }

    /** Returns host and port, as a client names them. */
    public String host() {
        return uri().getAuthority();
    }

    public void leadTo(URI server) {
        serverPort = server.getPort();
    }

    int cuts() {
        return cuts.get();
    }

    /** Cuts everything once this many bytes have passed. */
    void cutAfter(long bytes) {
        budget.set(bytes);
    }

    /**
     * Cuts after a random number of bytes, again and again: everything or the one connection that has got so far, by an
     * end or by a reset.
     */
    void keepCutting(Random random, int mostBytes) {
        this.mostBytes = mostBytes;
        this.random = random;
        cutAfter(1 + random.nextInt(mostBytes));
    }

    /** Lets no byte pass for a random time now and then. */
    void keepStalling(Duration longest) {
        longestStall = longest;
    }

    /** Lets at most so many bytes a second pass from clients to the server. */
    void trickle(int bytesASecond) {
        trickle = bytesASecond;
    }

    /** Cuts a connection when a response comes that begins so, every second time: the request was taken. */
    void loseEverySecond(String response) {
        lost = response;
    }

    private boolean isLost(byte[] buffer, int count) {
        String beginning = lost;
        return !beginning.isEmpty()
                && new String(buffer, 0, Math.min(count, beginning.length()), StandardCharsets.ISO_8859_1)
                        .equals(beginning)
                && seen.incrementAndGet() % 2 == 0;
    }

    void stopCutting() {
        random = null;
        longestStall = Duration.ZERO;
        budget.set(-1);
    }

    /** Cuts all connections now. */
    void cut() {
        int unused = cuts.incrementAndGet();
        open.forEach(CuttingProxy::close);
    }

    /** Cuts all connections, and refuses new ones. */
    public void refuse(boolean refuses) {
        this.refuses = refuses;
        if (refuses) {
            cut();
        }
    }

    /** Waits until that many more connections have been refused. */
    void awaitRefused(int count) throws InterruptedException {
        int unused = refused.drainPermits();
        refused.acquire(count);
    }

    /** Becomes a black hole: what comes is taken, and goes nowhere. Connections that have been in it stay useless. */
    void swallow(boolean swallows) {
        this.swallows = swallows;
        int unused = connections.drainPermits();
    }

    /** Waits until something has been swallowed. */
    void awaitSwallowed() throws InterruptedException {
        swallowed.acquire();
    }

    /** Waits for a connection that has come since {@link #swallow} was called. */
    void awaitConnection() throws InterruptedException {
        connections.acquire();
    }

    private void accept() {
        try {
            while (true) {
                lead(listening.accept());
            }
        } catch (IOException e) {
            // The test is over.
            cut();
        }
    }

    private void lead(Socket client) {
        if (refuses) {
            close(client);
            refused.release();
            return;
        }
        Socket behind = new Socket();
        open.add(client);
        open.add(behind);
        try {
            behind.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
        } catch (IOException e) {
            // A cut came first.
            close(client);
            open.remove(client);
            open.remove(behind);
            return;
        }
        connections.release();
        start(() -> copy(client, behind, true));
        start(() -> copy(behind, client, false));
    }

    private void copy(Socket from, Socket to, boolean isOfClient) {
        byte[] buffer = new byte[4096];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            boolean isLost = false;
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                isLost |= swallows;
                if (isLost) {
                    // Bytes are missing, so what follows cannot pass either.
                    swallowed.release();
                    continue;
                }
                if (isLost(buffer, count)) {
                    int unused = cuts.incrementAndGet();
                    return;
                }
                int passed = pass(count);
                try {
                    out.write(buffer, 0, passed);
                    out.flush();
                } finally {
                    // Nothing is cut any more until this is done, so it is done also when the receiver has just left.
                    if (passed < count) {
                        cut(from, to);
                    }
                }
                if (passed < count) {
                    return;
                }
                stall();
                if (isOfClient && trickle > 0) {
                    pause(1_000_000_000L * passed / trickle);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // One side was cut, so the other is, too.
            open.remove(from);
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private void cut(Socket from, Socket to) throws IOException {
        Random chance = random;
        if (chance == null) {
            cut();
            return;
        }
        try {
            if (chance.nextBoolean()) {
                from.setSoLinger(true, 0);
                to.setSoLinger(true, 0);
            }
            if (chance.nextBoolean()) {
                cut();
            } else {
                int unused = cuts.incrementAndGet();
                close(from);
                close(to);
            }
        } finally {
            cutAfter(1 + chance.nextInt(mostBytes));
        }
    }

    private void stall() throws InterruptedException {
        Random chance = random;
        long longest = longestStall.toNanos();
        if (chance == null || longest == 0 || chance.nextInt(50) > 0) {
            return;
        }
        pause((long) (longest * chance.nextDouble()));
    }

    private static void pause(long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        ReentrantLock lock = new ReentrantLock();
        Condition never = lock.newCondition();
        lock.lock();
        try {
            for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
                Time.SYSTEM.await(lock, never, left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many of these bytes pass; the budget is used up by the first cut. */
    private int pass(int count) {
        long left = budget.get();
        if (left < 0) {
            return count;
        }
        if (left >= count) {
            return budget.compareAndSet(left, left - count) ? count : pass(count);
        }
        return budget.compareAndSet(left, -1) ? (int) left : pass(count);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
