package dev.acp4j.http;

import static dev.acp4j.http.EndpointFixture.call;
import static dev.acp4j.http.EndpointFixture.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** WebSockets that go on with a connection, without a network. */
class SocketResumeTest {
    private final EndpointFixture server = new EndpointFixture();

    /** One socket: what was sent over it, and at the end {@code closed CODE}. */
    private final class Socket implements Exchange.Link {
        final List<String> sent = new ArrayList<>();
        final FakeExchange exchange;
        final SocketSession session;
        int pings;
        long asked;
        int taken;
        boolean blocked;
        private @Nullable Runnable unblock;

        Socket(String connection) throws InterruptedException {
            exchange = new FakeExchange("GET");
            exchange.upgrades = true;
            if (!connection.isEmpty()) {
                exchange.with("Acp-Connection-Id", connection);
            }
            server.handle(exchange);
            session = Objects.requireNonNull(exchange.socket, exchange.text());
            session.open(this);
        }

        Socket says(String text) throws InterruptedException {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            session.message(Message.parse(RawJson.wrap(bytes, 0, bytes.length)), () -> taken++);
            return this;
        }

        @Override
        public void send(RawJson text, Runnable progress, Consumer<@Nullable Throwable> done) {
            Runnable write = () -> {
                sent.add(text.toString());
                done.accept(null);
            };
            if (blocked) {
                unblock = write;
            } else {
                write.run();
            }
        }

        void unblock() {
            blocked = false;
            Runnable write = unblock;
            unblock = null;
            if (write != null) {
                write.run();
            }
        }

        @Override
        public void ping(long number) {
            pings++;
            asked = number;
        }

        @Override
        public void close(int code, String reason) {
            sent.add("closed " + code);
        }

        @Override
        public void abort() {
            sent.add("aborted");
        }
    }

    private static String resume(String connection, String cursors) {
        return "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"stream/resume\",\"params\":{\"connectionId\":\""
                + connection + "\",\"cursors\":{" + cursors + "}}}";
    }

    private static String cursor(String message) {
        return message.replaceAll(".*acp/cursor\":\"([^\"]*)\".*", "$1");
    }

    private static String id(Socket socket) {
        return socket.sent.get(0).replaceAll(".*acp4j/connectionId\":\"([^\"]*)\".*", "$1");
    }

    /** Opens a connection with a session, whose stream has one message. */
    private Transport begin(Socket socket) throws Exception {
        socket.says(RawClient.INITIALIZE);
        Transport agent = server.agents.take();
        agent.reader().read();
        agent.writer().write(Message.parse(EndpointFixture.ANSWER));
        socket.says(call(1, "session/new", ""));
        agent.reader().read();
        says(agent, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"s\"}}");
        says(agent, update("s", "one"));
        return agent;
    }

    private static void says(Transport agent, String message) throws Exception {
        agent.writer().write(Message.parse(message));
    }

    @Test
    @Tag("DUR-05")
    @Tag("DUR-41")
    void whatAClientProcessesIsWhatWasProducedWhereverItsSocketsAreCut() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Socket socket = new Socket("");
            Transport agent = begin(socket);
            String id = id(socket);
            List<String> produced = new ArrayList<>(List.of("one"));
            List<String> processed = new ArrayList<>();
            Map<String, String> cursors = new TreeMap<>();
            int seen = process(socket, 0, socket.sent.size(), processed, cursors);
            for (int step = 0; step < 60; step++) {
                switch (random.nextInt(6)) {
                    case 0, 1 -> {
                        String text = "<" + step + ">";
                        produced.add(text);
                        says(agent, update(random.nextBoolean() ? "s" : "t", text));
                    }
                    case 2 -> {
                        // What the client had not read is lost on the way; the server may not know yet.
                        process(socket, seen, seen + random.nextInt(socket.sent.size() - seen + 1), processed, cursors);
                        if (random.nextBoolean()) {
                            socket.session.closed(SocketCodes.CUT);
                        }
                        socket = new Socket(id).says(resume(id, places(cursors)));
                        seen = 0;
                    }
                    case 3 -> socket.blocked = true;
                    case 4 -> {
                        // A pong says that everything before has arrived.
                        socket.unblock();
                        seen = process(socket, seen, socket.sent.size(), processed, cursors);
                        server.pass(Duration.ofSeconds(15));
                        socket.session.pong(socket.asked);
                    }
                    default -> {
                        socket.unblock();
                        seen = process(socket, seen, socket.sent.size(), processed, cursors);
                    }
                }
            }
            socket.unblock();
            process(socket, seen, socket.sent.size(), processed, cursors);
            // It may have been dropped, since it took nothing for too long.
            socket = new Socket(id).says(resume(id, places(cursors)));
            process(socket, 0, socket.sent.size(), processed, cursors);
            // Of one session in order; of all in the order of their production.
            assertThat(processed).as("seed " + seed).isEqualTo(produced);
            agent.close();
        }
    }

    private static String places(Map<String, String> cursors) {
        StringJoiner places = new StringJoiner(",");
        cursors.forEach((session, cursor) -> places.add("\"" + session + "\":\"" + cursor + "\""));
        return places.toString();
    }

    /** Notes updates and their cursors. Returns how far. */
    private static int process(Socket socket, int from, int to, List<String> processed, Map<String, String> cursors) {
        for (String message : socket.sent.subList(from, to)) {
            if (message.contains("agent_message_chunk")) {
                processed.add(message.replaceAll(".*\"text\":\"([^\"]*)\".*", "$1"));
            }
            if (message.contains("acp/cursor")) {
                boolean isOfSession = message.contains("\"method\":\"session/update\"");
                cursors.put(
                        isOfSession ? message.replaceAll(".*\"sessionId\":\"([^\"]*)\".*", "$1") : "", cursor(message));
            }
        }
        return to;
    }

    @Test
    @Tag("DUR-40")
    @Tag("DUR-41")
    void aSocketGoesOnWithTheStreamsOfTheOneBeforeIt() throws Exception {
        Socket first = new Socket("");
        Transport agent = begin(first);
        String id = id(first);
        String own = cursor(first.sent.get(1));
        String session = cursor(first.sent.get(2));
        first.session.closed(SocketCodes.CUT);
        says(agent, update("s", "two"));
        says(agent, "{\"jsonrpc\":\"2.0\",\"method\":\"_x/three\",\"params\":{}}");
        says(agent, update("s", "four"));
        Socket second = new Socket(id);
        second.says(resume(id, "\"\":\"" + own + "\",\"s\":\"" + session + "\",\"t\":\"a-1\""));
        says(agent, update("s", "five"));

        assertThat(server.agents).isEmpty();
        assertThat(second.sent.get(0))
                .contains("\"id\":\"r\"")
                .contains("\"s\":{\"resumed\":true,\"turnState\":\"idle\"}")
                .contains("\"received\":1");
        assertThat(second.sent.get(1))
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"method\":\"stream/resume_failed\",\"params\":"
                        + "{\"sessionId\":\"t\",\"reason\":\"cursor_unknown\"}}");
        List<String> rest = second.sent.stream()
                .skip(2)
                .filter(text -> !text.contains("turnState"))
                .map(text -> text.replaceAll(".*(two|three|four|five).*", "$1"))
                .toList();
        assertThat(rest).containsExactly("two", "three", "four", "five");
    }

    @Test
    @Tag("DUR-41")
    void framesOfSeveralStreamsKeepTheirOrderWhileTheClientIsSlow() throws Exception {
        Socket socket = new Socket("");
        Transport agent = begin(socket);
        socket.blocked = true;
        List<String> produced = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            String session = "s" + i % 7;
            produced.add(session + " " + i);
            says(agent, update(session, session + " " + i + "x".repeat(i % 5 == 0 ? 20_000 : 10)));
        }
        socket.unblock();

        assertThat(socket.sent.stream().skip(3).map(text -> text.replaceAll(".*\"(s\\d \\d+)x.*", "$1")))
                .containsExactlyElementsOf(produced);
    }

    @Test
    @Tag("DUR-40")
    void aSocketThatNamesAConnectionMustGoOnWithIt() throws Exception {
        Socket first = new Socket("");
        begin(first);
        String id = id(first);
        Socket other = new Socket(id).says(RawClient.INITIALIZE);
        Socket wrong = new Socket(id).says(resume("another", ""));
        Socket none = new Socket("").says(resume(id, ""));

        assertThat(other.sent).containsExactly("closed 1002");
        assertThat(wrong.sent.get(0)).contains("stream/resume_failed");
        assertThat(wrong.sent.get(1)).isEqualTo("closed 1008");
        assertThat(none.sent).containsExactly("closed 1002");
        FakeExchange unknown = new FakeExchange("GET").with("Acp-Connection-Id", "unknown");
        unknown.upgrades = true;
        assertThat(server.handle(unknown).status()).isEqualTo(404);
    }

    @Test
    @Tag("DUR-42")
    void aConnectionChangesBetweenEventsAndASocket() throws Exception {
        Socket first = new Socket("");
        Transport agent = begin(first);
        String id = id(first);
        String session = cursor(first.sent.get(2));
        first.session.closed(SocketCodes.CUT);
        says(agent, update("s", "two"));
        FakeExchange events =
                server.handle(FakeExchange.get(id).with("Acp-Session-Id", "s").with("Last-Event-ID", session));
        Socket second = new Socket(id).says(resume(id, "\"s\":\"" + events.ids().get(0) + "\""));
        says(agent, update("s", "three"));

        assertThat(events.data().get(0)).contains("two");
        assertThat(events.ended).isTrue();
        assertThat(second.sent.getLast()).contains("three");
        assertThat(second.sent).noneMatch(text -> text.contains("\"two\""));
    }

    @Test
    @Tag("WSK-10")
    void noFurtherMessageIsTakenWhileTooManyWait() throws Exception {
        EndpointFixture small = new EndpointFixture(Http.on(0).limits(ServerLimits.STANDARD.withQueuedBytes(3000)));
        RemoteConnection connection = new RemoteConnection("id", Principal.of("me"), small.endpoint.connections());
        SocketWriter reading = new SocketWriter(new Socket(""), small.time);
        connection.open(reading, Map.of(), () -> true).begin();
        int[] room = {0};
        for (int i = 0; i < 3; i++) {
            connection.deliver(reading, Message.parse(call(i, "_x/y", "")), "", () -> room[0]++);
        }

        assertThat(room[0]).isEqualTo(2);
        connection.reader().read();
        assertThat(room[0]).isEqualTo(3);
        connection.end("");
    }

    @Test
    @Tag("WSK-10")
    void noFurtherMessageIsReadWhileTheClientTakesNoAnswersToWrongOnes() throws Exception {
        EndpointFixture small = new EndpointFixture(Http.on(0).limits(ServerLimits.STANDARD.withQueuedBytes(3000)));
        RemoteConnection connection = new RemoteConnection("id", Principal.of("me"), small.endpoint.connections());
        Socket link = new Socket("");
        link.blocked = true;
        SocketWriter reading = new SocketWriter(link, small.time);
        connection.open(reading, Map.of(), () -> true).begin();
        int[] room = {0};
        Message refusal = Message.parse(call(1, "_x/" + "y".repeat(1000), ""));
        for (int i = 0; i < 3; i++) {
            connection.refuse(reading, refusal, () -> room[0]++);
        }

        assertThat(room[0]).isEqualTo(2);
        link.unblock();
        assertThat(room[0]).isEqualTo(3);
        connection.end("");
    }

    @Test
    @Tag("DUR-39")
    void aClientThatSendsSomethingLargeGetsSignsOfLife() throws Exception {
        Socket socket = new Socket("");
        begin(socket);
        server.pass(Duration.ofSeconds(15));
        socket.session.pong(socket.asked);
        int before = socket.pings;
        socket.session.part("{".getBytes(StandardCharsets.UTF_8), false, () -> {});
        server.pass(Duration.ofSeconds(14));
        socket.session.part(" ".getBytes(StandardCharsets.UTF_8), false, () -> {});
        server.pass(Duration.ofSeconds(1));

        assertThat(socket.pings).isEqualTo(before + 1);
    }

    @Test
    @Tag("HST-19")
    void aSocketThatIsClosedDoesNotWaitForWhatItsStreamsHaveToSay() throws Exception {
        RemoteConnection connection = new RemoteConnection("id", Principal.of("me"), server.endpoint.connections());
        connection.begin(Message.parse(RawClient.INITIALIZE), answer -> {});
        Socket link = new Socket("");
        SocketWriter reading = new SocketWriter(link, server.time);
        connection.writer().write(Message.parse(EndpointFixture.ANSWER));
        connection.open(reading, Map.of(), () -> true).begin();
        link.blocked = true;
        connection.writer().write(Message.parse(update("s", "being written")));
        connection.writer().write(Message.parse(update("t", "waiting")));
        reading.close(SocketCodes.UNAUTHORIZED, "");
        link.unblock();

        assertThat(link.sent).hasSize(2);
        assertThat(link.sent.getFirst()).contains("being written");
        assertThat(link.sent.getLast()).isEqualTo("closed 3000");
        connection.end("");
    }

    @Test
    @Tag("DUR-41")
    void whatComesOnASocketAfterAnotherHasTakenOverIsNotTakenSinceItIsSentAgain() throws Exception {
        Socket first = new Socket("");
        Transport agent = begin(first);
        Socket second = new Socket(id(first));
        second.says(resume(id(first), ""));
        first.says(call(2, "session/prompt", "s"));
        second.says(call(2, "session/prompt", "s"));
        second.says(call(3, "session/list", ""));

        assertThat(agent.reader().read()).asString().contains("session/prompt");
        assertThat(agent.reader().read()).asString().contains("session/list");
        assertThat(second.sent.get(0)).contains("\"received\":1");
    }

    @Test
    @Tag("WSK-11")
    void messagesAreTakenWhileTheClientReadsNothing() throws Exception {
        Socket socket = new Socket("");
        Transport agent = begin(socket);
        socket.blocked = true;
        says(agent, update("s", "two"));
        socket.says("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\"}}");

        assertThat(agent.reader().read()).asString().contains("session/cancel");
        socket.unblock();
        assertThat(socket.sent.getLast()).contains("two");
    }

    @Test
    @Tag("WSK-19")
    @Tag("DUR-39")
    void aSilentClientIsAskedForASignOfLifeAndDroppedWithoutOne() throws Exception {
        Socket socket = new Socket("");
        begin(socket);
        String id = id(socket);
        server.pass(Duration.ofSeconds(15));
        assertThat(socket.pings).isEqualTo(1);
        socket.session.heard();
        server.pass(Duration.ofSeconds(15));
        assertThat(socket.pings).isEqualTo(2);
        for (int i = 0; i < 29; i++) {
            server.pass(Duration.ofSeconds(1));
        }
        assertThat(socket.sent.getLast()).isNotEqualTo("aborted");
        assertThat(socket.pings).isEqualTo(2);
        server.pass(Duration.ofSeconds(1));

        assertThat(socket.sent.getLast()).isEqualTo("aborted");
        assertThat(new Socket(id).exchange.status()).isEqualTo(101);
    }

    @Test
    @Tag("WSK-14")
    void aClientThatLeavesBeforeTheFirstAnswerEndsItsAgent() throws Exception {
        Socket socket = new Socket("");
        socket.says(RawClient.INITIALIZE);
        Transport agent = server.agents.take();
        agent.reader().read();
        socket.session.closed(SocketCodes.CUT);

        assertThat(agent.reader().read()).isNull();
        new Socket("").session.closed(SocketCodes.CUT);
        assertThat(server.agents).isEmpty();
    }

    @Test
    @Tag("DUR-23")
    void aConnectionWhoseSocketWasCutInSilenceEndsAfterItsGrace() throws Exception {
        Socket socket = new Socket("");
        Transport agent = begin(socket);
        socket.session.closed(SocketCodes.CUT);
        server.pass(Duration.ofMinutes(10));

        assertThat(agent.reader().read()).isNull();
    }

    @Test
    @Tag("DUR-09")
    void aSocketHearsWhatWasDroppedBeforeItGotIt() throws Exception {
        Socket first = new Socket("");
        Transport agent = begin(first);
        String id = id(first);
        String session = cursor(first.sent.get(2));
        for (int i = 0; i < 10; i++) {
            says(agent, update("s", "x".repeat(20_000)));
        }
        Socket second = new Socket(id);
        second.blocked = true;
        second.says(resume(id, "\"s\":\"" + session + "\""));
        server.time.advance(Duration.ofMinutes(11));
        says(agent, update("s", "behind the hole"));
        second.unblock();

        assertThat(second.sent)
                .anyMatch(text -> text.contains("stream/resume_failed")
                        && text.contains("{\"sessionId\":\"s\",\"reason\":\"cursor_expired\"}"));
        assertThat(second.sent).noneMatch(text -> text.contains("behind the hole"));
    }

    @Test
    @Tag("DUR-11")
    void aSocketWhoseStreamWasRefusedReadsItAgainBehindALoad() throws Exception {
        Socket first = new Socket("");
        Transport agent = begin(first);
        String id = id(first);
        first.session.closed(SocketCodes.CUT);
        Socket second = new Socket(id);
        second.says(resume(id, "\"s\":\"" + cursor(first.sent.get(2)).replaceAll("-.*", "-zz") + "\""));
        assertThat(second.sent).anyMatch(text -> text.contains("resume_failed"));
        second.says(call(9, "session/load", "s"));
        agent.reader().read();
        says(agent, "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}");
        says(agent, update("s", "behind the load"));

        assertThat(second.sent.getLast()).contains("behind the load");
    }

    @Test
    @Tag("DUR-11")
    void aSocketHearsThatARequestWasSentBeforeTheStreamBeganAnew() throws Exception {
        Socket first = new Socket("");
        Transport agent = begin(first);
        String id = id(first);
        says(agent, call(7, "session/request_permission", "s"));
        String session = cursor(first.sent.getLast());
        first.says(call(9, "session/load", "s"));
        agent.reader().read();
        says(agent, update("s", "history"));
        first.session.closed(SocketCodes.CUT);
        Socket second = new Socket(id).says(resume(id, "\"s\":\"" + session + "\""));

        assertThat(second.sent).anyMatch(text -> text.contains("{\"sessionId\":\"s\",\"reason\":\"cursor_expired\"}"));
        assertThat(second.sent).noneMatch(text -> text.contains("\"history\""));
    }

    @Test
    @Tag("DUR-40")
    void aStreamWithoutACursorGoesOnBehindWhatTheClientHasCertainlyGot() throws Exception {
        Socket first = new Socket("");
        Transport agent = begin(first);
        String id = id(first);
        server.pass(Duration.ofSeconds(15));
        first.session.heard();
        first.session.pong(first.asked);
        says(agent, update("s", "not certain"));
        for (int i = 0; i < 9; i++) {
            server.pass(Duration.ofMinutes(1));
            first.session.heard();
        }
        first.session.closed(SocketCodes.CUT);
        server.pass(Duration.ofMinutes(1).minus(Duration.ofSeconds(1)));
        Socket second = new Socket(id).says(resume(id, ""));

        assertThat(second.sent).noneMatch(text -> text.contains("resume_failed"));
        assertThat(second.sent).noneMatch(text -> text.contains("\"one\""));
        assertThat(second.sent).anyMatch(text -> text.contains("not certain"));
    }

    @Test
    void withoutDurabilityTheEndOfTheSocketIsTheEndOfTheConnection() throws Exception {
        EndpointFixture plain = new EndpointFixture(Http.on(0).durable(false));
        FakeExchange exchange = new FakeExchange("GET");
        exchange.upgrades = true;
        plain.handle(exchange);
        SocketSession session = Objects.requireNonNull(exchange.socket);
        session.open(new Socket(""));
        byte[] bytes = RawClient.INITIALIZE.getBytes(StandardCharsets.UTF_8);
        session.message(Message.parse(RawJson.wrap(bytes, 0, bytes.length)), () -> {});
        Transport agent = plain.agents.take();
        agent.reader().read();
        says(agent, EndpointFixture.ANSWER);
        session.closed(SocketCodes.CUT);

        assertThat(agent.reader().read()).isNull();
    }
}
