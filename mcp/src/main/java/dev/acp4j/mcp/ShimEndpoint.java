package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A server for one session, for an agent that only starts programs: the program is {@link ToolShim}, which connects to
 * a port of the loopback interface here and begins with the token in its environment. Each start of it is a client of
 * its own.
 *
 * <p>The lock guards who is connected; nothing is waited for while it is held.
 */
final class ShimEndpoint implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");

    /** How long a program has to begin with the token. */
    private static final Duration TOKEN = Duration.ofSeconds(10);

    /** How long accepting pauses after a failure: the system may be out of files for a while. */
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final McpServer.Acp server;
    private final Face.Provider provider;
    private final Duration tokenTime;
    private final String token = UUID.randomUUID().toString() + UUID.randomUUID();
    private final ServerSocketChannel port = ServerSocketChannel.open();
    private final McpServer.Stdio declaration;

    /** Folders and files of the program, if it had to be written, the outer ones first. */
    private final List<Path> copied = new ArrayList<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    @GuardedBy("lock")
    private final Set<AutoCloseable> open = new HashSet<>();

    @GuardedBy("lock")
    private boolean closed;

    /** @throws IOException when no port can be opened */
    ShimEndpoint(McpServer.Acp server, Face.Provider provider) throws IOException {
        this(server, provider, TOKEN);
    }

    ShimEndpoint(McpServer.Acp server, Face.Provider provider, Duration tokenTime) throws IOException {
        this.server = server;
        this.provider = new RunningCalls().around(provider);
        this.tokenTime = tokenTime;
        try {
            port.bind(new InetSocketAddress(Loopback.ADDRESS, 0));
            declaration = declare();
        } catch (IOException | RuntimeException e) {
            close(port);
            deleteCopies();
            throw e;
        }
        thread(this::accept).start();
    }

    private static Thread thread(Runnable task) {
        return Thread.ofPlatform().daemon().name("acp4j-mcp-shim").unstarted(task);
    }

    /** Returns the program that an agent starts. */
    McpServer.Stdio declaration() {
        return declaration;
    }

    private McpServer.Stdio declare() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        int number = ((InetSocketAddress) port.getLocalAddress()).getPort();
        return new McpServer.Stdio(
                server.name(),
                java,
                List.of(
                        // It runs too little to be compiled: that would only cost time and memory.
                        "-Xint",
                        "-XX:+UseSerialGC",
                        "-XX:-UsePerfData",
                        "-Xshare:auto",
                        "-cp",
                        classes(),
                        ToolShim.class.getName()),
                List.of(EnvVariable.of(ToolShim.PORT, Integer.toString(number)), EnvVariable.of(ToolShim.TOKEN, token)),
                server.rest());
    }

    /** Returns where another JVM finds the program: not in a jar within a jar, nor in an image of the JDK. */
    private String classes() throws IOException {
        CodeSource source = ToolShim.class.getProtectionDomain().getCodeSource();
        if (source == null || !source.getLocation().getProtocol().equals("file")) {
            return copyClasses().toString();
        }
        try {
            return Path.of(source.getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IOException("the classes of acp4j-mcp are no file", e);
        }
    }

    /** Writes the program into a folder that nobody else may write to. */
    private Path copyClasses() throws IOException {
        Path root = Files.createTempDirectory("acp4j-mcp-");
        copied.add(root);
        Path at = root;
        for (String name : ToolShim.class.getPackageName().split("\\.", -1)) {
            at = Files.createDirectory(at.resolve(name));
            copied.add(at);
        }
        for (Class<?> each : List.of(ToolShim.class, Loopback.class)) {
            String name = each.getSimpleName() + ".class";
            Path file = at.resolve(name);
            copied.add(file);
            try (InputStream from = Objects.requireNonNull(each.getResourceAsStream(name), name)) {
                Files.write(file, from.readAllBytes());
            }
        }
        return root;
    }

    private void deleteCopies() {
        for (Path each : copied.reversed()) {
            try {
                boolean unused = Files.deleteIfExists(each);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.INFO, () -> each + " is left: " + e);
            }
        }
    }

    private void accept() {
        while (true) {
            try {
                SocketChannel channel = port.accept();
                if (keep(channel)) {
                    thread(() -> greet(channel)).start();
                }
            } catch (IOException e) {
                if (!goesOn(e)) {
                    return;
                }
            }
        }
    }

    /** Waits a while after a failure, unless the reason is that this was closed. */
    private boolean goesOn(IOException failure) {
        lock.lock();
        try {
            if (closed || !port.isOpen()) {
                return false;
            }
            LOG.log(System.Logger.Level.WARNING, "a program cannot reach the tools of " + server.name(), failure);
            long left = PAUSE_NANOS;
            while (!closed && left > 0) {
                left = ended.awaitNanos(left);
            }
            return !closed;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean keep(AutoCloseable one) {
        lock.lock();
        try {
            if (!closed) {
                return open.add(one);
            }
        } finally {
            lock.unlock();
        }
        close(one);
        return false;
    }

    private void greet(SocketChannel channel) {
        try {
            channel.socket().setSoTimeout(Math.toIntExact(tokenTime.toMillis()));
            byte[] first = channel.socket().getInputStream().readNBytes(token.length() + 1);
            byte[] expected = (token + "\n").getBytes(StandardCharsets.UTF_8);
            if (!MessageDigest.isEqual(expected, first)) {
                return;
            }
            try (Connection connection = Face.serve(server.name(), StreamTransport.of(channel), provider)) {
                if (keep(connection)) {
                    connection.awaitClosed();
                }
                forget(connection);
            }
        } catch (IOException e) {
            // It is gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            forget(channel);
            close(channel);
        }
    }

    private void forget(AutoCloseable one) {
        lock.lock();
        try {
            open.remove(one);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        List<AutoCloseable> all;
        lock.lock();
        try {
            closed = true;
            ended.signalAll();
            all = List.copyOf(open);
        } finally {
            lock.unlock();
        }
        close(port);
        provider.close();
        all.forEach(ShimEndpoint::close);
        deleteCopies();
    }

    private static void close(@Nullable AutoCloseable one) {
        try {
            if (one != null) {
                one.close();
            }
        } catch (Exception e) {
            // It is closed.
        }
    }
}
