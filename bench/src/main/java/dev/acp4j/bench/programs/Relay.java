package dev.acp4j.bench.programs;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Forwards everything that comes in at one end to the other, in both directions, and decodes none of it. */
final class Relay implements Handler {
    private final CompletableFuture<Connection> other = new CompletableFuture<>();

    private @Nullable Connection here;

    private Relay() {}

    /** Joins two transports. Returns both connections. */
    static Connection[] join(Transport left, Transport right) {
        Relay toRight = new Relay();
        Relay toLeft = new Relay();
        Connection client = Connection.builder(left, toRight).name("left").start();
        Connection agent = Connection.builder(right, toLeft)
                .name("right")
                .onEnded(client::close)
                .start();
        toRight.other.complete(agent);
        toLeft.other.complete(client);
        return new Connection[] {client, agent};
    }

    @Override
    public Acceptance request(IncomingRequest request) {
        return () -> accept(request);
    }

    private Task accept(IncomingRequest request) throws InterruptedException {
        // Sent here and not in the task: what comes behind it must not pass it.
        return other.join().start(request.method(), request.params(), RawJson.CODEC, null)::await;
    }

    @Override
    public void bound(Connection connection) {
        here = connection;
    }

    @Override
    public @Nullable Delivery notification(Message message) {
        return Objects.requireNonNull(here).forward(message, other.join());
    }
}
