package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Components of other makers: their names, their cancellations, and their servers of tools. */
@Timeout(120)
class DialectsTest {
    private static final String INITIALIZE = "{\"protocolVersion\":1,\"clientCapabilities\":{}}";
    private static final String INITIALIZED = "{\"protocolVersion\":1,\"agentCapabilities\":{\"own\":1.50}}";

    private final List<String> wire = Peer.newWire();
    private final MemoryTransport.Pair clientSide = MemoryTransport.pair();
    private final MemoryTransport.Pair agentSide = MemoryTransport.pair();
    private final Peer client = new Peer("client", clientSide.right(), wire);
    private final Peer agent = new Peer("agent", agentSide.right(), wire);
    private @Nullable RunningChain chain;

    private void begin(Component... components) throws Exception {
        Conductor.Builder conductor = Conductor.builder().agent(agentSide::left).onNotice(notice -> {});
        for (Component component : components) {
            conductor.proxy(component);
        }
        chain = conductor.build().start(clientSide.left());
        client.request("0", "initialize", INITIALIZE);
    }

    @AfterEach
    void close() {
        client.close();
        agent.close();
        if (chain != null) {
            chain.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"schema", "rust2", "rust3", "rust2 schema rust3", "schema rust3 rust2"})
    @Tag("CON-31")
    void componentsOfEachDialectPassAllAloneAndMixed(String dialects) throws Exception {
        List<Component> components = new ArrayList<>();
        for (String dialect : dialects.split(" ", -1)) {
            components.add(StandIn.component("of-" + dialect, dialect));
        }
        begin(components.toArray(Component[]::new));
        agent.answer(agent.receive(), INITIALIZED);
        assertThat(client.receive().result()).hasToString(INITIALIZED);

        cancels(client, agent);
        cancels(agent, client);

        for (Component component : components) {
            boolean isOld = component.id().equals("of-rust2");
            String server = (isOld ? "{\"connectionId\":\"" : "{\"serverId\":\"") + component.id() + "\"}";
            if (isOld) {
                agent.request("1", "mcp/connect", "{\"server\":\"of-rust2\"}");
                assertThat(agent.receive().result()).hasToString("{\"by\":\"of-rust2\"}");
            }
            agent.request("1", "mcp/message", server);
            assertThat(agent.receive().result()).hasToString("{\"by\":\"" + component.id() + "\"}");
        }
    }

    /** A request is cancelled through all hops, once, and its late answer comes back as it is. */
    private static void cancels(Peer from, Peer to) throws Exception {
        from.request("7", "_hold", "{\"x\":1.50}");
        Message there = to.receive();
        assertThat(there.params()).hasToString("{\"x\":1.50}");
        from.notify("$/cancel_request", "{\"requestId\":7}");
        from.notify("_next", "{}");
        Message cancelled = to.receive();
        assertThat(cancelled.params()).hasToString("{\"requestId\":" + there.id() + "}");
        assertThat(to.receive().method()).isEqualTo("_next");
        to.fail(there, "{\"code\":-32800,\"message\":\"late\",\"x\":1.0}");
        assertThat(from.receive().error()).hasToString("{\"code\":-32800,\"message\":\"late\",\"x\":1.0}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"schema", "rust2", "rust3"})
    @Tag("CON-31")
    void aWrongDialectIsNamedFromTheFirstAnswer(String dialect) throws Exception {
        Component right = StandIn.component("other", dialect);
        Component wrong = right.isLegacy()
                ? Component.of("other", right.launch()).onDeath(Component.OnDeath.FAIL)
                : right.legacy();
        begin(wrong);

        assertThat(client.receive().error())
                .asString()
                .contains("The component other answered " + (right.isLegacy() ? "" : "_")
                        + "proxy/initialize with error -32601")
                .contains(
                        right.isLegacy()
                                ? "mark proxies for older conductors as legacy (dialect: legacy, or --legacy other)"
                                : "do not mark others as legacy");
    }

    @Test
    @Tag("PRX-09")
    void anEnvelopeWithoutAMessageIsRefusedAndReachesNobody() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        MemoryTransport.Pair outer = MemoryTransport.pair();
        Peer component = new Peer("component", outer.right(), wire);
        chain = Conductor.builder()
                .proxy(Proxy.builder("sees", "1")
                        .onRequests(Method.Side.CLIENT, method -> true, (params, hop) -> {
                            seen.add(hop.method());
                            return hop.forward();
                        })
                        .onNotifications(Method.Side.CLIENT, method -> true, (params, hop) -> {
                            seen.add(hop.method());
                            hop.forward();
                        })
                        .build())
                .onNotice(notice -> {})
                .build()
                .start(outer.left());
        component.request("1", "proxy/initialize", INITIALIZE);
        Message asked = component.receive();
        component.answer(asked, INITIALIZED);
        assertThat(component.receive().result()).hasToString(INITIALIZED);
        seen.clear();

        int id = 2;
        for (String envelope : List.of(
                "{}",
                "{\"params\":{}}",
                "{\"method\":7,\"params\":{}}",
                "{\"method\":\"_ask\",\"params\":\"text\"}",
                "{\"method\":\"proxy/successor\",\"params\":{\"method\":\"_ask\"}}",
                "[]")) {
            component.request(Integer.toString(id), "proxy/successor", envelope);
            Message answer = component.receive();
            assertThat(answer.error()).as(envelope).asString().contains("-326");
            assertThat(answer.id()).as(envelope).hasToString(Integer.toString(id));
            id++;
        }
        component.notify("proxy/successor", "{\"method\":7}");
        component.notify("proxy/successor", "{\"method\":\"_next\",\"params\":{}}");

        Message next = component.receive();
        while (!"_next".equals(next.method())) {
            // What is wrong with a notification is said without an id.
            assertThat(next.error()).asString().contains("-326");
            next = component.receive();
        }
        assertThat(seen).containsOnly("_next");
        component.close();
    }

    @Test
    @Tag("CON-32")
    void aMessageToAnotherAgentIsRefusedAndNotSentToTheNext() throws Exception {
        MemoryTransport.Pair outer = MemoryTransport.pair();
        Peer component = new Peer("component", outer.right(), wire);
        // A chain that is itself a proxy: what is in envelopes comes from the conductor of the test.
        chain = Conductor.builder()
                .proxy(SampleProxies.named("nothing"))
                .onNotice(notice -> {})
                .build()
                .start(outer.left());
        component.request("1", "proxy/initialize", INITIALIZE);
        Message asked = component.receive();
        component.answer(asked, INITIALIZED);
        assertThat(component.receive().result()).hasToString(INITIALIZED);

        component.request("2", "proxy/successor", "{\"method\":\"_ask\",\"params\":{},\"peer\":\"research\"}");
        assertThat(component.receive().error()).asString().contains("peer").contains("not supported");
        component.notify("proxy/successor", "{\"method\":\"_told\",\"params\":{},\"peer\":\"research\"}");
        assertThat(component.receive().error()).asString().contains("peer").contains("not supported");
        component.notify("proxy/successor", "{\"method\":\"_next\",\"params\":{},\"peer\":null}");
        assertThat(component.receive().method()).isEqualTo("_next");
        component.close();
    }
}
