package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What passes a link keeps its order, each request has one answer, also when what is behind the link dies. */
@Timeout(3600)
class LinkSchedulesTest {
    /** Forwards all, on threads and in lanes of its own. */
    private static final Link.Interception FORWARDING = new Link.Interception() {
        @Override
        public Link.RequestInterceptor request(Message message, Link.End from) {
            return exchange -> exchange.forward(exchange.request().params());
        }

        @Override
        public Link.NotificationInterceptor notification(Message message, Link.End from) {
            return (notification, to) -> to.pass(notification);
        }
    };

    /** One end of a chain, on the wire. */
    private static final class End {
        final List<String> received = Collections.synchronizedList(new ArrayList<>());
        private final Transport transport;

        End(Transport transport) {
            this.transport = transport;
        }

        @Nullable
        Message read() throws Exception {
            return transport.reader().read();
        }

        void send(String text) throws Exception {
            transport.writer().write(Message.parse("{\"jsonrpc\":\"2.0\"," + text + "}"));
        }

        void request(int id, String method, String session) throws Exception {
            send("\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":{\"sessionId\":\"" + session + "\"}");
        }

        void update(String session, int number) throws Exception {
            send("\"method\":\"update" + number + "\",\"params\":{\"sessionId\":\"" + session + "\"}");
        }

        void answer(Message request) throws Exception {
            send("\"id\":" + request.id() + ",\"result\":{\"of\":\"" + request.session() + "\"}");
        }
    }

    /** Holds some messages, but not all that one side says. */
    private static final int PIPE_BYTES = 250;

    /** One end of two pipes of the operating system, which fails when a write blocks that was promised not to. */
    private record Pipe(
            Transport memory, AtomicLong there, AtomicLong back, AtomicBoolean isPromised, AtomicInteger promises)
            implements Transport, Transport.Reader, Transport.Writer {

        static MemoryTransport.Pair pair(AtomicInteger promises) {
            MemoryTransport.Pair memory = MemoryTransport.pair(PIPE_BYTES);
            AtomicLong there = new AtomicLong();
            AtomicLong back = new AtomicLong();
            return new MemoryTransport.Pair(
                    new Pipe(memory.left(), there, back, new AtomicBoolean(), promises),
                    new Pipe(memory.right(), back, there, new AtomicBoolean(), promises));
        }

        @Override
        public Reader reader() {
            return this;
        }

        @Override
        public Writer writer() {
            return this;
        }

        @Override
        public @Nullable Message read() throws IOException, InterruptedException {
            Message message = memory.reader().read();
            back.addAndGet(message == null ? 0 : -message.length());
            return message;
        }

        @Override
        public boolean takes(int bytes, long unread) {
            isPromised.set(unread + bytes <= PIPE_BYTES);
            return isPromised.get();
        }

        @Override
        public void write(Message message) throws IOException {
            if (isPromised.getAndSet(false)) {
                promises.incrementAndGet();
                assertThat(there.get() + message.length())
                        .as("what is in the pipe")
                        .isLessThanOrEqualTo(PIPE_BYTES);
            }
            Schedule.letOthersRun();
            there.addAndGet(message.length());
            memory.writer().write(message);
            Schedule.letOthersRun();
        }

        @Override
        public void flush() throws IOException {
            memory.writer().flush();
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    private static Connection.Builder connection(Schedule schedule, Transport transport, Handler handler) {
        return Connection.builder(transport, handler)
                .limits(Limits.STANDARD.withQueueBytes(400, 400))
                .time(schedule);
    }

    // ---- what passes

    @Test
    void answersUpdatesQuestionsAndCancellationsPassInOrder() {
        Schedule.explore(schedule -> relay(schedule, Link.Interception.NONE));
    }

    @Test
    void whatIsInterceptedPassesInOrder() {
        Schedule.explore(schedule -> relay(schedule, FORWARDING));
    }

    @Test
    void whatReadingThreadsWriteThemselvesPassesInOrderAndBlocksNone() {
        AtomicInteger promises = new AtomicInteger();
        Schedule.explore(schedule -> relay(schedule, Link.Interception.NONE, Pipe.pair(promises), Pipe.pair(promises)));

        assertThat(promises).hasPositiveValue();
    }

    @Test
    void whatTheyWriteIntoMemoryPassesInOrder() {
        Schedule.explore(schedule -> relay(schedule, Link.Interception.NONE, memory(), memory()));
    }

    /** Holds some ten messages. Its own lock is no part of the schedule. */
    private static MemoryTransport.Pair memory() {
        return MemoryTransport.pair(600);
    }

    private static void relay(Schedule schedule, Link.Interception interception) throws Exception {
        relay(schedule, interception, MemoryTransport.pair(2), MemoryTransport.pair(2));
    }

    private static void relay(
            Schedule schedule,
            Link.Interception interception,
            MemoryTransport.Pair toClient,
            MemoryTransport.Pair toAgent)
            throws Exception {
        End client = new End(toClient.left());
        End agent = new End(toAgent.right());
        Link link = new Link(interception);
        List<Connection> connections = Link.start(
                connection(schedule, toClient.right(), Link.handler(link.left())),
                connection(schedule, toAgent.left(), Link.handler(link.right())));

        Thread serving = schedule.begin("agent", () -> serve(agent));
        Thread asking = schedule.begin("client", () -> {
            client.request(1, "prompt", "s");
            client.request(2, "prompt", "t");
            client.send("\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}");
        });
        Thread hearing = schedule.begin("reader", () -> hear(client));
        Schedule.join(asking, hearing);
        client.transport.close();
        connections.get(0).close();
        connections.get(1).close();
        serving.join();

        assertThat(client.received)
                .filteredOn(text -> text.endsWith(" t"))
                .containsExactly("update1 t", "question t", "update2 t", "answer t", "update3 t");
        // Unless it was cancelled before it was forwarded.
        assertThat(client.received)
                .filteredOn(text -> text.endsWith(" s"))
                .isIn(List.of("update1 s", "question s", "update2 s", "answer s", "update3 s"), List.of("cancelled s"));
        assertThat(agent.received).filteredOn("answer t"::equals).hasSize(1);
        assertThat(agent.received).filteredOn("cancel"::equals).hasSizeLessThan(2);
        assertThat(schedule.millis()).isZero();
    }

    /** Answers each prompt behind two updates and a question, and says one thing more. */
    private static void serve(End agent) throws Exception {
        for (Message message; (message = agent.read()) != null; ) {
            if (message.kind() == Message.Kind.REQUEST) {
                agent.update(message.session(), 1);
                agent.request(message.session().charAt(0), "question", message.session());
                agent.update(message.session(), 2);
                agent.answer(message);
                agent.update(message.session(), 3);
            } else if (message.kind().isResponse()) {
                agent.received.add("answer " + (char) Integer.parseInt(String.valueOf(message.id())));
            } else {
                agent.received.add("cancel");
            }
        }
    }

    /** Hears until both prompts have come to their end. */
    private static void hear(End client) throws Exception {
        int ends = 0;
        while (ends < 2) {
            Message message = client.read();
            if (message == null) {
                throw new AssertionError("the wire ends after " + client.received);
            }
            if (message.kind() == Message.Kind.REQUEST) {
                client.received.add("question " + message.session());
                client.answer(message);
            } else if (message.kind().isResponse()) {
                String session = String.valueOf(message.id()).equals("1") ? "s" : "t";
                client.received.add((message.isError() ? "cancelled " : "answer ") + session);
                ends += message.isError() ? 1 : 0;
            } else {
                client.received.add(message.method() + " " + message.session());
                ends += message.method().equals("update3") ? 1 : 0;
            }
        }
    }

    // ---- full queues

    private static final String ENVELOPE = "e";
    private static final int FLOOD = 60;

    @Test
    @Tag("CON-29")
    void twoComponentsThatReadNothingWhileTheyWriteDoNotStandStill() {
        Schedule.explore(schedule -> flood(schedule, 2, Link.Interception.NONE));
    }

    @Test
    @Tag("CON-29")
    void norDoTheyWhenAllIsInterceptedBeforeThem() {
        Schedule.explore(schedule -> flood(schedule, 2, FORWARDING));
    }

    @Test
    @Tag("CON-29")
    void threeComponentsThatReadNothingWhileTheyWriteDoNotStandStill() {
        Schedule.explore(schedule -> flood(schedule, 3, Link.Interception.NONE));
    }

    @Test
    @Tag("CON-29")
    void norDoTheyWhenReadingThreadsWriteIntoPipes() {
        AtomicInteger promises = new AtomicInteger();
        Schedule.explore(schedule -> flood(schedule, 2, Link.Interception.NONE, () -> Pipe.pair(promises)));

        assertThat(promises).hasPositiveValue();
    }

    @Test
    @Tag("CON-29")
    void norDoTheyWhenWritersInMemoryWaitUntilHalfIsFree() {
        Schedule.explore(schedule -> flood(schedule, 2, Link.Interception.NONE, LinkSchedulesTest::memory));
    }

    private static void flood(Schedule schedule, int components, Link.Interception first) throws Exception {
        flood(schedule, components, first, () -> MemoryTransport.pair(1));
    }

    /** Both ends send much more than the queues hold, and each component between reads and writes in one thread. */
    private static void flood(
            Schedule schedule, int components, Link.Interception first, Supplier<MemoryTransport.Pair> wires)
            throws Exception {
        List<Link> links = new ArrayList<>(List.of(new Link(first)));
        for (int i = 1; i <= components; i++) {
            links.add(new Link(Link.Interception.NONE));
        }
        MemoryTransport.Pair toClient = wires.get();
        MemoryTransport.Pair toAgent = wires.get();
        List<Connection.Builder> builders = new ArrayList<>();
        builders.add(
                connection(schedule, toClient.right(), Link.handler(links.get(0).left())));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < components; i++) {
            MemoryTransport.Pair pair = wires.get();
            Link.Ends ends = Link.handler(links.get(i).right(), links.get(i + 1).left(), ENVELOPE)
                    .between();
            builders.add(connection(schedule, pair.left(), ends).envelopes(ENVELOPE));
            threads.add(schedule.begin("component " + i, () -> passAllOn(pair.right())));
        }
        builders.add(connection(
                schedule, toAgent.left(), Link.handler(links.get(components).right())));
        List<Connection> connections = Link.start(builders.toArray(new Connection.Builder[0]));

        End client = new End(toClient.left());
        End agent = new End(toAgent.right());
        Thread[] ends = {
            schedule.begin("client", () -> sendAll(client)),
            schedule.begin("agent", () -> sendAll(agent)),
            schedule.begin("client's reader", () -> receiveAll(client)),
            schedule.begin("agent's reader", () -> receiveAll(agent))
        };
        Schedule.join(ends);
        client.transport.close();
        agent.transport.close();
        connections.forEach(Connection::close);
        Schedule.join(threads.toArray(new Thread[0]));

        assertThat(client.received).hasSize(FLOOD).isEqualTo(agent.received);
    }

    private static void passAllOn(Transport transport) throws Exception {
        for (Message read; (read = transport.reader().read()) != null; ) {
            // As it stands on the wire, with its envelope.
            Message message = Message.parse(String.valueOf(read.raw()));
            String params = String.valueOf(message.params());
            String members = message.method().equals(ENVELOPE)
                    ? params.substring(1, params.length() - 1)
                    : "\"method\":\"" + ENVELOPE + "\",\"params\":{\"method\":\"" + message.method() + "\",\"params\":"
                            + params + "}";
            transport.writer().write(Message.parse("{\"jsonrpc\":\"2.0\"," + members + "}"));
        }
    }

    private static void sendAll(End end) throws Exception {
        for (int i = 0; i < FLOOD; i++) {
            end.update("s", i);
        }
    }

    private static void receiveAll(End end) throws Exception {
        for (int i = 0; i < FLOOD; i++) {
            Message message = end.read();
            if (message == null || !message.method().equals("update" + i)) {
                throw new AssertionError("update" + i + " was expected, and what came is " + message);
            }
            end.received.add(message.method());
        }
    }

    // ---- what dies

    @Test
    void aPromptInsideWhatDiesIsAnsweredOnceAndTheNextPasses() {
        Schedule.explore(schedule -> death(schedule, Link.Interception.NONE));
    }

    @Test
    void anInterceptedPromptInsideWhatDiesIsAnsweredOnceAndTheNextPasses() {
        Schedule.explore(schedule -> death(schedule, FORWARDING));
    }

    private static void death(Schedule schedule, Link.Interception interception) throws Exception {
        MemoryTransport.Pair toClient = MemoryTransport.pair();
        MemoryTransport.Pair first = MemoryTransport.pair();
        MemoryTransport.Pair second = MemoryTransport.pair();
        End client = new End(toClient.left());
        End dying = new End(first.right());
        End next = new End(second.right());
        Link link = new Link(interception);
        List<Connection> replaced = Collections.synchronizedList(new ArrayList<>());
        List<Connection> connections = new ArrayList<>();
        List<Thread> supervisors = Collections.synchronizedList(new ArrayList<>());
        Link.Ends ends = Link.handler(link.right()).onEnding(ended -> {
            link.right().unbind(ended);
            supervisors.add(schedule.begin("supervisor", () -> {
                Link.Ends others = Link.replacement(link.right(), null, "");
                replaced.add(connection(schedule, second.left(), others).start());
                others.bind();
            }));
        });
        connections.addAll(Link.start(
                connection(schedule, toClient.right(), Link.handler(link.left())),
                connection(schedule, first.left(), ends).answersAfterInput(false)));

        Thread died = schedule.begin("dying", () -> {
            Message unused = dying.read();
            dying.update("s", 1);
            dying.transport.close();
        });
        Thread serving = schedule.begin("next", () -> {
            for (Message message; (message = next.read()) != null; ) {
                if (message.kind() == Message.Kind.REQUEST) {
                    next.answer(message);
                }
            }
        });
        Thread asking = schedule.begin("client", () -> {
            client.request(1, "prompt", "s");
            client.request(2, "prompt", "s");
            client.send("\"method\":\"$/cancel_request\",\"params\":{\"requestId\":2}");
        });
        List<String> heard = new ArrayList<>();
        while (heard.stream().filter(text -> text.startsWith("answer")).count() < 2) {
            heard.add(heard(client));
        }
        Schedule.join(died, asking);
        connections.get(1).awaitClosed();
        supervisors.get(0).join();
        client.request(3, "prompt", "s");
        while (heard.stream().noneMatch(text -> text.startsWith("answer 3"))) {
            heard.add(heard(client));
        }
        client.transport.close();
        connections.get(0).close();
        replaced.forEach(Connection::close);
        serving.join();

        assertThat(heard).containsOnlyOnce("answer 1").containsOnlyOnce("answer 2");
        assertThat(heard).endsWith("answer 3 with s");
        assertThat(heard).as("what it said last, before its end").containsSubsequence("update1", "answer 1");
        assertThat(heard).containsOnlyOnce("update1");
    }

    private static String heard(End client) throws Exception {
        Message message = client.read();
        if (message == null) {
            throw new AssertionError("the wire ends");
        }
        if (!message.kind().isResponse()) {
            return message.method();
        }
        return "answer " + message.id()
                + (String.valueOf(message.id()).equals("3") && !message.isError() ? " with s" : "");
    }
}
