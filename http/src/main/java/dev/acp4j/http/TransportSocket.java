package dev.acp4j.http;

import dev.acp4j.rpc.Connector;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A line of another kind in the place of a WebSocket, such as a program that ssh runs and that joins it to a server:
 * what is a frame there is a message here.
 *
 * <p>One thread reads and one writes, of the operating system, since both block on pipes. So a ping is answered while
 * something large is sent.
 */
final class TransportSocket implements ClientSocket {
    private record Outgoing(Message message, CompletableFuture<Boolean> done) {}

    private static final Outgoing END = new Outgoing(SocketControl.ping(0), new CompletableFuture<>());

    private final RemoteAgent.Settings settings;
    private final Connector connector;
    private final Owner owner;
    private final BlockingQueue<Outgoing> outgoing = new LinkedBlockingQueue<>();

    /** Has a permit when the next message may be read. */
    private final Semaphore room = new Semaphore(0);

    private final CompletableFuture<String> opened = new CompletableFuture<>();
    private final CompletableFuture<Message> resumed = new CompletableFuture<>();

    /** Fails with the reason. */
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

    private final AtomicBoolean isCut = new AtomicBoolean();
    private volatile @Nullable Transport transport;

    TransportSocket(RemoteAgent.Settings settings, Connector connector, Owner owner) {
        this.settings = settings;
        this.connector = connector;
        this.owner = owner;
    }

    @Override
    public CompletableFuture<Message> resumed() {
        return resumed;
    }

    @Override
    public @Nullable String connectionId() {
        return opened.isDone() && !opened.isCompletedExceptionally() ? opened.join() : null;
    }

    @Override
    public void connect(String connectionId, boolean again) throws HttpFailure, InterruptedException {
        Transport line;
        try {
            line = connector.open();
        } catch (IOException e) {
            throw new HttpFailure(HttpFailure.Kind.NOT_SENT, String.valueOf(e.getMessage()), e);
        }
        transport = line;
        if (isCut.get()) {
            line.close();
            throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
        }
        start("acp4j-line-reader", () -> read(line));
        start("acp4j-line-writer", () -> write(line));
        try {
            send(SocketControl.open(connectionId));
            String unused = opened.get(settings.connectTime.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException e) {
            throw e.getCause() instanceof HttpFailure known ? known : failure(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof HttpFailure known
                    ? known
                    : new HttpFailure(HttpFailure.Kind.UNKNOWN, String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            String late = settings.endpoint + " did not begin within " + settings.connectTime.toSeconds() + " s";
            throw new HttpFailure(HttpFailure.Kind.UNKNOWN, late, e);
        }
    }

    private void start(String name, Runnable body) {
        Thread unused = Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                body.run();
            } catch (RuntimeException | Error e) {
                end(1006, new HttpFailure(HttpFailure.Kind.FINAL, "a fault in this program: " + e, e));
            }
        });
    }

    private static HttpFailure failure(IOException e) {
        return new HttpFailure(HttpFailure.Kind.UNKNOWN, String.valueOf(e.getMessage()), e);
    }

    // ---- reading

    private void read(Transport line) {
        HttpFailure why = new HttpFailure(HttpFailure.Kind.UNKNOWN, "the line has ended", null);
        try {
            for (Message next = line.reader().read();
                    next != null;
                    next = line.reader().read()) {
                String kind = SocketControl.kind(next);
                owner.hears(kind.isEmpty());
                if (kind.isEmpty()) {
                    owner.received(this, next, room::release);
                    room.acquire();
                } else if (kind.equals(Wire.CLOSE)) {
                    int code = (int) Raw.number(next.params(), SocketCodes.NO_CODE, "code");
                    end(code, ClientSocket.ended(code, Raw.text(next.params(), "reason")));
                    return;
                } else {
                    control(kind, next);
                }
            }
        } catch (IOException e) {
            why = failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end(SocketCodes.CUT, why);
    }

    private void control(String kind, Message message) {
        long number = Raw.number(message.params(), 0, "number");
        switch (kind) {
            case Wire.OPEN -> {
                boolean unused = opened.complete(Raw.text(message.params(), "connectionId"));
            }
            case Wire.PING -> {
                boolean unused = outgoing.add(new Outgoing(SocketControl.pong(number), new CompletableFuture<>()));
            }
            default -> owner.confirmed(number);
        }
    }

    private void end(int code, HttpFailure why) {
        boolean unused = ended.completeExceptionally(why);
        unused = opened.completeExceptionally(why);
        unused = resumed.completeExceptionally(why);
        unused = outgoing.add(END);
        owner.closed(this, code, why);
    }

    // ---- writing

    private void write(Transport line) {
        try {
            for (Outgoing next = outgoing.take(); !next.equals(END); next = outgoing.take()) {
                line.writer().write(next.message());
                line.writer().flush();
                boolean unused = next.done().complete(true);
            }
        } catch (IOException e) {
            // The reader says why, and comes after what still arrives.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void send(Message message) throws IOException, InterruptedException {
        Outgoing next = new Outgoing(message, new CompletableFuture<>());
        boolean unused = outgoing.add(next);
        try {
            Object unusedToo = CompletableFuture.anyOf(next.done(), ended).get();
        } catch (ExecutionException e) {
            Throwable why = e.getCause();
            throw new IOException(why == null ? "the line has ended" : why.getMessage(), why);
        }
    }

    @Override
    public void ping(long count) throws IOException, InterruptedException {
        send(SocketControl.ping(count));
    }

    // ---- the end

    @Override
    public void sendClose(int code) throws InterruptedException {
        if (ended.isDone() || !opened.isDone()) {
            return;
        }
        boolean unused = outgoing.add(new Outgoing(SocketControl.close(code, ""), new CompletableFuture<>()));
        try {
            Boolean unusedToo = ended.get(CLOSE_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The server has closed it, or it is cut.
        }
    }

    @Override
    public void cut() {
        isCut.set(true);
        Transport line = transport;
        if (line != null) {
            line.close();
        }
        room.release();
    }
}
