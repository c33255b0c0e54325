package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** New connections in the place of those that {@link PlainServer}, which cannot resume, has lost. */
@Timeout(60)
class RecoveryTest {
    private @Nullable PlainServer server;

    private PlainServer serve(Agent.Builder agent) throws Exception {
        PlainServer plain = new PlainServer(agent.build());
        server = plain;
        return plain;
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    @Tag("DUR-27")
    void aServerThatIsLostAgainInTheMiddleOfARecoveryCostsNoSession() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        LinkedBlockingQueue<String> resumed = new LinkedBlockingQueue<>();
        PlainServer plain = serve(Agent.builder("once", "1.0")
                .onResumeSession(session -> resumed.add(session.id().value()))
                .onPrompt(turn -> {
                    if (turn.text().equals("First")) {
                        started.countDown();
                        released.await();
                        return;
                    }
                    turn.message("You said: " + turn.text());
                }));
        AtomicInteger attempts = new AtomicInteger();
        plain.refuses = method -> method.equals("session/resume") && attempts.incrementAndGet() == 1 ? 404 : null;

        String text;
        Session session;
        try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(Http.to(plain.uri()))) {
            session = agent.newSession(Path.of("/"));
            Turn lost = session.prompt("First");
            started.await();
            plain.forget();
            assertThatThrownBy(lost::result).isInstanceOf(RpcError.class);
            released.countDown();
            text = session.prompt("Second").text();
        }

        assertThat(resumed).containsExactly(session.id().value());
        assertThat(text).isEqualTo("You said: Second");
        // The connection that could not be made ready is not left behind.
        assertThat(plain.requests()).containsSubsequence("POST session/resume", "DELETE", "POST session/resume");
    }

    @Test
    void aLateAnswerToTheOldAgentIsNoneToTheQuestionOfTheNewOne() throws Exception {
        LinkedBlockingQueue<Boolean> allowed = new LinkedBlockingQueue<>();
        PlainServer plain = serve(Agent.builder("asking", "1.0")
                .onResumeSession(session -> {})
                .onPrompt(turn -> allowed.add(turn.toolCall(turn.text(), ToolKind.EXECUTE)
                        .requestPermission()
                        .isAllowed())));

        Message first;
        Message second;
        boolean outcome;
        try (Transport transport = Http.to(plain.uri()).open()) {
            String session = openSession(transport);
            write(transport, 2, "session/prompt", prompt(session, "List the files"));
            first = read(transport, message -> message.kind() == Message.Kind.REQUEST);
            plain.forget();
            Message withdrawn = read(transport, message -> message.method().equals("$/cancel_request"));
            assertThat(Raw.member(withdrawn.params(), "requestId"))
                    .isEqualTo(id(first).json());
            // The agent of the new connection counts from the same number, and has a question, too.
            second = read(transport, message -> message.kind() == Message.Kind.REQUEST);
            answer(transport, first, "allow");
            answer(transport, second, "reject");
            outcome = allowed.take();
        }

        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(outcome).isFalse();
    }

    @Test
    @Tag("HTC-12")
    void aCancellationDoesNotPassTheRequestThatItCancels() throws Exception {
        PlainServer plain = serve(Agent.builder("echo", "1.0").onPrompt(turn -> turn.message("Hello")));
        plain.before = exchange -> exchange.getRequestHeaders().containsKey(Wire.SESSION_ID)
                        && exchange.getRequestMethod().equals("GET")
                ? 503
                : null;

        try (Transport transport = Http.to(plain.uri()).open()) {
            String session = openSession(transport);
            write(transport, 2, "session/prompt", prompt(session, "Hello"));
            transport.writer().write(Message.notification("$/cancel_request", RawJson.parse("{\"requestId\":2}")));
            plain.before = exchange -> null;
            Message unused = read(transport, message -> message.kind().isResponse());
            // A second one, since the cancellation may come behind the answer.
            write(transport, 3, "session/prompt", prompt(session, "Hello"));
            Message unusedToo = read(
                    transport,
                    message -> message.kind().isResponse() && id(message).equals(RequestId.of(3)));
        }

        assertThat(plain.requests()).containsSubsequence("POST session/prompt", "POST $/cancel_request");
    }

    @Test
    @Tag("HTC-18")
    void aSessionThatIsClosedWhileItsStreamIsCutCostsNoOther() throws Exception {
        PlainServer plain = new PlainServer(Agent.builder("echo", "1.0")
                .onPrompt(turn -> turn.message("You said: " + turn.text()))
                .build());
        server = plain;
        plain.isResumable = true;

        Message closed;
        try (Transport transport = Http.to(plain.uri()).open()) {
            String kept = openSession(transport);
            write(transport, 2, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            String left = Raw.text(
                    read(transport, message -> message.kind().isResponse()).result(), "sessionId");
            write(transport, 3, "session/prompt", prompt(left, "Hello"));
            Message unused = read(transport, message -> message.kind().isResponse());
            plain.refuses = method -> {
                if (method.equals("session/close")) {
                    plain.before = exchange ->
                            left.equals(exchange.getRequestHeaders().getFirst(Wire.SESSION_ID)) ? 409 : null;
                    plain.cutStreams();
                }
                return null;
            };
            write(transport, 4, "session/close", "{\"sessionId\":\"" + left + "\"}");
            closed = read(transport, message -> message.kind().isResponse());
            write(transport, 5, "session/prompt", prompt(kept, "Hello"));
            Message unusedToo = read(
                    transport,
                    message -> message.kind().isResponse() && id(message).equals(RequestId.of(5)));
        }

        assertThat(closed.id()).isEqualTo(RequestId.of(4));
        assertThat(plain.requests().stream().filter("POST initialize"::equals)).hasSize(1);
    }

    private static String openSession(Transport transport) throws Exception {
        write(transport, 0, "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");
        Message unused = read(transport, message -> message.kind().isResponse());
        write(transport, 1, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        return Raw.text(read(transport, message -> message.kind().isResponse()).result(), "sessionId");
    }

    private static RequestId id(Message message) {
        return Objects.requireNonNull(message.id());
    }

    private static String prompt(String session, String text) {
        return "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}";
    }

    private static void write(Transport transport, long id, String method, String params) throws Exception {
        transport.writer().write(Message.request(RequestId.of(id), method, RawJson.parse(params)));
    }

    private static void answer(Transport transport, Message question, String kind) throws Exception {
        String options = String.valueOf(question.params());
        String option = options.replaceFirst("(?s).*\"optionId\":\"([^\"]*" + kind + "[^\"]*)\".*", "$1");
        transport
                .writer()
                .write(Message.result(
                        id(question),
                        RawJson.parse("{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" + option + "\"}}")));
    }

    private static Message read(Transport transport, Predicate<Message> wanted) throws Exception {
        Message next = Objects.requireNonNull(transport.reader().read());
        while (!wanted.test(next)) {
            next = Objects.requireNonNull(transport.reader().read());
        }
        return next;
    }
}
