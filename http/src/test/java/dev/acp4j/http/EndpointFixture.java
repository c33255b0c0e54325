package dev.acp4j.http;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.FakeTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An endpoint without a network, and its agents, which say what the test tells them. */
final class EndpointFixture {
    static final String ANSWER = "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1,"
            + "\"agentCapabilities\":{\"loadSession\":true}}}";

    final FakeTime time = new FakeTime();
    final LinkedBlockingQueue<Transport> agents = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<ServerEvent> events = new LinkedBlockingQueue<>();
    final Endpoint endpoint;

    EndpointFixture() {
        this(Http.on(0));
    }

    EndpointFixture(HttpServer server) {
        this(server, BearerTokens.of("me", FakeExchange.TOKEN));
    }

    EndpointFixture(HttpServer server, Authenticator authenticator) {
        HttpServer configuration = server.time(time).onEvent(events::add);
        Guard guard = new Guard(Set.of("127.0.0.1:8080"), configuration.origins(), authenticator, "/acp", time);
        endpoint = new Endpoint(configuration, guard, agents::add, new SecureRandom());
        try {
            endpoint.connections().restore();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has the endpoint handle a request. */
    FakeExchange handle(FakeExchange exchange) throws InterruptedException {
        endpoint.handle(exchange);
        return exchange;
    }

    /** One client's connection, and the agent's end of it. */
    final class Connection {
        final String id;
        final Transport agent;
        final FakeExchange initialize;

        Connection(String id, Transport agent, FakeExchange initialize) {
            this.id = id;
            this.agent = agent;
            this.initialize = initialize;
        }

        Connection(String answer) throws Exception {
            FakeExchange exchange = FakeExchange.post(RawClient.INITIALIZE);
            Thread waiting = Thread.ofVirtual().start(() -> endpoint.handle(exchange));
            agent = Objects.requireNonNull(agents.poll(60, TimeUnit.SECONDS));
            Message unused = Objects.requireNonNull(agent.reader().read());
            agent.writer().write(Message.parse(answer));
            waiting.join();
            initialize = exchange;
            id = Objects.requireNonNull(exchange.answer).headers().getOrDefault("Acp-Connection-Id", "");
        }

        FakeExchange post(String body, String... headers) throws InterruptedException {
            return handle(headed(FakeExchange.post(body).with("Acp-Connection-Id", id), headers));
        }

        FakeExchange stream(String... headers) throws InterruptedException {
            return handle(headed(FakeExchange.get(id), headers));
        }

        FakeExchange session(String session, String... headers) throws InterruptedException {
            return handle(headed(FakeExchange.get(id).with("Acp-Session-Id", session), headers));
        }

        FakeExchange delete() throws InterruptedException {
            return handle(new FakeExchange("DELETE").with("Acp-Connection-Id", id));
        }

        /** Has the agent send a message. */
        void says(String message) throws Exception {
            agent.writer().write(Message.parse(message));
        }

        /** Returns the next message that the agent reads. */
        String hears() throws Exception {
            Message message = agent.reader().read();
            return message == null ? "end" : message.raw().toString();
        }

        /** Has the client open a session and the agent confirm it. */
        void open(String session) throws Exception {
            post(call(90, "session/new", ""));
            hears();
            says("{\"jsonrpc\":\"2.0\",\"id\":90,\"result\":{\"sessionId\":\"" + session + "\"}}");
        }
    }

    /** Returns a connection that an earlier server has left. */
    Connection restored(String id) {
        return new Connection(id, MemoryTransport.pair().left(), new FakeExchange("GET"));
    }

    /** Leaves the store as a process that is killed does. */
    void die() {
        endpoint.connections().close();
    }

    Connection connect() throws Exception {
        return new Connection(ANSWER);
    }

    private static FakeExchange headed(FakeExchange exchange, String... headers) {
        for (int i = 0; i < headers.length; i += 2) {
            exchange.with(headers[i], headers[i + 1]);
        }
        return exchange;
    }

    void pass(Duration duration) {
        time.advance(duration);
        endpoint.connections().tick();
    }

    static String call(int id, String method, String session) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":"
                + (session.isEmpty() ? "{}" : "{\"sessionId\":\"" + session + "\"}") + "}";
    }

    static String update(String session, String text) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"" + session
                + "\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\""
                + text + "\"}}}}";
    }

    static Map<String, String> headers(FakeExchange exchange) {
        return Objects.requireNonNull(exchange.answer).headers();
    }
}
