package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What fails beside the requests, in whatever way: the connection goes on. */
@Timeout(60)
class BackgroundFailureTest {
    private final MemoryTransport.Pair pair = MemoryTransport.pair();
    private final RawPeer peer = new RawPeer(pair.right());
    private final CountDownLatch failed = new CountDownLatch(1);
    private @Nullable Connection connection;

    @AfterEach
    void close() {
        if (connection != null) {
            connection.close();
        }
        peer.close();
    }

    private void fail() {
        failed.countDown();
        throw new IllegalStateException("failed in the background");
    }

    /** Answers everything with nothing, and works on after its answers to {@code works on}. */
    private final class Working implements Handler {
        @Override
        public Acceptance request(IncomingRequest request) {
            return () -> accept(request);
        }

        private Task accept(IncomingRequest request) {
            return new Task() {
                @Override
                public RawJson run() {
                    return RawJson.NULL;
                }

                @Override
                public void answered() {
                    if (request.method().equals("works on")) {
                        fail();
                    }
                }
            };
        }

        @Override
        public Delivery notification(Message message) {
            return BackgroundFailureTest.this::fail;
        }
    }

    private Connection.Builder working() {
        return Connection.builder(pair.left(), new Working());
    }

    private Connection start(Connection.Builder builder) {
        Connection started = builder.start();
        connection = started;
        return started;
    }

    private void assertGoesOn(Connection started) throws Exception {
        assertThat(failed.await(20, TimeUnit.SECONDS)).isTrue();
        for (int id = 8; id < 10; id++) {
            asks(id, "next");
            assertThat(peer.receive()).as(peer.wire()).isEqualTo(Wired.result(id, "null"));
        }
        assertThat(started.isOpen()).isTrue();
    }

    private void asks(int id, String method) throws Exception {
        peer.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\"}");
    }

    @Test
    @Tag("DSP-20")
    void workAfterAnAnswer() throws Exception {
        Connection started = start(working());

        asks(7, "works on");

        assertThat(peer.receive()).isEqualTo(Wired.result(7, "null"));
        assertGoesOn(started);
    }

    @Test
    @Tag("DSP-20")
    void aNotificationAndWhoIsToldOfThat() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        Connection started = start(working().onProblem(problem -> {
            told.countDown();
            fail();
        }));

        peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"m\"}");

        assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
        assertGoesOn(started);
    }

    @Test
    @Tag("DSP-20")
    void whoIsToldOfAnAnswer() throws Exception {
        Connection started = start(working());
        Call call = started.start("m", null, RawJson.CODEC, done -> () -> fail());
        peer.receive();

        peer.send(Wired.result(0, "1"));

        assertThat(call.await()).hasToString("1");
        assertGoesOn(started);
    }

    @Test
    @Tag("DSP-20")
    void whoMeasures() throws Exception {
        Connection started = start(working().listener(new Connection.Listener() {
            @Override
            public void handled(Connection which, String method, Duration time, @Nullable RpcError error) {
                fail();
            }
        }));

        asks(7, "m");

        assertThat(peer.receive()).isEqualTo(Wired.result(7, "null"));
        assertGoesOn(started);
    }
}
