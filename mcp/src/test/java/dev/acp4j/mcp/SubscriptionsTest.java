package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.RpcError;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SubscriptionsTest {
    @Tag("MCX-15")
    @Test
    void aSubscriptionThatFailsInAnyWayIsAnErrorOfItsRequest() throws Exception {
        Subscriptions failing = new Subscriptions(
                (wanted, notices) -> {
                    throw new IllegalStateException("no such thing");
                },
                (method, params) -> {});

        assertThatThrownBy(() -> failing.begin("one", Members.NONE).awaitBegun())
                .isInstanceOf(RpcError.class)
                .hasMessageContaining("no such thing");
    }

    @Tag("MCX-15")
    @Test
    void noSubscriptionBeginsAfterTheEndAndOneThatHadNotBegunIsAnError() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        Subscriptions ending = new Subscriptions(
                (wanted, notices) -> {
                    asked.countDown();
                    new CountDownLatch(1).await();
                    throw new AssertionError("unreachable");
                },
                (method, params) -> {});
        Subscriptions.Subscription open = ending.begin("one", Members.NONE);
        asked.await();
        ending.close();

        assertThatThrownBy(open::awaitBegun).isInstanceOf(RpcError.class);
        assertThatThrownBy(() -> ending.begin("two", Members.NONE).awaitBegun())
                .isInstanceOf(RpcError.class)
                .hasMessageContaining("has ended");
    }
}
