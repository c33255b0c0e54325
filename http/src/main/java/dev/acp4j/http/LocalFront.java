package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Listens at a Unix domain socket, where each connection is used like a WebSocket: one JSON message per line of text.
 * Every process that can open the file can use the server.
 */
final class LocalFront {
    private static final Authenticator.Allowed OWNER = new Authenticator.Allowed(Principal.of("owner"));

    /** How long nothing is accepted after a failure, such as that of a process without file descriptors. */
    private static final long PAUSE_MILLIS = 200;

    private final Path path;
    private final int messageBytes;
    private final ServerSocketChannel channel;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);

    private LocalFront(Path path, int messageBytes, ServerSocketChannel channel) {
        this.path = path;
        this.messageBytes = messageBytes;
        this.channel = channel;
    }

    /**
     * Takes the file, at which nobody is answered yet. A socket that a server has left behind is replaced.
     *
     * @throws IOException when a server listens there, something else has that name, or it cannot be made
     */
    static LocalFront bind(Path path, int messageBytes) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            deleteUnused(path, address);
            ServerSocketChannel unused = channel.bind(address);
            if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Path unusedToo = Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            }
            return new LocalFront(path, messageBytes, channel);
        } catch (IOException e) {
            channel.close();
            throw new IOException("cannot listen at " + path + ": " + e.getMessage(), e);
        }
    }

    /** Deletes what is a socket and refuses connections, and nothing else. */
    private static void deleteUnused(Path path, UnixDomainSocketAddress address) throws IOException {
        try {
            if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .isOther()) {
                throw new IOException("this file is no socket; choose another name");
            }
        } catch (NoSuchFileException e) {
            return;
        }
        try (SocketChannel probe = SocketChannel.open(address)) {
            throw new IOException(
                    probe.isConnected() ? "another server listens there" : "it is not known whether a server listens");
        } catch (ConnectException e) {
            Files.delete(path);
        }
    }

    /** @param onFault closes the server, which would not be reached any more */
    void start(Endpoint endpoint, Consumer<? super HttpFailure> onFault) {
        HttpThreads.start("acp4j-http-accept", () -> accept(endpoint), onFault);
    }

    private void accept(Endpoint endpoint) {
        boolean hasFailed = false;
        while (channel.isOpen()) {
            try {
                Link link = new Link(endpoint, channel.accept());
                hasFailed = false;
                links.add(link);
                if (channel.isOpen()) {
                    link.start();
                } else {
                    link.abort();
                }
            } catch (IOException e) {
                if (channel.isOpen() && !hasFailed) {
                    System.getLogger("dev.acp4j.http")
                            .log(System.Logger.Level.WARNING, "connections are not accepted for now", e);
                }
                hasFailed = true;
                pause();
            }
        }
    }

    private void pause() {
        try {
            boolean unused = closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
        }
    }

    /**
     * Accepts no more connections: the next one finds no file, and may start another server. The file is deleted first,
     * since afterwards it could be that of another server.
     */
    void close() {
        if (closed.getCount() == 0) {
            return;
        }
        closed.countDown();
        try {
            boolean unused = Files.deleteIfExists(path);
            channel.close();
        } catch (IOException e) {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.WARNING, "the server did not stop cleanly", e);
        }
    }

    /** Ends all connections. */
    void stop() {
        close();
        links.forEach(Link::abort);
    }

    /** A connection. */
    private final class Link implements Exchange.Link, FrameCarrier.Listener {
        private final Endpoint endpoint;
        private final FrameCarrier carrier;
        private volatile @Nullable SocketSession session;

        Link(Endpoint endpoint, SocketChannel accepted) {
            this.endpoint = endpoint;
            InputStream in = new FilterInputStream(Channels.newInputStream(accepted)) {
                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    int count = super.read(bytes, from, length);
                    SocketSession open = session;
                    if (open != null) {
                        open.heard();
                    }
                    return count;
                }
            };
            this.carrier = new FrameCarrier(
                    new TwoLimits(
                            StreamTransport.of(in, OutputStream.nullOutputStream(), messageBytes),
                            // With a cursor, a message of an agent may be larger than one of a client.
                            StreamTransport.of(
                                    InputStream.nullInputStream(),
                                    new ProgressOutputStream(Channels.newOutputStream(accepted), this::progressed),
                                    Integer.MAX_VALUE)),
                    this);
        }

        private void progressed() {
            carrier.progressed();
        }

        void start() {
            carrier.start(Thread.ofVirtual()
                    .name("acp4j-http-line")
                    .inheritInheritableThreadLocals(false)
                    .factory());
        }

        @Override
        public void heard(boolean isMessage) {
            // Each part of what comes counts.
        }

        @Override
        public void opened(String connectionId) {
            if (session != null) {
                close(SocketCodes.PROTOCOL, "the line is open already");
                return;
            }
            try {
                SocketSession made = endpoint.session(OWNER, connectionId.isEmpty() ? null : connectionId);
                carrier.open(made.id(), failure -> {});
                session = made;
                made.open(this);
            } catch (Refusal refusal) {
                close(
                        refusal.answer().status() == 404 ? SocketCodes.POLICY : SocketCodes.TRY_AGAIN,
                        Raw.text(refusal.answer().body(), "message"));
            }
        }

        @Override
        public void received(Message message, Runnable next) throws InterruptedException {
            SocketSession open = session;
            if (open == null) {
                close(SocketCodes.PROTOCOL, "the first message must be " + Wire.OPEN);
                next.run();
            } else {
                open.message(message, next);
            }
        }

        @Override
        public void confirmed(long number) {
            SocketSession open = session;
            if (open != null) {
                open.pong(number);
            }
        }

        @Override
        public void ended(int code, String reason, @Nullable Throwable failure) {
            links.remove(this);
            SocketSession open = session;
            if (open != null) {
                open.closed(code);
            }
        }

        @Override
        public void send(RawJson text, Runnable progress, Consumer<@Nullable Throwable> done) {
            carrier.send(Message.parse(text), progress, done);
        }

        @Override
        public void ping(long number) {
            carrier.ping(number, failure -> {});
        }

        @Override
        public void close(int code, String reason) {
            carrier.close(code, reason, false);
        }

        @Override
        public void abort() {
            carrier.cut();
        }
    }

    /** Both directions of a connection, each with its own limit. */
    private record TwoLimits(Transport in, Transport out) implements Transport {
        @Override
        public Transport.Reader reader() {
            return in.reader();
        }

        @Override
        public Transport.Writer writer() {
            return out.writer();
        }

        @Override
        public void close() {
            in.close();
            out.close();
        }
    }
}
