package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What proxies do, wherever they stand. */
@Timeout(120)
abstract class ProxyContract {
    private static final String INITIALIZE = "{\"protocolVersion\":1,\"clientCapabilities\":{\"own\":1.50},\"x\":[ ]}";
    private static final String INITIALIZED = "{\"protocolVersion\":1,\"agentCapabilities\":{\"own\":1.50},\"x\":[ ]}";

    private final List<String> wire = Peer.newWire();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Peer client = new Peer("client", MemoryTransport.pair().left(), wire);
    private Peer agent = new Peer("agent", MemoryTransport.pair().left(), wire);

    /**
     * Puts proxies between two transports.
     *
     * @param names of {@link SampleProxies}, the first next to the client
     */
    abstract AutoCloseable place(List<String> names, Transport client, Transport agent) throws Exception;

    private void start(String... names) throws Exception {
        MemoryTransport.Pair clientSide = MemoryTransport.pair();
        MemoryTransport.Pair agentSide = MemoryTransport.pair();
        client = new Peer("client", clientSide.right(), wire);
        agent = new Peer("agent", agentSide.right(), wire);
        open.add(client);
        open.add(agent);
        open.add(place(List.of(names), clientSide.left(), agentSide.left()));
        client.request("0", "initialize", INITIALIZE);
        Message asked = agent.receive();
        assertThat(asked.method()).isEqualTo("initialize");
        assertThat(asked.params()).hasToString(INITIALIZE);
        agent.answer(asked, INITIALIZED);
        assertThat(client.receive().result()).hasToString(INITIALIZED);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
    }

    private void openSession(String id) throws Exception {
        client.request("\"new\"", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        agent.answer(agent.receive(), "{\"sessionId\":\"" + id + "\"}");
        assertThat(client.receive().result()).hasToString("{\"sessionId\":\"" + id + "\"}");
    }

    private static String prompt(String session, String text) {
        return "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text
                + "\",\"own\":1.50}],\"x\":[ ]}";
    }

    private static String said(String session, String text) {
        return "{\"sessionId\":\"" + session
                + "\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"own\":1.50,\"content\":{\"type\":\"text\",\"text\":\""
                + text + "\",\"own\":[ ]}}}";
    }

    @Test
    @Tag("PXL-02")
    @Tag("PXL-08")
    void whatIsNotInterceptedPassesByteForByte() throws Exception {
        start("nothing", "nothing");
        String odd =
                "{\"sessionId\":\"s\",\"a\":1.50,\"a\":1e3,\"\\u00e9\":\"\\ud83d\\ude00\",\"b\":[ ],\"_meta\":null}";
        client.request("\"1\"", "_own", odd);
        Message there = agent.receive();
        assertThat(there.method()).isEqualTo("_own");
        assertThat(there.params()).hasToString(odd);
        agent.fail(there, "{\"code\":-7,\"message\":\"no\",\"data\":null,\"own\":1.0}");
        Message back = client.receive();
        assertThat(back.id()).hasToString("\"1\"");
        assertThat(back.error()).hasToString("{\"code\":-7,\"message\":\"no\",\"data\":null,\"own\":1.0}");

        agent.request("9", "_ask", odd);
        Message question = client.receive();
        assertThat(question.params()).hasToString(odd);
        client.answer(question, odd);
        Message answer = agent.receive();
        assertThat(answer.id()).hasToString("9");
        assertThat(answer.result()).hasToString(odd);
        agent.notify("_told", odd);
        assertThat(client.receive().params()).hasToString(odd);
    }

    @Test
    @Tag("PXL-09")
    void interceptorsRunInTheirOrderAndChangeOnlyWhatTheyChange() throws Exception {
        start("brief", "polite");
        openSession("s");
        client.request("1", "session/prompt", prompt("s", "Hello"));
        Message there = agent.receive();
        assertThat(there.params())
                .hasToString("{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"Hello\",\"own\":1.50},"
                        + "{\"type\":\"text\",\"text\":\"Be brief.\"},{\"type\":\"text\",\"text\":\"Say please.\"}],"
                        + "\"x\":[ ]}");
        agent.answer(there, "{\"stopReason\":\"end_turn\",\"own\":1.50}");
        assertThat(client.receive().result()).hasToString("{\"stopReason\":\"end_turn\",\"own\":1.50}");
    }

    @Test
    @Tag("PXL-09")
    void ofAnUpdateOnlyTheMemberThatWasChangedDiffers() throws Exception {
        start("loud");
        openSession("s");
        agent.notify("session/update", said("s", "Hi"));
        agent.notify("session/update", "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"own\",\"x\":1.50}}");

        assertThat(client.receive().params()).hasToString(said("s", "Hi!"));
        assertThat(client.receive().params())
                .hasToString("{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"own\",\"x\":1.50}}");
    }

    @Test
    void aSessionIsKnownFromItsFirstMessage() throws Exception {
        start("loud");
        for (int i = 0; i < 200; i++) {
            client.request(String.valueOf(i), "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            agent.answer(agent.receive(), "{\"sessionId\":\"s" + i + "\"}");
            agent.notify("session/update", said("s" + i, "Hi"));
            assertThat(client.receive().result()).hasToString("{\"sessionId\":\"s" + i + "\"}");
            assertThat(client.receive().params()).hasToString(said("s" + i, "Hi!"));
        }
    }

    @Test
    void ofMembersWithOneNameTheLastIsSeenAndChanged() throws Exception {
        start("brief");
        openSession("s");
        client.request(
                "1",
                "session/prompt",
                "{\"prompt\":[{\"type\":\"text\",\"text\":\"first\"}],\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"last\"}]}");
        Message there = agent.receive();
        assertThat(there.params())
                .asString()
                .contains("last")
                .contains("Be brief.")
                .doesNotContain("first");
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("1");
    }

    @Test
    @Tag("PXL-21")
    void aSessionHasItsOwnState() throws Exception {
        start("counting");
        openSession("a");
        openSession("b");
        assertThat(counted("a")).isEqualTo("1");
        assertThat(counted("a")).isEqualTo("2");
        assertThat(counted("b")).isEqualTo("1");
        assertThat(counted("unseen")).isNull();
        client.request("5", "session/close", "{\"sessionId\":\"a\"}");
        agent.answer(agent.receive(), "{}");
        assertThat(client.receive().result()).hasToString("{}");
        assertThat(counted("a")).isNull();
    }

    private @Nullable String counted(String session) throws Exception {
        client.request("1", "session/prompt", prompt(session, "count"));
        agent.answer(agent.receive(), "{\"stopReason\":\"end_turn\"}");
        String result = Objects.requireNonNull(client.receive().result()).toString();
        String mark = "\"count\":";
        int at = result.indexOf(mark);
        return at < 0 ? null : result.substring(at + mark.length(), at + mark.length() + 1);
    }

    @Test
    void aRequestIsRefusedOrAnsweredWithoutTheAgent() throws Exception {
        start("refusing");
        client.request("1", "session/set_mode", "{\"sessionId\":\"s\",\"modeId\":\"m\"}");
        Message refused = client.receive();
        assertThat(refused.error()).asString().contains("-32602").contains("no modes here");
        client.request("2", "_secret", "{\"x\":1.50}");
        assertThat(client.receive().result()).hasToString("{\"x\":1.50}");
        client.notify("_next", "{}");
        assertThat(agent.receive().method()).isEqualTo("_next");
    }

    @Test
    @Tag("PXL-13")
    void anUpdateDoesNotOvertakeTheAnswerBeforeIt() throws Exception {
        start("nothing");
        for (int i = 0; i < rounds(); i++) {
            client.request(String.valueOf(i), "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            Message asked = agent.receive();
            agent.answer(asked, "{\"sessionId\":\"s" + i + "\"}");
            agent.notify("session/update", said("s" + i, "Hi"));
            assertThat(client.receive().id()).hasToString(String.valueOf(i));
            assertThat(client.receive().params()).hasToString(said("s" + i, "Hi"));
        }
    }

    int rounds() {
        return 10_000;
    }

    @Test
    void aCancellationReachesTheAgentOnceAndItsAnswerComesBack() throws Exception {
        start("brief");
        openSession("s");
        client.request("7", "session/prompt", prompt("s", "Hello"));
        Message there = agent.receive();
        client.notify("$/cancel_request", "{\"requestId\":7}");
        Message cancelled = agent.receive();
        assertThat(cancelled.method()).isEqualTo("$/cancel_request");
        assertThat(cancelled.params()).hasToString("{\"requestId\":" + there.id() + "}");
        agent.answer(there, "{\"stopReason\":\"cancelled\"}");
        assertThat(client.receive().result()).hasToString("{\"stopReason\":\"cancelled\"}");
    }

    @Test
    void neitherSideSpeaksForTheConductor() throws Exception {
        start("nothing");
        client.request("1", "proxy/successor", "{\"method\":\"session/prompt\",\"params\":{}}");
        assertThat(client.receive().error()).asString().contains("-32601");
        agent.request("1", "_proxy/successor", "{\"method\":\"session/request_permission\",\"params\":{}}");
        assertThat(agent.receive().error()).asString().contains("-32601");
        agent.notify("proxy/successor", "{\"method\":\"session/update\",\"params\":{}}");
        agent.notify("_next", "{}");
        assertThat(client.receive().method()).isEqualTo("_next");
    }

    @Test
    void theEndOfTheAgentIsTheEndForTheClient() throws Exception {
        start("brief");
        openSession("s");
        client.request("1", "session/prompt", prompt("s", "Hello"));
        assertThat(agent.receive().method()).isEqualTo("session/prompt");
        agent.notify("session/update", said("s", "last words"));
        agent.close();

        assertThat(client.receive().params()).hasToString(said("s", "last words"));
        Message failed = client.receive();
        assertThat(failed.id()).hasToString("1");
        assertThat(failed.error()).asString().contains("-32603").contains("\"acp4j\":{\"component\":");
        assertThat(client.isAtEnd()).isTrue();
    }
}
