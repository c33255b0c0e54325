package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SubscriptionsTest {
    private static Connection client() {
        return Connection.builder(MemoryTransport.pair().left(), new Handler() {
                    @Override
                    public Acceptance request(IncomingRequest request) {
                        throw RpcError.methodNotFound(request.method());
                    }

                    @Override
                    public @Nullable Delivery notification(Message message) {
                        return null;
                    }
                })
                .start();
    }

    @Tag("MCX-15")
    @Test
    void aSubscriptionThatFailsInAnyWayIsAnErrorOfItsRequest() throws Exception {
        try (Connection client = client()) {
            Subscriptions failing = new Subscriptions(
                    (wanted, notices) -> {
                        throw new IllegalStateException("no such thing");
                    },
                    client);

            assertThatThrownBy(() -> failing.begin("one", Members.NONE).awaitBegun())
                    .isInstanceOf(RpcError.class)
                    .hasMessageContaining("no such thing");
        }
    }

    @Tag("MCX-15")
    @Test
    void noSubscriptionBeginsAfterTheEndAndOneThatHadNotBegunIsAnError() throws Exception {
        try (Connection client = client()) {
            CountDownLatch asked = new CountDownLatch(1);
            Subscriptions ending = new Subscriptions(
                    (wanted, notices) -> {
                        asked.countDown();
                        new CountDownLatch(1).await();
                        throw new AssertionError("unreachable");
                    },
                    client);
            Subscriptions.Subscription open = ending.begin("one", Members.NONE);
            asked.await();
            ending.close();

            assertThatThrownBy(open::awaitBegun).isInstanceOf(RpcError.class);
            assertThatThrownBy(() -> ending.begin("two", Members.NONE).awaitBegun())
                    .isInstanceOf(RpcError.class)
                    .hasMessageContaining("has ended");
        }
    }
}
