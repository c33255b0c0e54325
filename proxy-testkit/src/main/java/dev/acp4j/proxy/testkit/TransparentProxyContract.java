package dev.acp4j.proxy.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a proxy must let pass that does not intercept it, as tests: extend this in a test of your own proxy, or of a
 * chain, in any language, and put it between two transports. The messages are of methods that nobody intercepts, and of
 * sessions; for a proxy that changes prompts or updates, override the test that it cannot pass, and say why.
 */
@Unstable
@Timeout(300)
public abstract class TransparentProxyContract {
    private static final String ODD =
            "{\"sessionId\":\"s\",\"a\":1.50,\"a\":1e3,\"\\u00e9\":\"\\ud83d\\ude00\",\"b\":[ ],\"_meta\":{\"x\":null}}";
    private static final String ERROR = "{\"code\":-7,\"message\":\"no\",\"data\":null,\"own\":1.0}";

    private final List<AutoCloseable> open = new ArrayList<>();
    private Transport client;
    private Transport agent;

    /** For subclasses. */
    protected TransparentProxyContract() {}

    /**
     * Puts the proxy between a client and an agent.
     *
     * @param client where the client is
     * @param agent where the agent is
     * @return closed after the test, when both sides have closed their ends
     */
    protected abstract AutoCloseable place(Transport client, Transport agent) throws Exception;

    @BeforeEach
    void start() throws Exception {
        MemoryTransport.Pair clientSide = MemoryTransport.pair();
        MemoryTransport.Pair agentSide = MemoryTransport.pair();
        client = clientSide.right();
        agent = agentSide.right();
        open.add(client);
        open.add(agent);
        open.add(place(clientSide.left(), agentSide.left()));
        String params = "{\"protocolVersion\":1,\"clientCapabilities\":{\"own\":1.50},\"x\":[ ]}";
        request(client, "0", "initialize", params);
        Message asked = read(agent);
        assertEquals("initialize", asked.method());
        assertEquals(params, String.valueOf(asked.params()));
        String result = "{\"protocolVersion\":1,\"agentCapabilities\":{\"own\":1.50},\"x\":[ ]}";
        result(agent, asked, result);
        assertEquals(result, String.valueOf(read(client).result()));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }

    private static void send(Transport from, String line) throws IOException {
        from.writer().write(Message.parse(line));
        from.writer().flush();
    }

    private static Message read(Transport at) throws IOException, InterruptedException {
        Message message = at.reader().read();
        assertNotNull(message, "the proxy has closed the connection");
        return Objects.requireNonNull(message);
    }

    private static void request(Transport from, String id, String method, String params) throws IOException {
        send(from, "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    private static void notify(Transport from, String method, String params) throws IOException {
        send(from, "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    private static void result(Transport from, Message request, String result) throws IOException {
        send(from, "{\"jsonrpc\":\"2.0\",\"id\":" + request.id() + ",\"result\":" + result + "}");
    }

    private static void error(Transport from, Message request) throws IOException {
        send(from, "{\"jsonrpc\":\"2.0\",\"id\":" + request.id() + ",\"error\":" + ERROR + "}");
    }

    @Test
    @Tag("PXL-28")
    void requestsAndAnswersPassByteForByteInBothDirections() throws Exception {
        for (List<Transport> way : List.of(List.of(client, agent), List.of(agent, client))) {
            request(way.get(0), "\"1\"", "_own", ODD);
            Message there = read(way.get(1));
            assertEquals("_own", there.method());
            assertEquals(ODD, String.valueOf(there.params()));
            result(way.get(1), there, ODD);
            Message back = read(way.get(0));
            assertEquals("\"1\"", String.valueOf(back.id()));
            assertEquals(ODD, String.valueOf(back.result()));

            request(way.get(0), "2", "_own", ODD);
            error(way.get(1), read(way.get(1)));
            assertEquals(ERROR, String.valueOf(read(way.get(0)).error()));
        }
    }

    @Test
    @Tag("PXL-28")
    void notificationsPassByteForByteAndInTheirOrder() throws Exception {
        for (int i = 0; i < 200; i++) {
            notify(agent, i % 2 == 0 ? "session/update" : "_own", numbered(i));
            notify(client, "_own", numbered(i));
        }
        for (int i = 0; i < 200; i++) {
            assertEquals(numbered(i), String.valueOf(read(client).params()));
            assertEquals(numbered(i), String.valueOf(read(agent).params()));
        }
    }

    private static String numbered(int number) {
        return "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"own\",\"n\":" + number + ",\"x\":1.50}}";
    }

    @Test
    @Tag("PXL-28")
    void anUpdateBehindAnAnswerDoesNotOvertakeIt() throws Exception {
        for (int i = 0; i < 500; i++) {
            request(client, String.valueOf(i), "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            Message asked = read(agent);
            result(agent, asked, "{\"sessionId\":\"s" + i + "\"}");
            notify(agent, "session/update", numbered(i));
            assertEquals(String.valueOf(i), String.valueOf(read(client).id()));
            assertEquals(numbered(i), String.valueOf(read(client).params()));
        }
    }

    @Test
    @Tag("PXL-28")
    void aCancellationHasTheIdOfTheNextHopAndTheAnswerComesBack() throws Exception {
        request(client, "7", "_own", "{\"sessionId\":\"s\"}");
        Message there = read(agent);
        notify(client, "$/cancel_request", "{\"requestId\":7}");
        Message cancelled = read(agent);
        assertEquals("$/cancel_request", cancelled.method());
        assertEquals("{\"requestId\":" + there.id() + "}", String.valueOf(cancelled.params()));
        error(agent, there);
        assertEquals(ERROR, String.valueOf(read(client).error()));
    }

    @Test
    @Tag("PXL-28")
    void theEndOfTheAgentAnswersWhatIsOpenAndIsTheEndForTheClient() throws Exception {
        request(client, "1", "_own", "{\"sessionId\":\"s\"}");
        assertEquals("_own", read(agent).method());
        notify(agent, "session/update", numbered(1));
        agent.close();
        assertEquals(numbered(1), String.valueOf(read(client).params()));
        Message failed = read(client);
        assertEquals("1", String.valueOf(failed.id()));
        assertTrue(failed.isError());
        assertNull(client.reader().read());
    }
}
