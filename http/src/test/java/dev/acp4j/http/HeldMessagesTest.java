package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.tap.Poll;
import dev.acp4j.testkit.FakeTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that read nothing, agents that say much, and the bound of what a server holds for all of them. */
@Timeout(120)
class HeldMessagesTest {
    private static final int SILENT = 10;
    private static final int BOUND = 4 * 1024 * 1024;
    private static final int MESSAGES = 4000;

    /** Long, as time passes while a test waits. */
    private static final Duration STALL = Duration.ofHours(10);

    private static final String TALK = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_x/talk\",\"params\":{}}";
    private static final String TEXT = "x".repeat(8000);

    private final FakeTime time = new FakeTime();
    private final AtomicLong said = new AtomicLong();
    private final AtomicLong mostQueued = new AtomicLong();
    private final AtomicReference<ServerEvent.BytesHeld> held =
            new AtomicReference<>(new ServerEvent.BytesHeld(0, 0, 0));
    private final Semaphore done = new Semaphore(0);
    private final Semaphore failed = new Semaphore(0);
    private final List<String> ended = Collections.synchronizedList(new ArrayList<>());
    private final List<AutoCloseable> open = new ArrayList<>();

    private final RunningServer server = start(Http.on(0));

    private RunningServer start(HttpServer configuration) {
        Agent agent = Agent.builder("talker", "1.0")
                .on("_x/talk", (client, params) -> {
                    try {
                        for (int i = 0; i < MESSAGES; i++) {
                            client.send("_x/said", RawJson.parse("{\"n\":" + i + ",\"text\":\"" + TEXT + "\"}"));
                            said.addAndGet(TEXT.length());
                        }
                        done.release();
                    } catch (ConnectionClosedException | InterruptedException e) {
                        // The end of its connection interrupts it, or it notices that first.
                        failed.release();
                    }
                    return RawJson.EMPTY_OBJECT;
                })
                .build();
        try {
            return configuration
                    .limits(ServerLimits.STANDARD
                            .withQueuedBytesInAll(BOUND)
                            .withLiveness(Duration.ofSeconds(15), STALL)
                            .withGrace(Duration.ofDays(10_000)))
                    .time(time)
                    .drainTime(Duration.ZERO)
                    .onEvent(this::note)
                    .start(agent::connect);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void note(ServerEvent event) {
        if (event instanceof ServerEvent.BytesHeld now) {
            held.set(now);
            mostQueued.accumulateAndGet(now.queued(), Math::max);
        } else if (event instanceof ServerEvent.ConnectionEnded over) {
            ended.add(over.reason());
        }
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        server.close();
    }

    /** Has time pass until something is true. */
    private void pass(Duration step, BooleanSupplier until) throws InterruptedException {
        assertThat(Poll.until(() -> {
                    time.advance(step);
                    return until.getAsBoolean();
                }))
                .isTrue();
    }

    private RawClient client() throws Exception {
        RawClient client = new RawClient(server);
        open.add(client);
        client.initialize();
        return client;
    }

    /** Begins a client that reads nothing: it has no stream, or does not read what comes on it. */
    private RawClient silent(boolean hasStream) throws Exception {
        RawClient client = client();
        if (hasStream) {
            Socket socket = new Socket();
            open.add(socket);
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), server.uri().getPort()));
            socket.getOutputStream()
                    .write(("GET /acp HTTP/1.1\r\nHost: " + server.uri().getAuthority()
                                    + "\r\nAccept: text/event-stream\r\nAuthorization: Bearer "
                                    + server.token().orElseThrow() + "\r\nAcp-Connection-Id: "
                                    + client.headers().get("Acp-Connection-Id") + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(client.post(TALK).statusCode()).isEqualTo(202);
        return client;
    }

    /** Reads all that the agent says, in its order. */
    private static void readAll(RawClient.Events stream) throws Exception {
        for (int i = 0; i < MESSAGES; i++) {
            String data = stream.data();
            assertThat(data.substring(0, Math.min(data.length(), 120))).contains("\"n\":" + i + ",");
        }
        assertThat(stream.data()).contains("\"result\"");
    }

    /** Has seconds pass until the server says that so many connections are slowed. */
    private void awaitSlowed(int count) throws InterruptedException {
        pass(Duration.ofSeconds(1), () -> held.get().slowed() == count);
    }

    @Test
    @Tag("LOD-06")
    @Tag("HTS-31")
    void clientsThatReadNothingSlowTheirAgentsOnlyAndEndInTheEnd() throws Exception {
        List<RawClient> silent = new ArrayList<>();
        for (int i = 0; i < SILENT; i++) {
            silent.add(silent(i % 2 == 0));
        }
        awaitSlowed(SILENT);
        long saidToSilent = said.get();

        // Those that read go on, with whatever is left.
        RawClient reading = client();
        RawClient.Events all = reading.stream();
        reading.post(TALK);
        readAll(all);
        assertThat(done.tryAcquire(60, TimeUnit.SECONDS)).isTrue();

        // One of the others reads after all: nothing is lost.
        readAll(silent.get(1).stream());
        assertThat(done.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        awaitSlowed(SILENT - 1);

        // The rest takes nothing, and ends as long as others need what it has: all but the last.
        assertThat(ended).isEmpty();
        assertThat(failed.availablePermits()).isZero();
        pass(STALL.multipliedBy(3), () -> ended.size() >= SILENT - 2);
        assertThat(failed.tryAcquire(SILENT - 2, 60, TimeUnit.SECONDS)).isTrue();
        awaitSlowed(1);
        time.advance(STALL.multipliedBy(3));
        awaitSlowed(1);
        assertThat(ended).hasSize(SILENT - 2).allMatch(reason -> reason.contains("has taken nothing for 72000 s"));
        // Each may go beyond by one message.
        assertThat(mostQueued.get()).isBetween(BOUND / 2L, BOUND + (SILENT + 1) * 10_000L);
        // Of each there are the messages that wait, those before them, and one that its agent is about to say; and what
        // the network holds.
        assertThat(saidToSilent).isLessThan(BOUND + SILENT * (64 * 1024 + 2 * 10_000) + SILENT * 3_000_000L);
        assertThat(reading.post("{\"jsonrpc\":\"2.0\",\"method\":\"_x/y\"}").statusCode())
                .isEqualTo(202);
    }

    @Test
    @Tag("LOD-06")
    void whatHasEndedIsCountedNoMore() throws Exception {
        List<RawClient> silent = new ArrayList<>();
        for (int i = 0; i < SILENT; i++) {
            silent.add(silent(i % 2 == 0));
        }
        awaitSlowed(SILENT);
        for (RawClient client : silent) {
            assertThat(client.delete().statusCode()).isEqualTo(202);
        }
        assertThat(failed.tryAcquire(SILENT, 60, TimeUnit.SECONDS)).isTrue();
        pass(STALL, () -> held.get().queued() + held.get().retained() == 0);

        assertThat(held.get()).isEqualTo(new ServerEvent.BytesHeld(0, 0, 0));
    }
}
