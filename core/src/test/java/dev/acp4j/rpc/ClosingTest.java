package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What closing a connection does to those who work for it. */
@Timeout(60)
class ClosingTest {
    private static final Limits HURRIED = Limits.STANDARD.withDrainTime(Duration.ofMillis(50));

    private final List<AutoCloseable> open = Collections.synchronizedList(new ArrayList<>());
    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }

    /** Does nothing, so that a test need only say what it cares about. */
    private static class Quiet implements Handler {
        @Override
        public Acceptance request(IncomingRequest request) {
            return () -> accept();
        }

        private Task accept() {
            return () -> RawJson.NULL;
        }

        @Override
        public Delivery notification(Message message) {
            return () -> handle();
        }

        private void handle() throws Exception {}
    }

    private Connection open(Transport transport, Handler handler, Limits limits) {
        Connection connection =
                Connection.builder(transport, handler).limits(limits).start();
        open.add(connection);
        return connection;
    }

    private RawPeer peer(MemoryTransport.Pair pair) {
        RawPeer peer = new RawPeer(pair.right());
        open.add(peer);
        return peer;
    }

    private static void notifies(RawPeer peer, String method) throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\"}");
    }

    @Test
    @Tag("CLS-13")
    void listenersThatDoNotReturnAreInterruptedOneAfterAnotherWhenTheirTimeIsOver() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(2);
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Connection connection = open(
                pair.left(),
                new Quiet() {
                    @Override
                    public Delivery notification(Message message) {
                        return () -> handle();
                    }

                    private void handle() throws Exception {
                        started.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } finally {
                            interrupted.countDown();
                        }
                    }
                },
                HURRIED);
        RawPeer peer = peer(pair);

        notifies(peer, "one");
        notifies(peer, "two");
        started.await();
        connection.close();

        assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @Tag("CLS-13")
    void theInterruptOfOneListenerIsNotSeenByTheNext() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Connection connection = open(
                pair.left(),
                new Quiet() {
                    @Override
                    public Delivery notification(Message message) {
                        return () -> handle(message.method());
                    }

                    private void handle(String method) {
                        started.countDown();
                        try {
                            if (method.equals("stuck")) {
                                new CountDownLatch(1).await();
                            }
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        seen.add(method + " " + Thread.currentThread().isInterrupted());
                    }
                },
                HURRIED);
        RawPeer peer = peer(pair);

        notifies(peer, "stuck");
        notifies(peer, "next");
        started.await();
        connection.close();

        assertThat(seen).containsExactly("stuck true", "next false");
    }

    @Test
    @Tag("CLS-21")
    void aHandlerThatClosesAnotherConnectionWaitsForItsEnd() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Connection other = open(
                pair.left(),
                new Quiet() {
                    @Override
                    public Delivery notification(Message message) {
                        return () -> handle();
                    }

                    private void handle() throws Exception {
                        working.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } finally {
                            seen.add("the handler ended");
                        }
                    }
                },
                HURRIED);
        notifies(peer(pair), "work");
        working.await();
        CompletableFuture<List<String>> seenByNotification = new CompletableFuture<>();
        CompletableFuture<List<String>> seenByRequest = new CompletableFuture<>();
        MemoryTransport.Pair closing = MemoryTransport.pair();
        open(
                closing.left(),
                new Quiet() {
                    @Override
                    public Acceptance request(IncomingRequest request) {
                        return () -> accept();
                    }

                    private Task accept() {
                        return () -> {
                            other.close();
                            seenByRequest.complete(List.copyOf(seen));
                            return RawJson.NULL;
                        };
                    }

                    @Override
                    public Delivery notification(Message message) {
                        return () -> handle();
                    }

                    private void handle() {
                        other.close();
                        seenByNotification.complete(List.copyOf(seen));
                    }
                },
                Limits.STANDARD);
        RawPeer peer = peer(closing);

        peer.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"close\"}");
        notifies(peer, "close");

        assertThat(seenByRequest.get(20, TimeUnit.SECONDS)).containsExactly("the handler ended");
        assertThat(seenByNotification.get(20, TimeUnit.SECONDS)).containsExactly("the handler ended");
    }
}
