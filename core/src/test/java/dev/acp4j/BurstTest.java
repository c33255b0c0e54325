package dev.acp4j;

import static dev.acp4j.RawAgent.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Interceptor;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A reader of a turn gets an event soon, also when messages keep coming, or the connection breaks. */
@Timeout(20)
class BurstTest {
    @RegisterExtension
    final Joined joined = new Joined();

    private static final String VERSION = "{\"protocolVersion\":1}";

    /** What comes behind the message that says <em>hi</em>. */
    @FunctionalInterface
    private interface Behind {
        /** Returns the next message; null when there are no more of these. */
        @Nullable
        Message next() throws IOException;
    }

    /** A transport that always has a further message at hand behind a certain one. */
    private record Bursting(Transport transport, Behind behind) implements Transport {
        @Override
        public Transport.Reader reader() {
            Transport.Reader reader = transport.reader();
            return new Transport.Reader() {
                private boolean bursts;

                @Override
                public @Nullable Message read() throws IOException, InterruptedException {
                    Message next = bursts ? behind.next() : null;
                    if (next != null) {
                        return next;
                    }
                    Message message = reader.read();
                    bursts = message != null && message.raw().toString().contains("hi");
                    return message;
                }

                @Override
                public boolean isReady() {
                    return bursts || reader.isReady();
                }
            };
        }

        @Override
        public Transport.Writer writer() {
            return transport.writer();
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    private static final Message ELSEWHERE = Message.notification(
            "session/update",
            RawJson.parse(
                    "{\"sessionId\":\"other\",\"update\":{\"sessionUpdate\":\"usage_update\",\"used\":1,\"size\":2}}"));

    private static Client.Builder client() {
        return Client.builder("client", "1");
    }

    private static FutureTask<SessionEvent> reading(RawAgent agent) throws Exception {
        Turn turn = agent.open().prompt("go");
        Message unused = agent.expect("session/prompt");
        return started(() -> turn.iterator().next());
    }

    @Test
    void otherMessagesWithoutEndDoNotKeepAnEventFromItsReader() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        try (RawAgent agent = new RawAgent(
                client(), VERSION, end -> new Bursting(end, () -> read.getCount() == 0 ? null : ELSEWHERE))) {
            FutureTask<SessionEvent> first = reading(agent);

            agent.says("hi");

            assertThat(first.get()).isInstanceOf(SessionEvent.Message.class);
            read.countDown();
        } finally {
            read.countDown();
        }
    }

    @Test
    void aReadThatFailsBehindAnEventDoesNotKeepItFromItsReader() throws Exception {
        try (RawAgent agent = new RawAgent(
                client(),
                VERSION,
                end -> new Bursting(end, () -> {
                    throw new IOException("cable cut");
                }))) {
            FutureTask<SessionEvent> first = reading(agent);

            agent.says("hi");

            assertThat(first.get()).isInstanceOf(SessionEvent.Message.class);
        }
    }

    @Test
    void aPromptThatCannotBeSentFailsAtOnceThoughAListenerIsBusy() throws Exception {
        CountDownLatch listening = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Client.Builder client = client().onEvent((session, event) -> {
            listening.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try (RawAgent agent = new RawAgent(client, VERSION)) {
            Session session = agent.open();
            agent.says("hi");
            listening.await();
            agent.hangUp();
            FutureTask<Turn> prompting = started(() -> {
                while (true) {
                    // The client reads the end of the connection when it likes.
                    Turn unused = session.prompt("go");
                    unused.close();
                }
            });

            assertThatThrownBy(prompting::get).hasCauseInstanceOf(ConnectionClosedException.class);
            goOn.countDown();
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void anInterceptorThatInterruptsItsThreadStopsNothing() throws Exception {
        Interceptor interrupting = (message, next) -> {
            Thread.currentThread().interrupt();
            next.pass(message);
        };
        ConnectedAgent agent = joined.join(
                Joined.agent(turn -> turn.message(turn.text())),
                client().interceptIncoming(interrupting).interceptOutgoing(interrupting));
        Session session = agent.newSession(Joined.HERE);

        assertThat(session.prompt("one").text()).isEqualTo("one");
        assertThat(session.prompt("two").text()).isEqualTo("two");
    }
}
