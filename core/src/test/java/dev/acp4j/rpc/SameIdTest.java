package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A peer that gives two of its requests one id. */
@Timeout(60)
class SameIdTest {
    private static final String REFUSED = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,";
    private static final String CANCELLED = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32800,";

    @RegisterExtension
    final Wired wired = new Wired();

    private final Semaphore begun = new Semaphore(0);
    private final CountDownLatch release = new CountDownLatch(1);
    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void answerWhenReleased() {
        wired.answering = request -> {
            seen.add(request.method());
            begun.release();
            if (!request.method().equals("quick")) {
                release.await();
            }
            return RawJson.string(request.method());
        };
        wired.start();
    }

    @Test
    @Tag("ENV-21")
    void theSecondOfTwoWithOneIdIsRefusedAndTheFirstIsAnswered() throws Exception {
        wired.asks(1, "first", "{}");
        begun.acquire();

        wired.asks(1, "second", "{}");
        assertThat(wired.peer.receive()).startsWith(REFUSED);
        release.countDown();

        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "\"first\""));
        assertThat(seen).containsExactly("first");
    }

    @Test
    @Tag("ENV-21")
    void aCancellationReachesTheFirstAlthoughTheSecondWasRefused() throws Exception {
        wired.asks(1, "first", "{}");
        begun.acquire();
        wired.asks(1, "second", "{}");
        assertThat(wired.peer.receive()).startsWith(REFUSED);

        wired.cancels(1);

        assertThat(wired.peer.receive()).startsWith(CANCELLED);
        wired.asks(1, "quick", "{}");
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "\"quick\""));
        assertThat(seen).containsExactly("first", "quick");
    }

    @Test
    @Tag("ENV-21")
    void aCancellationReachesTheRequestThatHasTheIdNowAndNoOther() throws Exception {
        wired.asks(1, "quick", "{}");
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(1, "\"quick\""));
        wired.asks(2, "other", "{}");
        wired.asks(1, "again", "{}");
        begun.acquire(3);

        wired.cancels(1);

        assertThat(wired.peer.receive()).startsWith(CANCELLED);
        release.countDown();
        assertThat(wired.peer.receive()).isEqualTo(Wired.result(2, "\"other\""));
    }
}
