package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SubscriptionsTest {
    private static final Members ONE = Subscriptions.ofResource("notes://1");

    private final Subscriptions subscriptions = new Subscriptions();

    @Tag("MCX-15")
    @Test
    void aSubscriptionThatFailsInAnyWayIsAnErrorOfItsRequest() throws Exception {
        Subscriptions.Source failing = (wanted, notices) -> {
            throw new IllegalStateException("no such thing");
        };

        assertThatThrownBy(() -> subscriptions
                        .begin(ONE, failing, (method, params) -> {})
                        .awaitBegun())
                .isInstanceOf(RpcError.class)
                .hasMessageContaining("no such thing");
    }

    @Tag("MCX-15")
    @Test
    void aSubscriptionEndsWithTheLastClientThatHasItAndOneThatHadNotBegunIsAnError() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Subscriptions.Source server = (wanted, notices) -> {
            asked.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                ended.countDown();
            }
            throw new AssertionError("unreachable");
        };
        Face.Notices first = (method, params) -> {};
        Face.Notices second = (method, params) -> {};
        Subscriptions.Subscription open = subscriptions.begin(ONE, server, first);
        assertThat(subscriptions.begin(ONE, server, second)).isSameAs(open);
        asked.await();

        subscriptions.end(ONE, first);
        assertThat(ended.getCount()).isEqualTo(1);
        subscriptions.end(ONE, second);

        // It was waited for.
        assertThat(ended.getCount()).isZero();
        assertThatThrownBy(open::awaitBegun).isInstanceOf(RpcError.class).hasMessageContaining("has ended");
    }

    @Tag("MCX-15")
    @Test
    void aClientThatHasLeftSubscribesToNothing() {
        Face left = new Face(
                (method, params, notices) -> RawJson.parse("{\"capabilities\":{\"resources\":{\"subscribe\":true}}}"),
                subscriptions,
                (method, params) -> {});
        left.close();

        assertThatThrownBy(() -> {
                    RawJson unused = left.answer("initialize", Members.NONE, (method, params) -> {});
                    unused = left.answer(
                            "resources/subscribe",
                            Members.NONE.with("uri", RawJson.string("notes://1")),
                            (method, params) -> {});
                })
                .isInstanceOf(RpcError.class)
                .hasMessageContaining("has ended");
    }
}
