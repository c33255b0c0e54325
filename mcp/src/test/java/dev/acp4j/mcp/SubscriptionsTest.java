package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
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
        Subscriptions.SharedSubscription open = subscriptions.begin(ONE, server, first);
        assertThat(subscriptions.begin(ONE, server, second)).isSameAs(open);
        asked.await();

        subscriptions.end(ONE, first);
        assertThat(ended.getCount()).isEqualTo(1);
        subscriptions.end(ONE, second);

        // It was waited for.
        assertThat(ended.getCount()).isZero();
        assertThatThrownBy(open::awaitBegun).isInstanceOf(RpcError.class).hasMessageContaining("has ended");
    }

    private static final RawJson LISTS = RawJson.parse("{\"capabilities\":{\"tools\":{\"listChanged\":true}}}");

    private static final RawJson ACKNOWLEDGED = RawJson.parse("{\"notifications\":{\"toolsListChanged\":true}}");

    @Tag("MCX-08")
    @Test
    void aSubscriptionThatItsServerEndsIsBegunAgainAndWhatItIsForCountsAsChanged() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        Subscriptions.Source server = (wanted, notices) -> {
            notices.send("notifications/subscriptions/acknowledged", RawJson.EMPTY_OBJECT);
            (begun.getAndIncrement() == 0 ? mayEnd : new CountDownLatch(1)).await();
            throw new RpcError(RpcError.INTERNAL_ERROR, "the stream broke");
        };
        LinkedBlockingQueue<String> reported = new LinkedBlockingQueue<>();
        Face.Notices client = (method, params) -> reported.add(method + " " + params);
        subscriptions.begin(ONE, server, client).awaitBegun();

        mayEnd.countDown();

        assertThat(reported.take()).isEqualTo("notifications/resources/updated {\"uri\":\"notes://1\"}");
        subscriptions.end(ONE, client);
        assertThat(begun).hasValue(2);
    }

    @Tag("MCX-17")
    @Test
    // The answer to the handshake is waited for no longer than a second.
    @Timeout(9)
    void aClientIsGreetedBeforeItsServerReportsChangesAndListsAgainThen() throws Exception {
        CountDownLatch mayReport = new CountDownLatch(1);
        LinkedBlockingQueue<String> reported = new LinkedBlockingQueue<>();
        Face face = new Face(
                (method, params, notices) -> {
                    if (method.equals("subscriptions/listen")) {
                        mayReport.await();
                        notices.send("notifications/subscriptions/acknowledged", ACKNOWLEDGED);
                        new CountDownLatch(1).await();
                    }
                    return LISTS;
                },
                subscriptions,
                (method, params) -> reported.add(method));

        RawJson unused = face.answer("initialize", Members.NONE, (method, params) -> {});
        mayReport.countDown();

        assertThat(reported.take()).isEqualTo("notifications/tools/list_changed");
        face.close();
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
