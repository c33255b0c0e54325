package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Method;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.TraceSink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the recording of a chain holds, and that it never disturbs the chain. */
@Timeout(120)
class ChainTraceTest {
    private static final String INITIALIZE = "{\"protocolVersion\":1,\"clientCapabilities\":{}}";
    private static final String INITIALIZED = "{\"protocolVersion\":1,\"agentCapabilities\":{}}";

    private final List<String> wire = Peer.newWire();
    private final MemoryTransport.Pair clientSide = MemoryTransport.pair();
    private final MemoryTransport.Pair agentSide = MemoryTransport.pair();
    private final Peer client = new Peer("client", clientSide.right(), wire);
    private final Peer agent = new Peer("agent", agentSide.right(), wire);
    private final List<TraceEvent> events = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<String> stops = new LinkedBlockingQueue<>();
    private @Nullable RunningChain chain;

    private ChainTrace start(TraceSink sink) throws Exception {
        ChainTrace trace = ChainTrace.to(sink, Redaction.SECRETS, stops::add);
        chain = Conductor.builder()
                .agent(() -> agentSide.left())
                .onNotice(notice -> {})
                .trace(trace)
                .proxy(Component.of("brief", ProxyProgramTest.program("brief")))
                .proxy(
                        "inside",
                        Proxy.builder("other-name", "1")
                                .onPrompt((prompt, hop) -> hop.forward(prompt.append(ContentBlock.text("Inside."))))
                                .build())
                .build()
                .start(clientSide.left());
        initialize();
        return trace;
    }

    private void initialize() throws Exception {
        client.request("0", "initialize", INITIALIZE);
        agent.answer(agent.receive(), INITIALIZED);
        assertThat(client.receive().result()).isNotNull();
    }

    @AfterEach
    void close() {
        client.close();
        agent.close();
        if (chain != null) {
            chain.close();
        }
    }

    private void prompt(String id, String text) throws Exception {
        client.request(
                id,
                "session/prompt",
                "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}");
        Message there = agent.receive();
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString(id);
    }

    private static String hop(TraceEvent event) {
        return event.type().text() + " " + event.from() + " " + event.to();
    }

    private List<TraceEvent> of(String method) {
        return events.stream().filter(event -> method.equals(event.method())).toList();
    }

    @Test
    @Tag("CON-22")
    @Tag("TRC-02")
    @Tag("TRC-03")
    void eachHopOfAMessageIsAnEventAndAllHaveItsNumber() throws Exception {
        try (ChainTrace trace = start(events::add)) {
            agent.notify(
                    "session/update", "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"plan\",\"entries\":[]}}");
            assertThat(client.receive().method()).isEqualTo("session/update");
            prompt("1", "ghp_0123456789abcdefghijklmnopqrstuvwxyz");
            assertThat(trace.dropped()).isZero();
        }

        assertThat(events.get(0).type()).isEqualTo(TraceEvent.Type.CHAIN);
        assertThat(events.get(0).body()).hasToString("[\"client\",\"brief\",\"inside\",\"agent\"]");
        assertThat(of("session/prompt"))
                .extracting(ChainTraceTest::hop)
                .containsExactly(
                        "request client brief",
                        "request brief inside",
                        "request inside agent",
                        "result agent inside",
                        "result inside brief",
                        "result brief client");
        assertThat(of("session/prompt"))
                .extracting(TraceEvent::flow)
                .containsOnly(of("session/prompt").get(0).flow());
        assertThat(of("session/prompt").get(2).body()).asString().contains("Be brief.", "Inside.");
        assertThat(of("session/update"))
                .extracting(ChainTraceTest::hop)
                .as("what is not intercepted inside of the conductor is no hop")
                .containsExactly("notification agent brief", "notification brief client");
        assertThat(of("session/update"))
                .extracting(TraceEvent::flow)
                .containsOnly(of("session/update").get(0).flow());
        assertThat(of("initialize")).hasSize(4);
        assertThat(events)
                .extracting(TraceEvent::toString)
                .noneMatch(line -> line.contains("ghp_"))
                .noneMatch(line -> line.contains("proxy/"));
    }

    @Test
    @Tag("CON-22")
    void whatAProxyOfThisProgramSaysItselfIsRecordedAsItsOwn() throws Exception {
        Proxy outer = Proxy.builder("before", "1")
                .onRequests(Method.Side.CLIENT, "_ask"::equals, (params, hop) -> hop.forward())
                .build();
        Proxy inner = Proxy.builder("asking", "1")
                .onRequests(Method.Side.AGENT, "_ask"::equals, (params, hop) -> {
                    hop.agent().send("_note", params);
                    return hop.answer(hop.client().call("_ask", params));
                })
                .build();
        try (ChainTrace trace = ChainTrace.to(events::add, Redaction.SECRETS, stops::add)) {
            chain = Conductor.builder()
                    .agent(() -> agentSide.left())
                    .onNotice(notice -> {})
                    .trace(trace)
                    .proxy("outer", outer)
                    .proxy("inner", inner)
                    .build()
                    .start(clientSide.left());
            initialize();
            client.request("1", "_ask", "{}");
            assertThat(agent.receive().method()).isEqualTo("_note");
            client.answer(client.receive(), "{\"n\":1}");
            assertThat(client.receive().result()).hasToString("{\"n\":1}");
        }

        assertThat(of("_note")).extracting(ChainTraceTest::hop).containsExactly("notification inner agent");
        List<TraceEvent> asked = of("_ask");
        assertThat(asked)
                .extracting(ChainTraceTest::hop)
                .containsExactly(
                        "request client inner",
                        "request inner outer",
                        "request outer client",
                        "result client outer",
                        "result outer inner",
                        "result inner client");
        assertThat(asked.subList(1, 5))
                .extracting(TraceEvent::flow)
                .containsOnly(asked.get(1).flow())
                .doesNotContain(asked.get(0).flow());
        assertThat(asked.get(5).flow()).isEqualTo(asked.get(0).flow());
    }

    @Test
    @Tag("CON-22")
    @Tag("TRC-02")
    @Tag("TRC-01")
    @SuppressWarnings("try") // It records until it is closed.
    void whatCarriesMcpIsMarked() throws Exception {
        try (ChainTrace unused = start(events::add)) {
            agent.request("7", "mcp/message", "{\"connectionId\":\"c\",\"method\":\"tools/list\"}");
            Message there = client.receive();
            client.answer(there, "{\"tools\":[]}");
            assertThat(agent.receive().id()).hasToString("7");
        }

        assertThat(of("mcp/message")).hasSize(4).allSatisfy(event -> {
            assertThat(event.isMcp()).isTrue();
            assertThat(event.toString()).contains("\"protocol\":\"mcp\"");
            assertThat(RawJson.parse(event.toString()).decode(TraceEvent.CODEC)).hasToString(event.toString());
        });
        assertThat(of("initialize")).noneMatch(TraceEvent::isMcp);
    }

    @Test
    @Tag("CON-23")
    void aSinkThatStandsStillDoesNotStopTheChainAndWhatIsMissingIsCounted() throws Exception {
        CountDownLatch free = new CountDownLatch(1);
        String large = "x".repeat(1 << 20);
        long dropped;
        try (ChainTrace trace = start(event -> {
            await(free);
            events.add(event);
        })) {
            for (int i = 1; i <= 40; i++) {
                prompt(Integer.toString(i), large);
            }
            dropped = trace.dropped();
            free.countDown();
        }

        assertThat(dropped).isPositive();
        assertThat(events)
                .filteredOn(event -> event.type() == TraceEvent.Type.STDERR)
                .extracting(event -> String.valueOf(event.body()))
                .anySatisfy(text -> assertThat(text).contains("events are missing here"));
        assertThat(stops).isEmpty();
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    @Tag("CON-23")
    @SuppressWarnings("try") // It records until it is closed.
    void aFullDiskStopsTheRecordingAndNotTheChain() throws Exception {
        List<TraceEvent> kept = new ArrayList<>();
        try (ChainTrace unused = start(event -> {
            if (kept.size() == 3) {
                throw new IOException("No space left on device");
            }
            kept.add(event);
        })) {
            assertThat(stops.poll(60, TimeUnit.SECONDS))
                    .isEqualTo("The recording has stopped, the chain goes on: No space left on device");
            prompt("1", "still there?");
        }

        assertThat(kept).hasSize(3);
        assertThat(stops).isEmpty();
    }

    @Test
    @Tag("CON-22")
    void aRequestThatGoesOnAsAnotherIsAHopOfTheProxyThatSendsIt() throws Exception {
        Proxy loading = Proxy.builder("loading", "1")
                .onRequests(
                        Method.Side.AGENT,
                        "session/load"::equals,
                        (params, hop) -> hop.forwardAs("session/resume", params))
                .build();
        try (ChainTrace trace = ChainTrace.to(events::add, Redaction.SECRETS, stops::add)) {
            chain = Conductor.builder()
                    .agent(() -> agentSide.left())
                    .trace(trace)
                    .proxy(loading)
                    .build()
                    .start(clientSide.left());
            initialize();
            client.request("1", "session/load", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"mcpServers\":[]}");
            agent.answer(agent.receive(), "{}");
            assertThat(client.receive().id()).hasToString("1");
        }

        assertThat(of("session/resume"))
                .extracting(ChainTraceTest::hop)
                .containsExactly("request loading agent", "result agent loading");
    }
}
