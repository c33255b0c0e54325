package dev.acp4j.cli.connect;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** The way between a client and a server, which a test can cut, close, and turn into a black hole. */
public final class TcpPath implements AutoCloseable {
    private final ServerSocket listening;
    private final String scheme;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Semaphore refused = new Semaphore(0);
    private final Semaphore connections = new Semaphore(0);
    private final Semaphore swallowed = new Semaphore(0);
    private volatile int serverPort;
    private volatile boolean refuses;
    private volatile boolean swallows;
    private volatile Duration longestIdle = Duration.ZERO;
    private volatile int upgradeStatus = -1;
    private final List<String> upgrades = new CopyOnWriteArrayList<>();

    public TcpPath(String scheme) throws IOException {
        this(scheme, new ServerSocket(0, 256, InetAddress.getLoopbackAddress()));
    }

    /** With TLS for the client alone, which is offered no HTTP/2. */
    public TcpPath(SSLContext ssl) throws IOException {
        this("https", ssl.getServerSocketFactory().createServerSocket(0, 256, InetAddress.getLoopbackAddress()));
    }

    private TcpPath(String scheme, ServerSocket listening) {
        this.scheme = scheme;
        this.listening = listening;
        start(this::accept);
    }

    private static void start(Runnable body) {
        Thread unused = Thread.ofVirtual().name("tcp-path").start(body);
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

    /** Cuts all connections. */
    public void cut() {
        open.forEach(TcpPath::close);
    }

    /** Cuts all connections, and new ones as soon as they come. */
    public void refuse(boolean refuses) {
        this.refuses = refuses;
        if (refuses) {
            cut();
        }
    }

    /** Waits until that many more connections have been refused. */
    public void awaitRefused(int count) throws InterruptedException {
        int unused = refused.drainPermits();
        refused.acquire(count);
    }

    /** Takes what comes, and lets it go nowhere. Connections that have been in it stay useless. */
    public void swallow(boolean swallows) {
        this.swallows = swallows;
        int unused = connections.drainPermits();
    }

    /** Waits until something has been swallowed for so many times. */
    public void awaitSwallowed(int count) throws InterruptedException {
        swallowed.acquire(count);
    }

    /** Waits for a connection that has come since {@link #swallow} was called. */
    public void awaitConnection() throws InterruptedException {
        connections.acquire();
    }

    /** Cuts connections on which nothing comes for so long. */
    public void cutIdle(Duration longest) {
        longestIdle = longest;
    }

    /** Answers requests for an upgrade with a status, or never when it is 0. */
    public void answerUpgrades(int status) {
        upgradeStatus = status;
    }

    /** Returns what upgrades were asked for. */
    public List<String> upgrades() {
        return upgrades;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                if (refuses) {
                    close(client);
                    refused.release();
                    continue;
                }
                Socket server = connected();
                if (server == null) {
                    close(client);
                    refused.release();
                    continue;
                }
                open.add(client);
                open.add(server);
                connections.release();
                start(() -> pass(client, server, true));
                start(() -> pass(server, client, false));
            }
        } catch (IOException e) {
            cut();
        }
    }

    /** Returns a connection to the server; null while nothing listens there. */
    private @Nullable Socket connected() throws IOException {
        try {
            return new Socket(InetAddress.getLoopbackAddress(), serverPort);
        } catch (ConnectException e) {
            return null;
        }
    }

    private void pass(Socket from, Socket to, boolean isOfClient) {
        boolean isLost = false;
        try {
            if (from instanceof SSLSocket secure) {
                secure.startHandshake();
            }
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8192];
            int count = read(from, in, buffer);
            while (count >= 0) {
                isLost |= swallows;
                if (isLost) {
                    swallowed.release();
                }
                if (isOfClient && isAnswered(from, new String(buffer, 0, count, StandardCharsets.ISO_8859_1))) {
                    // Nothing of it arrives.
                } else if (!isLost) {
                    out.write(buffer, 0, count);
                }
                count = read(from, in, buffer);
            }
        } catch (IOException e) {
            // It is over.
        }
        if (!isLost) {
            close(from);
            close(to);
        }
    }

    /** Returns whether a request for an upgrade was answered here. */
    private boolean isAnswered(Socket client, String head) throws IOException {
        int at = head.toLowerCase(Locale.ROOT).indexOf("\r\nupgrade: ");
        if (at < 0) {
            return false;
        }
        upgrades.add(head.substring(at + 11).lines().findFirst().orElse(""));
        int status = upgradeStatus;
        if (status > 0) {
            client.getOutputStream()
                    .write(("HTTP/1.1 " + status + " No\r\nContent-Length: 0\r\n\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
        }
        return status >= 0;
    }

    private int read(Socket from, InputStream in, byte[] buffer) throws IOException {
        while (true) {
            Duration idle = longestIdle;
            try {
                from.setSoTimeout(idle.isZero() ? 50 : (int) idle.toMillis());
                return in.read(buffer);
            } catch (SocketTimeoutException e) {
                if (!idle.isZero()) {
                    throw e;
                }
            }
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
