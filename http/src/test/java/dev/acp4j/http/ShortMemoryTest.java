package dev.acp4j.http;

import static dev.acp4j.http.EndpointFixture.call;
import static dev.acp4j.http.EndpointFixture.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that wait for what a server may hold for all of them, without a network. */
@Timeout(60)
@Tag("LOD-06")
class ShortMemoryTest {
    private static final int BOUND = 200_000;

    private final EndpointFixture server =
            new EndpointFixture(Http.on(0).limits(ServerLimits.STANDARD.withQueuedBytesInAll(BOUND)));

    private final List<ServerEvent.ConnectionEnded> ended = new ArrayList<>();
    private ServerEvent.BytesHeld held = new ServerEvent.BytesHeld(0, 0, 0);

    /** A socket that takes texts as the test tells it. */
    private static final class SlowLink implements Exchange.Link {
        boolean blocked;
        boolean aborted;
        Runnable progress = () -> {};

        @Override
        public void send(RawJson text, Runnable progressed, Consumer<@Nullable Throwable> done) {
            progress = progressed;
            if (!blocked) {
                done.accept(null);
            }
        }

        @Override
        public void ping(long number) {}

        @Override
        public void close(int code, String reason) {}

        @Override
        public void abort() {
            aborted = true;
        }
    }

    private SocketSession open(SlowLink link) throws Exception {
        FakeExchange exchange = new FakeExchange("GET");
        exchange.upgrades = true;
        server.handle(exchange);
        SocketSession session = Objects.requireNonNull(exchange.socket);
        session.open(link);
        says(session, RawClient.INITIALIZE, () -> {});
        return session;
    }

    private static void says(SocketSession client, String text, Runnable next) throws Exception {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        client.message(Message.parse(RawJson.wrap(bytes, 0, bytes.length)), next);
    }

    /** Has an agent say something large again and again, as long as there is a connection. */
    private static void talk(Transport agent, int bytes) {
        Message message = Message.parse(update("s", "x".repeat(bytes)));
        Thread unused = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    agent.writer().write(message);
                }
            } catch (IOException e) {
                agent.close();
            }
        });
    }

    private void pass(Duration duration) {
        server.pass(duration);
        for (ServerEvent event = server.events.poll(); event != null; event = server.events.poll()) {
            if (event instanceof ServerEvent.BytesHeld now) {
                held = now;
            } else if (event instanceof ServerEvent.ConnectionEnded over) {
                ended.add(over);
            }
        }
    }

    private void awaitSlowed(int count) throws InterruptedException {
        assertThat(Poll.until(() -> {
                    pass(Duration.ZERO);
                    return held.slowed() == count;
                }))
                .isTrue();
    }

    @Test
    void aClientThatTakesALargeMessageSlowlyIsNotEnded() throws Exception {
        SlowLink link = new SlowLink();
        SocketSession unused = open(link);
        Transport agent = server.agents.take();
        agent.reader().read();
        agent.writer().write(Message.parse(EndpointFixture.ANSWER));
        link.blocked = true;
        talk(agent, 150_000);
        EndpointFixture.Connection silent = server.connect();
        talk(silent.agent, 1_000);
        awaitSlowed(2);
        for (int i = 0; i < 7; i++) {
            pass(Duration.ofSeconds(10));
            link.progress.run();
        }

        assertThat(ended).singleElement().satisfies(over -> {
            assertThat(over.connection()).isEqualTo(ServerEvent.hash(silent.id));
            assertThat(over.reason()).contains("has taken nothing for 60 s").contains("others");
        });
        agent.close();
    }

    @Test
    void aClientThatReadsNothingIsNotEndedForMemoryThatNobodyElseNeeds() throws Exception {
        EndpointFixture.Connection silent = server.connect();
        talk(silent.agent, 10_000);
        awaitSlowed(1);
        pass(Duration.ofMinutes(5));

        assertThat(ended).isEmpty();
        assertThat(held.queued()).isBetween(BOUND / 2L, BOUND / 2L + 11_000);
        silent.agent.close();
    }

    @Test
    void aRequestThatWaitsForMemoryGoesOnWhenAnotherConnectionHasEnded() throws Exception {
        EndpointFixture.Connection silent = server.connect();
        EndpointFixture.Connection waiting = server.connect();
        silent.says(update("s", "x".repeat(BOUND)));
        waiting.post(call(1, "_x/large", "").replace("{}", "{\"text\":\"" + "x".repeat(20_000) + "\"}"));
        FakeExchange[] held = new FakeExchange[1];
        Thread posting = Thread.ofVirtual().start(() -> {
            try {
                held[0] = waiting.post(call(2, "_x/small", ""));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        boolean waits = Poll.until(() -> posting.getState() == Thread.State.WAITING);
        silent.delete();
        pass(Duration.ofSeconds(1));
        posting.join();

        assertThat(waits).isTrue();
        assertThat(held[0].status()).isEqualTo(202);
    }

    @Test
    @Tag("HTS-31")
    void answersOfTheServerItselfWaitForMemoryToo() throws Exception {
        SlowLink link = new SlowLink();
        SocketSession client = open(link);
        Transport agent = server.agents.take();
        agent.reader().read();
        agent.writer().write(Message.parse(EndpointFixture.ANSWER));
        link.blocked = true;
        int[] taken = new int[1];
        int said = 0;
        while (said == taken[0] && said < BOUND) {
            says(client, "nothing that could be a message", () -> taken[0]++);
            said++;
        }
        pass(Duration.ofSeconds(1));

        assertThat(said).isLessThan(BOUND);
        assertThat(held.queued()).isBetween(BOUND / 2L, BOUND / 2L + 1_000);
        agent.close();
    }

    @Test
    void whatWaitedForAClientThatIsDroppedIsFreeAtOnce() throws Exception {
        SlowLink link = new SlowLink();
        SocketSession unused = open(link);
        RemoteClient agent = (RemoteClient) server.agents.take();
        agent.reader().read();
        agent.writer().write(Message.parse(EndpointFixture.ANSWER));
        link.blocked = true;
        agent.writer().write(Message.parse(update("s", "x".repeat(BOUND))));
        pass(Duration.ofSeconds(1));
        long before = held.queued();
        agent.drop("it is too slow");
        boolean isFree = server.endpoint.connections().memory().queued() == 0;
        pass(Duration.ZERO);

        assertThat(before).isGreaterThan(BOUND);
        assertThat(isFree).isTrue();
        assertThat(link.aborted).isTrue();
        assertThat(agent.reader().read()).isNull();
        assertThat(ended)
                .singleElement()
                .satisfies(over -> assertThat(over.reason()).isEqualTo("it is too slow"));
        agent.close();
    }

    @Test
    @Tag("HST-27")
    void aClientOfASharedAgentHasItsShareAndMoreWhileItReads() throws Exception {
        EndpointFixture.Connection silent = server.connect();
        silent.says(update("s", "x".repeat(BOUND)));
        SlowLink link = new SlowLink();
        SocketSession unused = open(link);
        RemoteClient agent = (RemoteClient) server.agents.take();
        agent.reader().read();
        agent.writer().write(Message.parse(EndpointFixture.ANSWER));
        link.blocked = true;
        agent.writer().write(Message.parse(update("s", "x".repeat(150_000))));
        pass(Duration.ofSeconds(20));
        link.progress.run();
        pass(Duration.ofSeconds(20));
        boolean whileItReads = agent.hasRoom();
        agent.writer().write(Message.parse(update("s", "small")));
        pass(Duration.ofSeconds(20));
        boolean later = agent.hasRoom();
        silent.delete();
        boolean alone = agent.hasRoom();

        assertThat(whileItReads).isTrue();
        assertThat(later).isFalse();
        assertThat(alone).isFalse();
        agent.close();
    }
}
