package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Stdio;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that does not read: it slows the agent down, and breaks nothing. */
@Timeout(120)
class SlowClientTest {
    private static final int QUEUE_BYTES = 64 * 1024;
    /** 8 KiB each; 125,000 are 1 GB. */
    private static final int MESSAGES = Integer.getInteger("acp4j.slow.messages", 3000);

    private static final String TEXT = "x".repeat(8 * 1024);

    /** What a component may hold: two pipes of the system, what it has read, and the queue of the conductor to it. */
    private static final long HOP_BYTES = 1024 * 1024;

    private final AtomicInteger written = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);

    private static Component[] standIns(String dialects) {
        AtomicInteger number = new AtomicInteger();
        return Arrays.stream(dialects.split(" "))
                .map(dialect -> StandIn.component("single" + number.incrementAndGet(), dialect))
                .toArray(Component[]::new);
    }

    /** A proxy of this library that changes nothing, with queues as small as those of the conductor. */
    static final class Program {
        private Program() {}

        /** Serves on standard input and output. */
        public static void main(String[] args) throws Exception {
            Proxy.builder("nothing", "1")
                    .limits(Limits.STANDARD.withQueueBytes(QUEUE_BYTES, QUEUE_BYTES))
                    .build()
                    .serve(Stdio.system());
        }
    }

    private static Component program(String id) {
        return Component.of(id, ProxyProgramTest.program(Program.class));
    }

    private static String numbered(int number) {
        return "{\"sessionId\":\"s\",\"number\":" + number + ",\"text\":\"" + TEXT + "\"}";
    }

    /** Has the agent write until nothing more has room. */
    private FutureTask<Integer> flood(ChainOfPeers chain) {
        FutureTask<Integer> writing = new FutureTask<>(() -> {
            try {
                for (int i = 0; i < MESSAGES; i++) {
                    chain.agent.notify("session/update", numbered(i));
                    written.incrementAndGet();
                }
                return MESSAGES;
            } finally {
                ended.countDown();
            }
        });
        Thread.ofPlatform().daemon().start(writing);
        assertThatThrownBy(() -> writing.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
        return writing;
    }

    private static void readAll(ChainOfPeers chain) throws Exception {
        for (int i = 0; i < MESSAGES; i++) {
            assertThat(chain.client.receive().params()).hasToString(numbered(i));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"schema", "schema rust3 schema"})
    @Timeout(7200)
    @Tag("CON-28")
    @Tag("PXL-26")
    void theAgentIsSlowedAndNoQueueGrowsBeyondItsBound(String dialects) throws Exception {
        Component[] row = standIns(dialects);
        try (ChainOfPeers chain = ChainOfPeers.withQueues(QUEUE_BYTES, row)) {
            FutureTask<Integer> writing = flood(chain);

            long most = (row.length + 1) * HOP_BYTES;
            for (ComponentStatus component : chain.chain.status()) {
                assertThat(component.queuedBytes()).isLessThanOrEqualTo(QUEUE_BYTES + 2L * TEXT.length());
            }
            for (int read = 0; read < MESSAGES; read++) {
                assertThat((long) (written.get() - read) * TEXT.length()).isLessThanOrEqualTo(most);
                assertThat(chain.client.receive().params()).hasToString(numbered(read));
            }
            assertThat(writing.get()).isEqualTo(MESSAGES);
            assertThat(chain.notices()).isEmpty();
        }
    }

    @Test
    @Tag("CON-28")
    void whatTheClientSaysMeanwhileReachesTheAgentInOrderWhenItReads() throws Exception {
        try (ChainOfPeers chain = ChainOfPeers.withQueues(QUEUE_BYTES, program("first"), program("second"))) {
            chain.client.request("1", "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}");
            Message prompt = chain.agent.receive();
            FutureTask<Integer> writing = flood(chain);

            chain.client.notify("session/cancel", "{\"sessionId\":\"s\"}");
            chain.client.notify("$/cancel_request", "{\"requestId\":1}");
            chain.client.request("2", "session/list", "{}");
            readAll(chain);

            assertThat(writing.get()).isEqualTo(MESSAGES);
            assertThat(chain.agent.receive().method()).isEqualTo("session/cancel");
            assertThat(chain.agent.receive().params()).hasToString("{\"requestId\":" + prompt.id() + "}");
            Message list = chain.agent.receive();
            assertThat(list.method()).isEqualTo("session/list");
            chain.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            chain.agent.answer(list, "{\"sessions\":[]}");
            assertThat(chain.client.receive().id()).hasToString("1");
            assertThat(chain.client.receive().id()).hasToString("2");
        }
    }

    @Test
    @Tag("CON-10")
    @Tag("CON-19")
    void whoWaitsForTheClientIsNeitherLateNorHangs() throws Exception {
        ManualClock clock = new ManualClock();
        try (ChainOfPeers chain = ChainOfPeers.withQueues(QUEUE_BYTES, clock, program("first"), program("second"))) {
            chain.client.request("1", "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}");
            Message prompt = chain.agent.receive();
            FutureTask<Integer> writing = flood(chain);

            clock.advance(Duration.ofHours(1));

            readAll(chain);
            assertThat(writing.get()).isEqualTo(MESSAGES);
            chain.agent.answer(prompt, "{\"stopReason\":\"end_turn\"}");
            assertThat(chain.client.receive().result()).hasToString("{\"stopReason\":\"end_turn\"}");
            assertThat(chain.notices()).isEmpty();
        }
    }

    @Test
    @Tag("CON-20")
    void aChainWhoseClientNeverReadsCanBeClosed() throws Exception {
        try (ChainOfPeers chain = ChainOfPeers.withQueues(QUEUE_BYTES, program("first"))) {
            FutureTask<Integer> unused = flood(chain);

            chain.chain.close(Duration.ofMillis(500));

            assertThat(chain.chain.status()).noneMatch(one -> one.pid().isPresent());
            // Its messages are lost or refused, but nothing holds it up.
            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
