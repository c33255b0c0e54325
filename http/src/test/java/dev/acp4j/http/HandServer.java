package dev.acp4j.http;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.FakeTime;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A real server whose time passes when the test says so, and whose agents answer {@code initialize} by themselves and
 * then say what the test tells them.
 */
final class HandServer implements AutoCloseable {
    final FakeTime time = new FakeTime();
    final LinkedBlockingQueue<ServerEvent> events = new LinkedBlockingQueue<>();
    final RunningServer server;
    private final LinkedBlockingQueue<Transport> ready = new LinkedBlockingQueue<>();
    private final CopyOnWriteArrayList<Transport> agents = new CopyOnWriteArrayList<>();

    HandServer(HttpServer configuration) throws IOException {
        this(configuration, Duration.ZERO);
    }

    HandServer(HttpServer configuration, Duration drainTime) throws IOException {
        server = configuration
                .time(time)
                .drainTime(drainTime)
                .onEvent(events::add)
                .start(this::begin);
        awaitClock();
    }

    private void awaitClock() {
        try {
            time.awaitWaiters(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Has time pass, and the server look at the clock. */
    void pass(Duration duration) {
        awaitClock();
        time.advance(duration);
    }

    private void begin(Transport agent) {
        agents.add(agent);
        Thread unused = Thread.ofVirtual().start(() -> {
            try {
                if (agent.reader().read() != null) {
                    agent.writer().write(Message.parse(EndpointFixture.ANSWER));
                    ready.add(agent);
                }
            } catch (IOException e) {
                // The client has left.
                agent.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Returns the agent of the next connection. */
    Transport agent() throws InterruptedException {
        return Objects.requireNonNull(ready.poll(60, TimeUnit.SECONDS), "no agent within 60 s");
    }

    /** Waits for an event that fits. */
    <E extends ServerEvent> E event(Class<E> type) throws InterruptedException {
        while (true) {
            @Nullable ServerEvent event = events.poll(60, TimeUnit.SECONDS);
            if (event == null) {
                throw new AssertionError("no " + type.getSimpleName() + " within 60 s");
            }
            if (type.isInstance(event)) {
                return type.cast(event);
            }
        }
    }

    static void says(Transport agent, String message) throws IOException {
        agent.writer().write(Message.parse(message));
    }

    /** Returns the next message that the agent reads. */
    static String hears(Transport agent) throws Exception {
        Message message = agent.reader().read();
        return message == null ? "end" : message.raw().toString();
    }

    @Override
    public void close() {
        agents.forEach(Transport::close);
        server.close();
    }
}
