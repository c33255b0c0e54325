package dev.acp4j.http;

import dev.acp4j.rpc.Connector;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A line of another kind in the place of a WebSocket, such as a program that ssh runs and that joins it to a server.
 * Its threads are of the operating system, since they block on pipes.
 */
final class TransportSocket implements ClientSocket, FrameCarrier.Listener {
    private final RemoteAgent.Settings settings;
    private final Connector connector;
    private final Owner owner;
    private final CompletableFuture<String> opened = new CompletableFuture<>();
    private final CompletableFuture<Message> resumed = new CompletableFuture<>();
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private final AtomicBoolean isCut = new AtomicBoolean();
    private volatile @Nullable FrameCarrier carrier;

    /** Whether the server takes nothing more, since it is about to end. */
    private volatile boolean isEnding;

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
        FrameCarrier made = new FrameCarrier(line, this);
        carrier = made;
        if (isCut.get()) {
            made.cut();
            throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
        }
        made.start(Thread.ofPlatform().daemon().name("acp4j-line").factory());
        try {
            // Why nothing can be written, the end says.
            made.open(connectionId, failure -> {});
            String unused = opened.get(settings.connectTime.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof HttpFailure known
                    ? isEnding ? known.as(HttpFailure.Kind.LATER) : known
                    : new HttpFailure(HttpFailure.Kind.UNKNOWN, String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            String late = settings.endpoint + " did not begin within " + settings.connectTime.toSeconds() + " s";
            throw new HttpFailure(HttpFailure.Kind.UNKNOWN, late, e);
        }
    }

    @Override
    public void heard(boolean isMessage) {
        owner.hears(isMessage);
    }

    @Override
    public void opened(String connectionId) {
        boolean unused = opened.complete(connectionId);
    }

    @Override
    public void received(Message message, Runnable next) {
        owner.received(this, message, next);
    }

    @Override
    public void confirmed(long number) {
        owner.confirmed(number);
    }

    @Override
    public void ended(int code, String reason, @Nullable Throwable failure) {
        HttpFailure why = failure instanceof HttpFailure known
                ? known
                : code == SocketCodes.CUT
                        ? new HttpFailure(
                                HttpFailure.Kind.UNKNOWN,
                                failure == null ? "the line has ended" : String.valueOf(failure.getMessage()),
                                failure)
                        : ClientSocket.ended(code, reason);
        isEnding = code == SocketCodes.TRY_AGAIN || (code == SocketCodes.CUT && failure == null);
        boolean unused = ended.complete(true);
        unused = opened.completeExceptionally(why);
        unused = resumed.completeExceptionally(why);
        owner.closed(this, code, why);
    }

    @Override
    public void send(Message message) throws IOException, InterruptedException {
        await(done -> open().send(message, () -> {}, done));
    }

    @Override
    public void ping(long count) throws IOException, InterruptedException {
        await(done -> open().ping(count, done));
    }

    private FrameCarrier open() {
        FrameCarrier known = carrier;
        if (known == null) {
            throw new IllegalStateException("the line is not open");
        }
        return known;
    }

    private static void await(Consumer<Consumer<@Nullable Throwable>> sending)
            throws IOException, InterruptedException {
        CompletableFuture<Boolean> sent = new CompletableFuture<>();
        sending.accept(failure -> {
            boolean unused = failure == null ? sent.complete(true) : sent.completeExceptionally(failure);
        });
        try {
            Boolean unused = sent.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        }
    }

    @Override
    public void sendClose(int code) throws InterruptedException {
        if (ended.isDone() || !opened.isDone()) {
            return;
        }
        open().close(code, "", true);
        try {
            Boolean unused = ended.get(CLOSE_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // It is cut then.
        }
    }

    @Override
    public void cut() {
        isCut.set(true);
        FrameCarrier known = carrier;
        if (known != null) {
            known.cut();
        }
    }
}
