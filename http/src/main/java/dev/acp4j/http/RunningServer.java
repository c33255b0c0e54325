package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.clock.Clock;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server that listens. Thread-safe.
 *
 * <p>The lock guards whether it is closed. It is not held while closing.
 */
@Unstable
public final class RunningServer implements AutoCloseable {
    /** How long agents may take to end, and responses to be written, when the server is closed. */
    private static final long END_NANOS = Duration.ofSeconds(10).toNanos();

    private final HttpServer configuration;
    private final Connections connections;
    private final Runnable front;

    /** Accepts no more connections of the operating system, where that is not left to the end. */
    private final Runnable refuse;

    private final Runnable stop;
    private final URI uri;
    private final String token;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private boolean closing;

    @GuardedBy("lock")
    private boolean closed;

    private volatile @Nullable Clock clock;

    private RunningServer(
            HttpServer configuration,
            Endpoint endpoint,
            Runnable front,
            Runnable refuse,
            Runnable stop,
            URI uri,
            String token) {
        this.configuration = configuration;
        this.connections = endpoint.connections();
        this.front = front;
        this.refuse = refuse;
        this.stop = stop;
        this.uri = uri;
        this.token = token;
        this.time = configuration.time();
    }

    static RunningServer start(
            HttpServer configuration,
            InetAddress bound,
            Authenticator authenticator,
            String token,
            Consumer<? super RemoteClient> agents,
            SecureRandom random)
            throws IOException {
        JettyFront front = new JettyFront(configuration, bound);
        int port = front.bind();
        Guard guard = new Guard(
                configuration.hosts(bound, port),
                configuration.origins(),
                authenticator,
                configuration.path(),
                configuration.time());
        Endpoint endpoint = new Endpoint(configuration, guard, agents, random);
        try {
            endpoint.connections().restore();
            front.start(endpoint);
        } catch (IOException e) {
            front.stop();
            endpoint.connections().close();
            throw e;
        }
        String scheme = configuration.tls() == null ? "http" : "https";
        String host = bound.isAnyLocalAddress() ? "localhost" : bound.getHostAddress();
        URI uri = URI.create(
                scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port + configuration.path());
        return running(new RunningServer(configuration, endpoint, front::tick, () -> {}, front::stop, uri, token));
    }

    static RunningServer startAt(
            Path socket, HttpServer configuration, Consumer<? super RemoteClient> agents, SecureRandom random)
            throws IOException {
        LocalFront front = LocalFront.bind(socket, configuration.limits().messageBytes());
        Guard guard = new Guard(Set.of(), Set.of(), Authenticator.none(), configuration.path(), configuration.time());
        Endpoint endpoint = new Endpoint(configuration, guard, agents, random);
        try {
            endpoint.connections().restore();
        } catch (IOException e) {
            front.stop();
            endpoint.connections().close();
            throw e;
        }
        RunningServer server = running(
                new RunningServer(configuration, endpoint, () -> {}, front::close, front::stop, socket.toUri(), ""));
        front.start(endpoint, fault -> {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.ERROR, "the server ends by a fault", fault);
            server.close();
        });
        return server;
    }

    /** Returns an endpoint whose requests somebody else's server hands to it, which closes this one. */
    static RunningServer inContainer(HttpServer configuration, Endpoint endpoint) throws IOException {
        endpoint.connections().restore();
        return running(new RunningServer(
                configuration, endpoint, () -> {}, () -> {}, () -> {}, URI.create(configuration.path()), ""));
    }

    private static RunningServer running(RunningServer server) {
        server.clock = Clock.start("acp4j-http-clock", server.time, server::tick);
        return server;
    }

    /** Returns where clients find the connections: the URL of the endpoint, or that of the file of its socket. */
    public URI uri() {
        return uri;
    }

    /** Returns the token that was made when the server started; empty when it has another authenticator. */
    public Optional<String> token() {
        return token.isEmpty() ? Optional.empty() : Optional.of(token);
    }

    /** Returns whether it takes connections: not once it is being closed, nor while it has as many as it may have. */
    public boolean isReady() {
        boolean hasRoom = !connections.isFull();
        lock.lock();
        try {
            return hasRoom && !closing;
        } finally {
            lock.unlock();
        }
    }

    /** Does what is due; about once a second. */
    void tick() {
        connections.tick();
        front.run();
    }

    /**
     * Waits until the server is closed.
     *
     * @throws InterruptedException when interrupted; the server goes on
     */
    public void awaitClosed() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Accepts no more connections and requests, lets running turns end and clients read what there is within
     * {@link HttpServer#drainTime}, and ends all connections: streams cleanly, WebSockets with the code 1001. Answers,
     * cancellations and notifications of connected clients are taken until then, and clients that were cut may come
     * back. Interrupted, or called once more meanwhile, it waits for nothing. Blocks until the agents have ended and
     * everything is written, for a bounded time.
     */
    @Override
    public void close() {
        boolean first;
        lock.lock();
        try {
            first = !closing;
            closing = true;
        } finally {
            lock.unlock();
        }
        refuse.run();
        connections.drain();
        boolean interrupted = false;
        if (first) {
            try {
                boolean unused = connections.awaitIdle(configuration.drainTime().toNanos());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        connections.stop();
        try {
            if (!interrupted) {
                boolean unused = connections.awaitEnd(END_NANOS);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        connections.cut();
        stop.run();
        if (first) {
            connections.close();
        }
        Clock running = clock;
        if (running != null) {
            running.close();
        }
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
