package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is known of a component from its messages. */
@Timeout(60)
class TapTest {
    private static final long LIMIT = Duration.ofMinutes(1).toNanos();

    private final ManualClock clock = new ManualClock();
    private final MemoryTransport.Pair pair = MemoryTransport.pair();
    private final List<String> requests = new ArrayList<>();
    private final Tap tap = new Tap(pair.left(), clock, requests::add, List.of());
    private final Peer component = new Peer("component", pair.right(), Peer.newWire());

    private void tell(String line) throws Exception {
        tap.writer().write(Message.parse(line));
    }

    private void hear() throws Exception {
        assertThat(tap.reader().read()).isNotNull();
    }

    @Test
    @Tag("CON-19")
    void aComponentIsAwaitedUnlessItWaitsForOthersItselfOrForALogin() throws Exception {
        tell("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"authenticate\",\"params\":{}}");
        assertThat(tap.isAwaited()).as("by who logs in").isFalse();

        tell("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\"}}");
        assertThat(tap.isAwaited()).isTrue();

        component.request("7", "session/request_permission", "{\"sessionId\":\"s\"}");
        hear();
        assertThat(tap.isAwaited()).as("while a person decides").isFalse();

        tell("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
        assertThat(tap.isAwaited()).isTrue();
        assertThat(tap.inFlight()).isEqualTo(2);
    }

    @Test
    @Tag("CON-19")
    void whileWhatItSaidWaitsToBePassedOnAComponentIsNotSilent() throws Exception {
        tell("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{}}");
        component.notify("_one", "{}");
        component.notify("_two", "{}");

        // It has said more than anybody takes: nothing is read behind the first.
        hear();
        clock.advance(Duration.ofHours(1));
        assertThat(tap.lastSign()).isEqualTo(clock.nanoTime());
    }

    @Test
    @Tag("CON-10")
    void theTimeInWhichOthersAnswerIsNotItsOwn() throws Exception {
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                hear();
                hear();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        tell("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{}}");
        clock.advance(Duration.ofSeconds(20));
        component.request("7", "session/new", "{}");
        component.notify("_more", "{}");
        reader.join();
        clock.advance(Duration.ofHours(1));
        tell("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");

        assertThat(tap.nextLook("setup", LIMIT)).hasValue(Duration.ofSeconds(40).toNanos());
        component.answer(Message.parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\"}"), "{}");
        hear();
        assertThat(Duration.ofNanos(tap.percentileNanos(50))).isEqualTo(Duration.ofSeconds(20));
        assertThat(requests).containsExactly("session/new");
    }
}
