package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.ContentBlock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An agent that dies and is started again, if that is wanted. */
@Timeout(120)
class AgentRestartTest {
    private final List<String> wire = Peer.newWire();
    private final LinkedBlockingQueue<String> notices = new LinkedBlockingQueue<>();
    private final MemoryTransport.Pair clientSide = MemoryTransport.pair();
    private final Peer client = new Peer("client", clientSide.right(), wire);
    private final LinkedBlockingQueue<Peer> agents = new LinkedBlockingQueue<>();
    private @Nullable RunningChain chain;

    private Peer start(int version, String answer) throws Exception {
        return start(
                version,
                answer,
                conductor -> conductor.proxy(Component.of("brief", ProxyProgramTest.program("brief"))));
    }

    private Peer start(int version, String answer, UnaryOperator<Conductor.Builder> withProxy) throws Exception {
        Conductor.Builder conductor = Conductor.builder()
                .agent(() -> {
                    MemoryTransport.Pair side = MemoryTransport.pair();
                    agents.add(new Peer("agent", side.right(), wire));
                    return side.left();
                })
                .agentOnDeath(Component.OnDeath.RESTART, Component.OnDeath.FAIL)
                .onNotice(notices::add);
        chain = withProxy.apply(conductor).build().start(clientSide.left());
        Peer agent = agent();
        client.request("0", "initialize", "{\"protocolVersion\":" + version + "}");
        agent.answer(agent.receive(), answer);
        assertThat(client.receive().result()).hasToString(answer);
        open(agent, "1", "a");
        open(agent, "2", "b");
        return agent;
    }

    private Peer agent() throws InterruptedException {
        Peer agent = agents.poll(60, TimeUnit.SECONDS);
        assertThat(agent).as("an agent").isNotNull();
        return Objects.requireNonNull(agent);
    }

    private void open(Peer agent, String id, String session) throws Exception {
        client.request(id, "session/new", "{\"cwd\":\"/" + session + "\",\"mcpServers\":[]}");
        agent.answer(agent.receive(), "{\"sessionId\":\"" + session + "\"}");
        assertThat(client.receive().id()).hasToString(id);
    }

    @AfterEach
    void close() {
        client.close();
        agents.forEach(Peer::close);
        if (chain != null) {
            chain.close();
        }
    }

    private void sendPrompt(String id, String session) throws Exception {
        client.request(
                id,
                "session/prompt",
                "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"hello\"}]}");
    }

    @Test
    @Tag("CON-10")
    @Tag("CON-18")
    void anAgentThatCannotBeConnectedToInTimeIsReportedAndTriedAgain() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        CountDownLatch never = new CountDownLatch(1);
        chain = Conductor.builder()
                .agent(() -> {
                    if (connections.incrementAndGet() == 2) {
                        never.await();
                    }
                    MemoryTransport.Pair side = MemoryTransport.pair();
                    agents.add(new Peer("agent", side.right(), wire));
                    return side.left();
                })
                .agentOnDeath(Component.OnDeath.RESTART, Component.OnDeath.FAIL)
                .agentDeadlines(Deadlines.NONE.withStart(Duration.ofSeconds(2)))
                .onNotice(notices::add)
                .build()
                .start(clientSide.left());

        agent().close();

        assertThat(notices.poll(60, TimeUnit.SECONDS))
                .startsWith("The agent could not be started again: agent: not started within 2000 ms");
        assertThat(notices.poll(60, TimeUnit.SECONDS)).contains("It was started again");
        assertThat(connections).hasValue(3);
    }

    @Test
    @Tag("CON-18")
    void sessionsAreLoadedAgainWithoutTheirReplayAndTheRunningPromptFails() throws Exception {
        String answer = "{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}";
        Peer first = start(1, answer);
        sendPrompt("3", "a");
        assertThat(first.receive().method()).isEqualTo("session/prompt");

        first.close();

        Message failed = client.receive();
        assertThat(failed.id()).hasToString("3");
        assertThat(failed.error()).asString().contains("-32603", "the agent has ended");
        Peer second = agent();
        Message again = second.receive();
        assertThat(again.method()).isEqualTo("initialize");
        second.answer(again, answer);
        Message load = second.receive();
        assertThat(load.method()).isEqualTo("session/load");
        assertThat(load.params()).hasToString("{\"sessionId\":\"a\",\"cwd\":\"/a\",\"mcpServers\":[]}");
        second.notify(
                "session/update",
                "{\"sessionId\":\"a\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"of before\"}}}");
        second.answer(load, "{}");
        Message other = second.receive();
        assertThat(other.params()).asString().contains("\"sessionId\":\"b\"");
        second.fail(other, "{\"code\":-32603,\"message\":\"forgotten\"}");
        assertThat(notices.poll(60, TimeUnit.SECONDS))
                .startsWith("The agent has ended. It was started again after ")
                .contains("Sessions that it has opened again: 1.")
                .contains("Sessions that are lost: b (")
                .contains("forgotten");

        sendPrompt("4", "b");
        Message lost = client.receive();
        assertThat(lost.id()).as("no replay comes before it").hasToString("4");
        assertThat(lost.error()).asString().contains("-32002", "could not open this session");
        sendPrompt("5", "a");
        Message prompt = second.receive();
        assertThat(prompt.params()).asString().contains("hello", "Be brief.");
        second.answer(prompt, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("5");

        client.request("6", "session/load", "{\"sessionId\":\"b\",\"cwd\":\"/b\",\"mcpServers\":[]}");
        second.answer(second.receive(), "{}");
        assertThat(client.receive().result()).isNotNull();
        sendPrompt("7", "b");
        second.answer(second.receive(), "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().result()).as("it is there again").isNotNull();
        second.close();
    }

    @Test
    @Tag("CON-18")
    void inVersion2SessionsAreResumedAndARunningTurnEnds() throws Exception {
        String answer = "{\"protocolVersion\":2,\"capabilities\":{\"session\":{\"resume\":{}}}}";
        Peer first = start(2, answer);
        sendPrompt("3", "a");
        first.answer(first.receive(), "{}");
        assertThat(client.receive().id()).hasToString("3");

        first.close();

        Peer second = agent();
        second.answer(second.receive(), answer);
        for (String session : List.of("a", "b")) {
            Message resume = second.receive();
            assertThat(resume.method()).isEqualTo("session/resume");
            assertThat(resume.session()).isEqualTo(session);
            second.answer(resume, "{}");
        }
        assertThat(client.receive().params())
                .hasToString("{\"sessionId\":\"a\",\"update\":{\"sessionUpdate\":\"state_update\",\"state\":\"idle\","
                        + "\"stopReason\":\"cancelled\"}}");
        sendPrompt("4", "a");
        second.answer(second.receive(), "{}");
        assertThat(client.receive().id()).hasToString("4");
        second.close();
    }

    @Test
    @Tag("CON-18")
    void theNextHiddenTurnStaysHiddenWhenTheAgentHasDiedInOne() throws Exception {
        String answer = "{\"protocolVersion\":2,\"capabilities\":{\"session\":{\"resume\":{}}}}";
        Proxy leading = Proxy.builder("leading", "1")
                .onPrompt((prompt, hop) -> {
                    hop.promptFirst(List.of(ContentBlock.text("Be a sceptic.")), (update, unseen) -> {});
                    return hop.forward();
                })
                .build();
        Peer first = start(2, answer, conductor -> conductor.proxy(leading));
        sendPrompt("3", "a");
        Message hidden = first.receive();
        assertThat(hidden.params()).asString().contains("sceptic");
        first.answer(hidden, "{\"messageId\":\"m\"}");
        first.notify("session/update", state("running"));

        first.close();

        Peer second = agent();
        second.answer(second.receive(), answer);
        second.answer(second.receiveBut("session/cancel"), "{}");
        second.answer(second.receiveBut("session/cancel"), "{}");
        assertThat(client.receive().error()).asString().contains("-32603");
        sendPrompt("4", "a");
        hidden = second.receiveBut("session/cancel");
        assertThat(hidden.params()).asString().contains("sceptic");
        second.answer(hidden, "{\"messageId\":\"n\"}");
        second.notify("session/update", state("running"));
        second.notify("session/update", state("idle\",\"stopReason\":\"end_turn"));
        Message prompt = second.receive();
        assertThat(prompt.params()).asString().contains("hello");
        second.answer(prompt, "{\"messageId\":\"o\"}");
        assertThat(client.receive().id()).as("no state comes before it").hasToString("4");
        second.close();
    }

    private static String state(String state) {
        return "{\"sessionId\":\"a\",\"update\":{\"sessionUpdate\":\"state_update\",\"state\":\"" + state + "\"}}";
    }

    private static final String LOADING = "{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}";

    @Test
    @Tag("CON-18")
    void whatTheNewAgentAsksWhileItOpensSessionsIsAnsweredToIt() throws Exception {
        Peer first = start(1, LOADING);
        first.close();
        Peer second = agent();
        second.answer(second.receive(), LOADING);
        Message load = second.receive();
        assertThat(load.method()).isEqualTo("session/load");

        second.request("7", "fs/read_text_file", "{\"sessionId\":\"a\",\"path\":\"/a/AGENTS.md\"}");
        Message asked = client.receive();
        assertThat(asked.method()).isEqualTo("fs/read_text_file");
        client.answer(asked, "{\"content\":\"be kind\"}");

        Message answer = second.receive();
        assertThat(answer.id()).hasToString("7");
        assertThat(answer.result()).asString().contains("be kind");
        second.answer(load, "{}");
        second.answer(second.receive(), "{}");
        sendPrompt("3", "a");
        second.answer(second.receive(), "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("3");
        second.close();
    }

    @Test
    @Tag("CON-18")
    @Tag("CON-21")
    void aChainThatIsChangedWhileTheAgentStartsAgainWaitsForIt() throws Exception {
        Peer first = start(1, LOADING);
        first.close();
        Peer second = agent();
        Message again = second.receive();
        assertThat(again.method()).isEqualTo("initialize");

        CountDownLatch reached = new CountDownLatch(1);
        Proxy asking = Proxy.builder("asking", "1")
                .onPrompt((prompt, hop) -> {
                    reached.countDown();
                    return hop.forward(prompt.append(ContentBlock.text("Say please.")));
                })
                .build();
        Objects.requireNonNull(chain).reload(Conductor.builder().proxy(asking).build());
        sendPrompt("3", "a");
        reached.await();
        second.answer(again, LOADING);
        second.answer(second.receive(), "{}");
        second.answer(second.receive(), "{}");

        Message prompt = second.receive();
        assertThat(prompt.params()).asString().contains("Say please.");
        second.answer(prompt, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().result()).asString().contains("end_turn");
        second.close();
    }

    @Test
    @Tag("CON-18")
    void whatTheNewAgentDoesNotOfferIsRefusedAlsoAfterAChangeOfTheChain() throws Exception {
        String list = "{\"protocolVersion\":1,\"agentCapabilities\":{\"sessionCapabilities\":{\"list\":{}}}}";
        Peer first = start(1, list);
        first.close();
        Peer second = agent();
        second.answer(second.receive(), "{\"protocolVersion\":1}");
        String notice;
        do {
            notice = notices.poll(60, TimeUnit.SECONDS);
        } while (notice != null && !notice.contains("was started again"));
        assertThat(notice).isNotNull();

        Objects.requireNonNull(chain)
                .reload(Conductor.builder()
                        .proxy(Component.of("polite", ProxyProgramTest.program("polite")))
                        .build());

        client.request("3", "session/list", "{}");
        assertThat(client.receive().error()).asString().contains("-32601");
        second.close();
    }
}
