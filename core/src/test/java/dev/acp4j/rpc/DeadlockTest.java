package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers of both sides that call each other back, some levels deep, through several lanes and from threads. */
@Timeout(60)
class DeadlockTest {
    private static final int LANES = 3;
    private static final int DEPTH = 4;
    private static final int CALLERS = 6;

    /** Nothing is left to patience. */
    private static final Limits LIMITS = Limits.STANDARD
            .withBarrierPatience(Duration.ofHours(1))
            .withRequestTimeout(Duration.ZERO)
            .withRequests(100_000, 100_000);

    private static final class Side implements Handler {
        private final Random random;
        private @Nullable Connection connection;

        Side(long seed) {
            random = new Random(seed);
        }

        void start(Transport transport) {
            connection = Connection.builder(transport, this).limits(LIMITS).start();
        }

        Connection connection() {
            return Objects.requireNonNull(connection);
        }

        @Override
        public Acceptance request(IncomingRequest request) {
            return () -> accept(request);
        }

        private Task accept(IncomingRequest request) throws Exception {
            if (random.nextInt(10) == 0) {
                act(1);
            }
            return () -> {
                act(depthOf(Objects.requireNonNull(request.params())));
                return RawJson.NULL;
            };
        }

        @Override
        public Delivery notification(Message message) {
            return () -> handle(message.params());
        }

        private void handle(@Nullable RawJson params) throws Exception {
            act(depthOf(Objects.requireNonNull(params)));
        }

        void act(int depth) throws Exception {
            for (int i = depth == 0 ? 0 : random.nextInt(3); i > 0; i--) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> connection().send("tell", params(depth - 1));
                    case 2 -> {
                        FutureTask<RawJson> beside = new FutureTask<>(() -> ask(depth - 1));
                        Thread.ofVirtual().start(beside);
                        ask(depth - 1);
                        beside.get();
                    }
                    default -> ask(depth - 1);
                }
            }
        }

        RawJson ask(int depth) throws InterruptedException {
            return connection().call("ask", params(depth));
        }

        private RawJson params(int depth) {
            int lane = random.nextInt(LANES + 1);
            String session = lane == LANES ? "" : "\"sessionId\":\"" + lane + "\",";
            return RawJson.parse("{" + session + "\"depth\":" + depth + "}");
        }

        private static int depthOf(RawJson params) {
            return Integer.parseInt(params.toString().replaceAll(".*\"depth\":(\\d+).*", "$1"));
        }
    }

    @Test
    @Tag("DSP-04")
    @Tag("DSP-11")
    void whateverHandlersAskEachOtherAllOfThemAreAnswered() throws Exception {
        for (int seed = 0; seed < 5; seed++) {
            MemoryTransport.Pair pair = MemoryTransport.pair();
            Side left = new Side(seed);
            Side right = new Side(-seed);
            left.start(pair.left());
            right.start(pair.right());

            List<FutureTask<RawJson>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                Side side = i % 2 == 0 ? left : right;
                FutureTask<RawJson> caller = new FutureTask<>(() -> {
                    side.act(DEPTH);
                    side.connection().send("tell", side.params(DEPTH));
                    return side.ask(DEPTH);
                });
                Thread.ofVirtual().start(caller);
                callers.add(caller);
            }

            for (FutureTask<RawJson> caller : callers) {
                assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo(RawJson.NULL);
            }
            left.connection().close();
            right.connection().close();
        }
    }
}
