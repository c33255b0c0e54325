package dev.acp4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two channels that are joined: what comes out at one side, for what goes in at the other. */
@Timeout(60)
class LinkTest implements Link.Interception {
    private static final String ENVELOPE = "proxy/successor";

    private final LinkedBlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
    private final Map<String, Link.RequestInterceptor> requests = new ConcurrentHashMap<>();
    private final Map<String, Link.NotificationInterceptor> notifications = new ConcurrentHashMap<>();
    private final Link link = new Link(this);
    private final MemoryTransport.Pair clientSide = MemoryTransport.pair(64 * 1024 * 1024);
    private final MemoryTransport.Pair agentSide = MemoryTransport.pair(64 * 1024 * 1024);
    private final RawPeer client = new RawPeer(clientSide.right());
    private final RawPeer agent = new RawPeer(agentSide.right());
    private List<Connection> connections = List.of();

    @Override
    public Link.@Nullable RequestInterceptor request(Message message, Link.End from) {
        return requests.get(message.method());
    }

    @Override
    public Link.@Nullable NotificationInterceptor notification(Message message, Link.End from) {
        return notifications.get(message.method());
    }

    private void start() {
        start(Limits.STANDARD);
    }

    private void start(Limits limits) {
        connections = Link.start(
                Connection.builder(clientSide.left(), Link.handler(link.left()))
                        .name("client")
                        .limits(limits)
                        .onProblem(problems::add),
                Connection.builder(agentSide.left(), Link.handler(link.right()))
                        .name("agent")
                        .limits(limits)
                        .onProblem(problems::add));
    }

    @AfterEach
    void close() {
        client.close();
        agent.close();
        connections.forEach(Connection::close);
    }

    private static String update(String session, int number) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"" + session + "\",\"n\":"
                + number + "}}";
    }

    private static String request(String id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    private static String result(String id, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}";
    }

    private static RequestId idOf(String message) {
        RequestId id = Message.parse(message).id();
        assertThat(id).as(message).isNotNull();
        return Objects.requireNonNull(id);
    }

    @Test
    @Tag("PXL-13")
    @Tag("PRX-11")
    void whatIsWrittenBehindAnAnswerDoesNotOvertakeIt() throws Exception {
        start();
        for (int i = 0; i < 10_000; i++) {
            client.send(request("\"c" + i + "\"", "session/new", "{}"));
            RequestId id = idOf(agent.receive());
            agent.send(result(id.toString(), "{\"sessionId\":\"s" + i + "\"}"));
            agent.send(update("s" + i, i));

            assertThat(client.receive()).isEqualTo(result("\"c" + i + "\"", "{\"sessionId\":\"s" + i + "\"}"));
            assertThat(client.receive()).isEqualTo(update("s" + i, i));
        }
    }

    @Test
    @Tag("PXL-08")
    void idsAloneDiffer() throws Exception {
        start();
        String params = "{\"x\":1.50,\"x\":1e3,\"\\u00e9\":[ ],\"_meta\":{\"own\":null}}";
        client.send(
                "{ \"own\":7, \"method\" :\"m\" ,\"params\":" + params + ", \"id\":\"\\u0041\",\"jsonrpc\":\"2.0\"}");
        String there = agent.receive();
        RequestId id = idOf(there);
        assertThat(there)
                .isEqualTo("{ \"own\":7, \"method\" :\"m\" ,\"params\":" + params + ", \"id\":" + id
                        + ",\"jsonrpc\":\"2.0\"}");

        agent.send("{\"error\":{\"code\":-1,\"message\":\"no\",\"data\":null,\"own\":1.0}, \"jsonrpc\":\"2.0\",\"id\":"
                + id + " ,\"own\":true}");
        assertThat(client.receive())
                .isEqualTo("{\"error\":{\"code\":-1,\"message\":\"no\",\"data\":null,\"own\":1.0}, \"jsonrpc\":\"2.0\","
                        + "\"id\":\"\\u0041\" ,\"own\":true}");
    }

    @Test
    @Tag("PXL-08")
    void aNotificationPassesAsItCame() throws Exception {
        start();
        String odd =
                "{ \"method\" :\"update\", \"params\":{\"x\":1.50,\"x\":1e3,\"\\u00e9\":[ ]} ,\"own\":{},\"jsonrpc\":\"2.0\"}";
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":4}}");
        client.send(odd);

        assertThat(agent.receive()).isEqualTo(odd);
    }

    @Test
    void whatPassesInMemoryIsWrittenByTheThreadThatReads() throws Exception {
        LinkedBlockingQueue<String> writing = new LinkedBlockingQueue<>();
        start(message -> writing.add(Thread.currentThread().getName()));
        // The thread that writes may not have begun to wait when the first ones pass.
        int first = 0;
        do {
            client.send(update("a", first));
            assertThat(agent.receive()).isEqualTo(update("a", first));
        } while (!writing.take().equals("acp4j-client-reader") && ++first < 1_000);

        for (int i = 0; i < 1_000; i++) {
            client.send(update("b", i));
            assertThat(agent.receive()).isEqualTo(update("b", i));
            assertThat(writing.take()).isEqualTo("acp4j-client-reader");
        }
    }

    /** Hands what is written to the agent to somebody first. */
    private void start(Consumer<Message> beforeWrite) {
        Transport agentTransport = new Transport() {
            @Override
            public Transport.Reader reader() {
                return agentSide.left().reader();
            }

            @Override
            public Transport.Writer writer() {
                return new Watched(agentSide.left().writer(), beforeWrite);
            }

            @Override
            public void close() {
                agentSide.left().close();
            }
        };
        connections = Link.start(
                Connection.builder(clientSide.left(), Link.handler(link.left())).name("client"),
                Connection.builder(agentTransport, Link.handler(link.right())).name("agent"));
    }

    private record Watched(Transport.Writer to, Consumer<Message> beforeWrite) implements Transport.Writer {
        @Override
        public void write(Message message) throws IOException {
            beforeWrite.accept(message);
            to.write(message);
        }

        @Override
        public boolean takes(int bytes, long unread) {
            return to.takes(bytes, unread);
        }

        @Override
        public void flush() throws IOException {
            to.flush();
        }

        @Override
        public void close() throws IOException {
            to.close();
        }
    }

    @Test
    @Tag("CAN-15")
    void aCancellationWhileTheRequestIsWrittenGoesWhereItWent() throws Exception {
        LinkedBlockingQueue<String> writing = new LinkedBlockingQueue<>();
        start(message -> {
            writing.add(Thread.currentThread().getName());
            if (message.kind() == Message.Kind.REQUEST) {
                // The thread that reads it from the wire is the one that writes here.
                connections.get(0).state.cancel(RequestId.of(7));
            }
        });
        int updates = 0;
        do {
            client.send(update("s", updates));
            assertThat(agent.receive()).isEqualTo(update("s", updates));
        } while (!writing.take().equals("acp4j-client-reader") && ++updates < 1_000);

        client.send(request("7", "session/prompt", "{\"sessionId\":\"s\"}"));
        RequestId id = idOf(agent.receive());
        assertThat(writing.take()).isEqualTo("acp4j-client-reader");
        client.send(update("s", 0));

        assertThat(agent.receive())
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":" + id + "}}");
        assertThat(agent.receive()).isEqualTo(update("s", 0));
    }

    @Test
    @Tag("TRC-09")
    void aListenerThatWaitsHoldsUpNothingThatPasses() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        LinkedBlockingQueue<String> reported = new LinkedBlockingQueue<>();
        Connection.Listener waiting = new Connection.Listener() {
            @Override
            public void handled(Connection on, String method, Duration time, @Nullable RpcError error) {
                report("handled " + method);
            }

            @Override
            public void called(Connection on, String method, Duration time, @Nullable RpcException failure) {
                report("called " + method);
            }

            private void report(String what) {
                assertThatCode(goOn::await).doesNotThrowAnyException();
                reported.add(what);
            }
        };
        connections = Link.start(
                Connection.builder(clientSide.left(), Link.handler(link.left())).listener(waiting),
                Connection.builder(agentSide.left(), Link.handler(link.right())).listener(waiting));
        for (String id : List.of("1", "2")) {
            client.send(request(id, "m" + id, "{}"));
            agent.send(result(idOf(agent.receive()).toString(), "{}"));
            assertThat(client.receive()).isEqualTo(result(id, "{}"));
        }
        goOn.countDown();

        assertThat(List.of(reported.take(), reported.take(), reported.take(), reported.take()))
                .containsExactlyInAnyOrder("handled m1", "called m1", "handled m2", "called m2");
    }

    @Test
    void whatIsNoAnswerIsRefusedInItsPlace() throws Exception {
        requests.put("m", Exchange::request);
        requests.put("n", exchange -> Message.notification("n", null));
        start();

        client.send(request("1", "m", "{}"));
        assertThat(client.receive()).contains("\"id\":1").contains("-32603");
        assertThat(problems.take().detail()).contains("a result or an error was expected, not REQUEST");

        client.send(request("2", "n", "{}"));
        assertThat(client.receive()).contains("\"id\":2").contains("-32603");
        assertThat(problems.take().detail()).contains("not NOTIFICATION");
    }

    @Test
    void itKeepsItsPlaceBehindOneThatIsIntercepted() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        notifications.put("slow", (message, to) -> {
            goOn.await();
            to.pass(message.withParams(RawJson.parse("{\"sessionId\":\"a\",\"heard\":1}")));
        });
        start();
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"slow\",\"params\":{\"sessionId\":\"a\"}}");
        client.send(update("a", 1));
        client.send(update("b", 2));
        client.send(update("a", 3));

        assertThat(agent.receive()).isEqualTo(update("b", 2));
        goOn.countDown();
        assertThat(agent.receive()).contains("heard");
        assertThat(agent.receive()).isEqualTo(update("a", 1));
        assertThat(agent.receive()).isEqualTo(update("a", 3));
    }

    @Test
    void aSlowReaderHoldsThemBackAndLosesNone() throws Exception {
        MemoryTransport.Pair narrow = MemoryTransport.pair(1);
        RawPeer slow = new RawPeer(narrow.right());
        MemoryTransport.Pair alsoNarrow = MemoryTransport.pair(1);
        RawPeer sender = new RawPeer(alsoNarrow.right());
        Limits limits = Limits.STANDARD.withQueueBytes(200, 200);
        connections = Link.start(
                Connection.builder(alsoNarrow.left(), Link.handler(link.left())).limits(limits),
                Connection.builder(narrow.left(), Link.handler(link.right())).limits(limits));
        int messages = 500;
        FutureTask<Void> sending = new FutureTask<>(() -> {
            for (int i = 0; i < messages; i++) {
                sender.send(update("a", i));
            }
            return null;
        });
        Thread.ofPlatform().start(sending);

        for (int i = 0; i < messages; i++) {
            assertThat(slow.receive()).isEqualTo(update("a", i));
        }
        sending.get();
        sender.close();
        slow.close();
    }

    @Test
    void whatTheOtherSideDoesNotTakeIsReportedOrRefused() throws Exception {
        LinkedBlockingQueue<Problem> reports = new LinkedBlockingQueue<>();
        connections = Link.start(
                Connection.builder(clientSide.left(), Link.handler(link.left())).onProblem(reports::add),
                Connection.builder(agentSide.left(), Link.handler(link.right()))
                        .limits(Limits.STANDARD.withMessageBytes(80)));
        client.send(update("a-session-with-a-long-name", 1));
        assertThat(reports.take().detail()).endsWith("allowed are 80");
        client.send(request("1", "session/prompt", "{\"sessionId\":\"a-session-with-a-long-name\"}"));
        assertThat(client.receive()).contains("\"id\":1").contains("allowed are 80");

        connections.get(1).close();
        client.send(update("a", 1));
        assertThat(reports.take().kind()).isEqualTo(Problem.Kind.NOTIFICATION_FAILED);
        client.send(request("2", "m", "{}"));
        assertThat(client.receive()).contains("\"id\":2").contains("next component has ended");
    }

    @Test
    @Tag("CAN-15")
    @Tag("PRX-12")
    void aCancellationIsMadeAnewForTheRequestThatWentOn() throws Exception {
        start();
        client.send(request("7", "session/prompt", "{\"sessionId\":\"s\"}"));
        RequestId id = idOf(agent.receive());
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":7}}");
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":7}}");
        client.send(update("s", 1));

        assertThat(agent.receive())
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":" + id + "}}");
        assertThat(agent.receive()).isEqualTo(update("s", 1));
        agent.send(result(id.toString(), "{\"late\":true}"));
        assertThat(client.receive()).isEqualTo(result("7", "{\"late\":true}"));
    }

    @Test
    void aRequestWhoseAnswerWillNotComeGetsAnError() throws Exception {
        start();
        client.send(request("7", "session/prompt", "{\"sessionId\":\"s\"}"));
        assertThat(agent.receive()).contains("session/prompt");
        agent.send(update("s", 1));
        agent.close();

        assertThat(client.receive()).isEqualTo(update("s", 1));
        assertThat(client.receive()).contains("\"id\":7").contains("-32603").contains("next component has ended");
    }

    @Test
    void aSessionWaitsForItsInterceptorAndOthersGoOn() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        requests.put("session/prompt", exchange -> {
            goOn.await();
            return exchange.forward(RawJson.parse("{\"sessionId\":\"s\",\"changed\":true}"));
        });
        start();
        client.send(request("1", "session/prompt", "{\"sessionId\":\"s\"}"));
        client.send(update("s", 1));
        client.send(request("2", "session/set_mode", "{\"sessionId\":\"s\"}"));
        client.send(update("other", 2));

        assertThat(agent.receive()).isEqualTo(update("other", 2));
        goOn.countDown();
        assertThat(agent.receive()).contains("\"changed\":true");
        assertThat(agent.receive()).isEqualTo(update("s", 1));
        assertThat(agent.receive()).contains("session/set_mode");
    }

    @Test
    void whatStandsBehindAnAnswerWaitsUntilItsInterceptorReturns() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        requests.put("session/new", exchange -> {
            Message answer = exchange.forward(RawJson.EMPTY_OBJECT);
            goOn.await();
            return answer.withResult(RawJson.parse("{\"sessionId\":\"s\",\"more\":1}"));
        });
        start();
        client.send(request("1", "session/new", "{}"));
        RequestId id = idOf(agent.receive());
        agent.send(result(id.toString(), "{\"sessionId\":\"s\"}"));
        agent.send(update("s", 1));
        agent.send(update("other", 2));

        assertThat(client.receive()).isEqualTo(update("other", 2));
        goOn.countDown();
        assertThat(client.receive()).contains("\"more\":1").contains("\"id\":1");
        assertThat(client.receive()).isEqualTo(update("s", 1));
    }

    @Test
    void aHeldPromptWaitsForOneOfItsOwnWhoseQuestionsAreAnswered() throws Exception {
        requests.put("session/prompt", exchange -> {
            RawJson own = exchange.to()
                    .channel()
                    .start("session/prompt", RawJson.parse("{\"sessionId\":\"s\",\"own\":1}"), RawJson.CODEC, null)
                    .await();
            assertThat(own.toString()).isEqualTo("{\"done\":1}");
            return exchange.forward(RawJson.parse("{\"sessionId\":\"s\"}"));
        });
        start();
        client.send(request("1", "session/prompt", "{\"sessionId\":\"s\"}"));
        String own = agent.receive();
        assertThat(own).contains("\"own\":1");
        agent.send(request("\"q\"", "session/request_permission", "{\"sessionId\":\"s\"}"));
        String question = client.receive();
        client.send(result(idOf(question).toString(), "{\"yes\":true}"));

        assertThat(agent.receive()).isEqualTo(result("\"q\"", "{\"yes\":true}"));
        agent.send(result(idOf(own).toString(), "{\"done\":1}"));
        String held = agent.receive();
        agent.send(result(idOf(held).toString(), "{\"done\":2}"));
        assertThat(client.receive()).isEqualTo(result("1", "{\"done\":2}"));
    }

    @Test
    void aCancelledInterceptorIsInterruptedAndItsRequestGoesNoFurther() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        requests.put("session/prompt", exchange -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return exchange.forward(null);
        });
        start();
        client.send(request("1", "session/prompt", "{\"sessionId\":\"s\"}"));
        begun.await();
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}");

        assertThat(client.receive()).contains("-32800").contains("\"id\":1");
        client.send(update("s", 1));
        assertThat(agent.receive()).isEqualTo(update("s", 1));
    }

    @Test
    void aRequestWhoseInterceptorFailsIsAnsweredWithoutTheReason() throws Exception {
        requests.put("session/prompt", exchange -> {
            throw new IllegalStateException("secret");
        });
        start();
        client.send(request("1", "session/prompt", "{\"sessionId\":\"s\"}"));

        assertThat(client.receive()).contains("-32603").doesNotContain("secret");
        assertThat(problems.take().kind()).isEqualTo(Problem.Kind.INTERCEPTOR_FAILED);
    }

    private void bothSend(String line, int messages) throws Exception {
        FutureTask<Void> other = new FutureTask<>(() -> {
            for (int i = 0; i < messages; i++) {
                agent.send(line);
            }
            return null;
        });
        Thread.ofPlatform().start(other);
        for (int i = 0; i < messages; i++) {
            client.send(line);
        }
        other.get();
    }

    private void bothReceive(String line, int messages) throws Exception {
        for (int i = 0; i < messages; i++) {
            assertThat(client.receive()).isEqualTo(line);
            assertThat(agent.receive()).isEqualTo(line);
        }
    }

    @Test
    @Tag("PRX-29")
    void peersThatOnlyWriteDoNotStopEachOther() throws Exception {
        int queue = 256 * 1024;
        start(Limits.STANDARD.withQueueBytes(queue, queue));
        String text = "x".repeat(16 * 1024);
        String big =
                "{\"jsonrpc\":\"2.0\",\"method\":\"big\",\"params\":{\"sessionId\":\"s\",\"text\":\"" + text + "\"}}";
        int messages = 64 * 1024 * 1024 / big.length() + 40;
        bothSend(big, messages);
        bothReceive(big, messages);
    }

    @Test
    @Tag("PRX-29")
    void peersThatOnlyWriteDoNotStopEachOtherBehindInterceptors() throws Exception {
        int queue = 256 * 1024;
        // Nothing waits for the patience: the test would be over before.
        start(Limits.STANDARD.withQueueBytes(queue, queue).withBarrierPatience(Duration.ofMinutes(10)));
        notifications.put("big", (message, to) -> to.pass(message));
        String text = "x".repeat(16 * 1024);
        String big =
                "{\"jsonrpc\":\"2.0\",\"method\":\"big\",\"params\":{\"sessionId\":\"s\",\"text\":\"" + text + "\"}}";
        // More than the pipe, a full queue and a full lane take.
        int messages = (64 * 1024 * 1024 + 3 * queue) / big.length();
        bothSend(big, messages);
        assertThat(problems.take().kind()).isEqualTo(Problem.Kind.CROWDED);
        bothReceive(big, messages);
    }

    @Test
    @Tag("PRX-05")
    void anEnvelopeIsARequestOrANotificationByItsIdAndHasParamsOrNone() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        RawPeer conductor = new RawPeer(pair.right());
        connections = List.of(Connection.builder(pair.left(), Link.handler(link.left(), link.right(), ENVELOPE))
                .envelopes(ENVELOPE)
                .start());
        for (String none : List.of("{\"method\":\"m\"}", "{\"params\":null,\"method\":\"m\"}")) {
            conductor.send("{\"jsonrpc\":\"2.0\",\"method\":\"" + ENVELOPE + "\",\"params\":" + none + "}");
            assertThat(conductor.receive()).isEqualTo("{\"jsonrpc\":\"2.0\",\"method\":\"m\"}");
        }
        conductor.send(request("1", ENVELOPE, "{\"method\":\"m\",\"params\":[1.50]}"));
        String there = conductor.receive();
        assertThat(there).isEqualTo(request(idOf(there).toString(), "m", "[1.50]"));

        conductor.send("{\"jsonrpc\":\"2.0\",\"method\":\"m\"}");
        assertThat(conductor.receive())
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"method\":\"" + ENVELOPE + "\",\"params\":{\"method\":\"m\"}}");
        conductor.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"m\"}");
        String wrapped = conductor.receive();
        assertThat(wrapped).isEqualTo(request(idOf(wrapped).toString(), ENVELOPE, "{\"method\":\"m\"}"));
        conductor.close();
    }

    @Test
    @Tag("PRX-07")
    void oneConnectionCarriesTwoChannels() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        RawPeer conductor = new RawPeer(pair.right());
        connections = List.of(Connection.builder(pair.left(), Link.handler(link.left(), link.right(), ENVELOPE))
                .envelopes(ENVELOPE)
                .start());
        conductor.send(request("0", "session/prompt", "{\"sessionId\":\"s\",\"x\":1.50}"));

        String there = conductor.receive();
        RequestId id = idOf(there);
        assertThat(there)
                .isEqualTo(request(
                        id.toString(),
                        ENVELOPE,
                        "{\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\",\"x\":1.50}}"));
        conductor.send("{\"jsonrpc\":\"2.0\",\"method\":\"" + ENVELOPE
                + "\",\"params\":{\"params\":{\"sessionId\":\"s\",\"n\":1},"
                + "\"_meta\":{\"hop\":1},\"method\":\"session/update\"}}");
        assertThat(conductor.receive())
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"n\":1}}");
        conductor.send(
                request("0", ENVELOPE, "{\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s\"}}"));
        assertThat(conductor.receive()).contains("a request with this id is still in flight");
        conductor.send(request(
                "\"0\"", ENVELOPE, "{\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s\"}}"));
        String question = conductor.receive();
        assertThat(question)
                .contains("\"method\":\"session/request_permission\"")
                .doesNotContain(ENVELOPE);
        conductor.send(result(idOf(question).toString(), "7"));
        assertThat(conductor.receive()).isEqualTo(result("\"0\"", "7"));
        conductor.send(result(id.toString(), "{\"ended\":true}"));
        assertThat(conductor.receive()).isEqualTo(result("0", "{\"ended\":true}"));
        conductor.send(request("5", ENVELOPE, "{\"params\":{}}"));
        assertThat(conductor.receive()).contains("\"id\":5").contains("params.method");
        conductor.close();
    }
}
