package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.StreamTransport;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Listens at a Unix domain socket, where each connection is used like a WebSocket: what is a frame there is a line
 * here. Who may open the file may use the server.
 */
final class LocalFront {
    private static final Authenticator.Allowed OWNER = new Authenticator.Allowed(Principal.of("owner"));

    /** A client that takes so much lives. */
    private static final int PART_BYTES = 64 * 1024;

    private final Path path;
    private final int messageBytes;
    private final ServerSocketChannel channel;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();

    private LocalFront(Path path, int messageBytes, ServerSocketChannel channel) {
        this.path = path;
        this.messageBytes = messageBytes;
        this.channel = channel;
    }

    /**
     * Takes the file, at which nobody is answered yet. One that a server has left behind is replaced.
     *
     * @throws IOException when a server listens there, or it cannot be made
     */
    static LocalFront bind(Path path, int messageBytes) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            if (Files.exists(path)) {
                if (isAnswered(address)) {
                    throw new IOException("another server listens there");
                }
                Files.delete(path);
            }
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

    private static boolean isAnswered(UnixDomainSocketAddress address) {
        try (SocketChannel probe = SocketChannel.open(address)) {
            return probe.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    void start(Endpoint endpoint) {
        HttpThreads.start("acp4j-http-accept", () -> accept(endpoint));
    }

    private void accept(Endpoint endpoint) {
        while (channel.isOpen()) {
            try {
                Link link = new Link(endpoint, channel.accept());
                links.add(link);
                HttpThreads.start("acp4j-http-line", link::read);
                HttpThreads.start("acp4j-http-line", link::write);
            } catch (IOException e) {
                if (channel.isOpen()) {
                    System.getLogger("dev.acp4j.http").log(System.Logger.Level.WARNING, "a line was not accepted", e);
                }
            }
        }
    }

    void stop() {
        try {
            channel.close();
            boolean unused = Files.deleteIfExists(path);
        } catch (IOException e) {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.WARNING, "the server did not stop cleanly", e);
        }
        links.forEach(Link::abort);
    }

    /** One line. One thread reads and one writes. */
    private final class Link implements Exchange.Link {
        /** What is to be written; {@code code} is that of the end behind it, or 0. */
        private record Outgoing(Message message, Runnable progress, Consumer<@Nullable Throwable> done, int code) {}

        private final Endpoint endpoint;
        private final StreamTransport transport;
        private final BlockingQueue<Outgoing> outgoing = new LinkedBlockingQueue<>();

        /** Has a permit when the next message may be read. */
        private final Semaphore room = new Semaphore(0);

        private final AtomicBoolean closed = new AtomicBoolean();
        private volatile @Nullable SocketSession session;
        private volatile Runnable progress = () -> {};

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
            OutputStream out = Channels.newOutputStream(accepted);
            this.transport = StreamTransport.of(in, new InParts(out), messageBytes);
        }

        /** Tells after each part that it was taken. */
        private final class InParts extends OutputStream {
            private final OutputStream out;

            InParts(OutputStream out) {
                this.out = out;
            }

            @Override
            public void write(int b) throws IOException {
                out.write(b);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                for (int at = 0; at < length; at += PART_BYTES) {
                    out.write(bytes, from + at, Math.min(PART_BYTES, length - at));
                    progress.run();
                }
            }

            @Override
            public void close() throws IOException {
                out.close();
            }
        }

        void read() {
            try {
                for (Message next = transport.reader().read();
                        next != null;
                        next = transport.reader().read()) {
                    take(next);
                }
            } catch (IOException e) {
                // It was cut.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                finish(SocketCodes.CUT);
            }
        }

        private void take(Message message) throws InterruptedException {
            SocketSession open = session;
            if (open == null) {
                begin(message);
                return;
            }
            switch (SocketControl.kind(message)) {
                case Wire.PING -> control(SocketControl.pong(Raw.number(message.params(), 0, "number")));
                case Wire.PONG -> open.pong(Raw.number(message.params(), 0, "number"));
                case Wire.CLOSE -> close((int) Raw.number(message.params(), SocketCodes.NO_CODE, "code"), "");
                case Wire.OPEN -> close(SocketCodes.PROTOCOL, "the line is open already");
                default -> {
                    open.message(message, room::release);
                    room.acquire();
                }
            }
        }

        private void begin(Message message) {
            if (!SocketControl.kind(message).equals(Wire.OPEN)) {
                close(SocketCodes.PROTOCOL, "the first message must be " + Wire.OPEN);
                return;
            }
            String named = Raw.text(message.params(), "connectionId");
            try {
                SocketSession made = endpoint.session(OWNER, named.isEmpty() ? null : named);
                control(SocketControl.open(made.id()));
                session = made;
                made.open(this);
            } catch (Refusal refusal) {
                int status = refusal.answer().status();
                close(
                        status == 404 ? SocketCodes.POLICY : SocketCodes.TRY_AGAIN,
                        Raw.text(refusal.answer().body(), "message"));
            }
        }

        void write() {
            try {
                while (true) {
                    Outgoing next = outgoing.take();
                    progress = next.progress();
                    transport.writer().write(next.message());
                    transport.writer().flush();
                    next.done().accept(null);
                    if (next.code() != 0) {
                        finish(next.code());
                        return;
                    }
                }
            } catch (IOException e) {
                finish(SocketCodes.CUT);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void control(Message message) {
            add(new Outgoing(message, () -> {}, failure -> {}, 0));
        }

        private void add(Outgoing next) {
            boolean unused = outgoing.add(next);
            if (closed.get()) {
                discard();
            }
        }

        @Override
        public void send(RawJson text, Runnable taken, Consumer<@Nullable Throwable> done) {
            add(new Outgoing(Message.parse(text), taken, done, 0));
        }

        @Override
        public void ping(long number) {
            control(SocketControl.ping(number));
        }

        @Override
        public void close(int code, String reason) {
            add(new Outgoing(SocketControl.close(code, reason), () -> {}, failure -> {}, code));
        }

        @Override
        public void abort() {
            finish(SocketCodes.CUT);
        }

        private void finish(int code) {
            if (!closed.compareAndSet(false, true)) {
                return;
            }
            transport.close();
            room.release();
            discard();
            SocketSession open = session;
            if (open != null) {
                open.closed(code);
            }
            links.remove(this);
        }

        /** What is not written any more has failed. */
        private void discard() {
            for (Outgoing next = outgoing.poll(); next != null; next = outgoing.poll()) {
                next.done().accept(new IOException("the line has ended"));
            }
            // Ends the thread that waits for something to write.
            Outgoing end = new Outgoing(SocketControl.ping(0), () -> {}, failure -> {}, SocketCodes.CUT);
            boolean unused = outgoing.add(end);
        }
    }
}
