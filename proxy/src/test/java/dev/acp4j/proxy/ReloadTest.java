package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Method;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chains whose components are changed while sessions are open. */
@Timeout(180)
class ReloadTest {
    private static final String DONE = "{\"stopReason\":\"end_turn\"}";

    private final List<String> wire = Peer.newWire();
    private final LinkedBlockingQueue<String> notices = new LinkedBlockingQueue<>();
    private final MemoryTransport.Pair clientSide = MemoryTransport.pair();
    private final MemoryTransport.Pair agentSide = MemoryTransport.pair();
    private final Peer client = new Peer("client", clientSide.right(), wire);
    private final Peer agent = new Peer("agent", agentSide.right(), wire);
    private @Nullable RunningChain chain;

    private Conductor.Builder conductor(String... programs) {
        Conductor.Builder conductor =
                Conductor.builder().agent(() -> agentSide.left()).onNotice(notices::add);
        for (String program : programs) {
            conductor.proxy(Component.of(program, ProxyProgramTest.program(program)));
        }
        return conductor;
    }

    private RunningChain start(Conductor conductor, int version) throws Exception {
        RunningChain started = conductor.start(clientSide.left());
        chain = started;
        client.request("0", "initialize", "{\"protocolVersion\":" + version + "}");
        agent.answer(agent.receive(), "{\"protocolVersion\":" + version + "}");
        assertThat(client.receive().result()).isNotNull();
        return started;
    }

    @AfterEach
    void close() {
        client.close();
        agent.close();
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

    private void update(String session, String update) throws Exception {
        agent.notify("session/update", "{\"sessionId\":\"" + session + "\",\"update\":{" + update + "}}");
        assertThat(client.receive().params()).asString().contains(update);
    }

    private static List<String> ids(RunningChain running) {
        return running.status().stream().map(ComponentStatus::id).toList();
    }

    @Test
    @Tag("CON-21")
    void aBusySessionEndsItsTurnOnTheOldChainWhileOthersTakeTheNewOne() throws Exception {
        RunningChain running = start(conductor("brief").build(), 1);
        sendPrompt("1", "busy");
        Message old = agent.receive();
        assertThat(old.params()).asString().contains("Be brief.").doesNotContain("Say please.");

        running.reload(conductor("polite").build());

        sendPrompt("2", "idle");
        Message there = agent.receive();
        assertThat(there.params()).asString().contains("Say please.").doesNotContain("Be brief.");
        agent.answer(there, DONE);
        assertThat(client.receive().id()).hasToString("2");
        assertThat(ids(running)).contains("brief", "polite");

        agent.answer(old, DONE);
        assertThat(client.receive().id()).hasToString("1");
        assertThat(Poll.until(() -> ids(running).equals(List.of("polite", "agent"))))
                .as("the old program ends")
                .isTrue();
        sendPrompt("3", "busy");
        Message next = agent.receive();
        assertThat(next.params()).asString().contains("Say please.").doesNotContain("Be brief.");
        agent.answer(next, DONE);
        assertThat(client.receive().id()).hasToString("3");
        assertThat(notices.poll(60, TimeUnit.SECONDS))
                .isEqualTo("The chain has changed, it is now: polite. Sessions that keep the old one until their turns "
                        + "have ended: 1.");
        assertThat(notices).isEmpty();
    }

    @Test
    @Tag("CON-15")
    @Tag("CON-21")
    void aProgramThatIsInBothChainsIsToldTheOpenSessions() throws Exception {
        RunningChain running = start(conductor("remembering").build(), 1);
        open("1", "s");
        assertThat(origin("2", "s")).isEqualTo("\"session/new s\"");

        running.reload(conductor("polite", "remembering").build());
        assertThat(origin("3", "s")).isEqualTo("\"session/new s\"");
        open("4", "t");

        // What the first chain has said is not forgotten when the program is started again in the second.
        long pid = running.status().get(1).pid().orElseThrow();
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
        String notice;
        do {
            notice = notices.poll(60, TimeUnit.SECONDS);
        } while (notice != null && !notice.contains("started again"));
        assertThat(notice).isNotNull();
        assertThat(origin("5", "s")).isEqualTo("\"session/new s\"");
        assertThat(origin("6", "t")).isEqualTo("\"session/new t\"");
    }

    private void open(String id, String session) throws Exception {
        client.request(id, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        agent.answer(agent.receive(), "{\"sessionId\":\"" + session + "\"}");
        assertThat(client.receive().id()).hasToString(id);
    }

    private String origin(String id, String session) throws Exception {
        client.request(id, "_origin", "{\"sessionId\":\"" + session + "\"}");
        return String.valueOf(client.receive().result());
    }

    @Test
    @Tag("CON-21")
    void componentsAreAddedAndMovedAndTheAgentIsNotInitializedAgain() throws Exception {
        RunningChain running = start(conductor("brief").build(), 1);

        running.reload(conductor("polite", "brief").build());
        sendPrompt("1", "s");
        Message two = agent.receive();
        assertThat(two.method()).isEqualTo("session/prompt");
        assertThat(two.params()).asString().matches(".*Say please.*Be brief.*");
        agent.answer(two, DONE);
        assertThat(client.receive().id()).hasToString("1");

        running.reload(conductor("brief", "polite").build());
        sendPrompt("2", "s");
        Message moved = agent.receive();
        assertThat(moved.params()).asString().matches(".*Be brief.*Say please.*");
        agent.answer(moved, DONE);
        assertThat(client.receive().id()).hasToString("2");

        running.reload(conductor().build());
        sendPrompt("3", "s");
        Message none = agent.receive();
        assertThat(none.params()).asString().doesNotContain("Be brief.", "Say please.");
        agent.answer(none, DONE);
        assertThat(client.receive().id()).hasToString("3");
    }

    @Test
    @Tag("CON-21")
    void aTurnOfVersion2KeepsTheOldChainUntilItIsIdle() throws Exception {
        RunningChain running = start(conductor("brief").build(), 2);
        sendPrompt("1", "s");
        agent.answer(agent.receive(), "{}");
        assertThat(client.receive().id()).hasToString("1");
        update("s", "\"sessionUpdate\":\"state_update\",\"state\":\"running\"");

        running.reload(conductor("polite").build());

        assertThat(ids(running)).contains("brief");
        update("s", "\"sessionUpdate\":\"state_update\",\"state\":\"idle\"");
        assertThat(Poll.until(() -> !ids(running).contains("brief"))).isTrue();
        sendPrompt("2", "s");
        assertThat(agent.receive().params()).asString().contains("Say please.").doesNotContain("Be brief.");
    }

    @Test
    @Tag("CON-21")
    void aTurnOfVersion2ThatEndsBeforeTheAnswerOfItsPromptKeepsNoChain() throws Exception {
        RunningChain running = start(conductor("brief").build(), 2);
        sendPrompt("1", "s");
        Message prompt = agent.receive();
        update("s", "\"sessionUpdate\":\"state_update\",\"state\":\"running\"");
        update("s", "\"sessionUpdate\":\"state_update\",\"state\":\"idle\"");
        agent.answer(prompt, "{}");
        assertThat(client.receive().id()).hasToString("1");

        running.reload(conductor("polite").build());

        assertThat(Poll.until(() -> !ids(running).contains("brief"))).isTrue();
        sendPrompt("2", "s");
        assertThat(agent.receive().params()).asString().contains("Say please.").doesNotContain("Be brief.");
    }

    @Test
    @Tag("CON-21")
    void aNewChainThatDoesNotStartLeavesNoThreads() throws Exception {
        Proxy watching = Proxy.builder("watching", "1")
                .onRequest(AgentMethods.INITIALIZE, (params, hop) -> hop.forward())
                .observe(seen -> {})
                .build();
        RunningChain running = start(conductor().build(), 1);
        long before = threadsOfProxies();
        Conductor dying = conductor()
                .proxy(watching)
                .proxy(Component.of("dying", Launch.of("sh", "-c", "read -r line; exit 3")))
                .build();

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> running.reload(dying)).isInstanceOf(IOException.class);
        }

        assertThat(Poll.until(() -> threadsOfProxies() <= before)).isTrue();
    }

    private static long threadsOfProxies() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.equals("acp4j-patience") || name.equals("acp4j-observer-watching"))
                .count();
    }

    @Test
    @Tag("CON-21")
    void aNewChainThatDoesNotStartChangesNothing() throws Exception {
        RunningChain running = start(conductor("brief").build(), 1);
        Conductor missing = conductor("polite")
                .proxy(Component.of("missing", Launch.of("no-such-program-at-all")))
                .build();
        Conductor dying = conductor("polite")
                .proxy(Component.of("dying", Launch.of("sh", "-c", "echo I break >&2; exit 3")))
                .build();
        String refusal = "{\"jsonrpc\":\"2.0\",\"id\":\\1,\"error\":{\"code\":-32601,\"message\":\"what?\"}}";
        Conductor agents = conductor("polite")
                .proxy(Component.of("wrong", Launch.of("sed", "-u", "s/.*\"id\":\\([0-9]*\\).*/" + refusal + "/")))
                .build();

        assertThatThrownBy(() -> running.reload(missing))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("missing")
                .hasMessageContaining("no-such-program-at-all");
        assertThatThrownBy(() -> running.reload(dying))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the component dying has ended: exit code 3");
        assertThatThrownBy(() -> running.reload(agents))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The component wrong answered proxy/initialize with error -32601");

        assertThat(ids(running)).containsExactly("brief", "agent");
        sendPrompt("1", "s");
        Message there = agent.receive();
        assertThat(there.params()).asString().contains("Be brief.").doesNotContain("Say please.");
        agent.answer(there, DONE);
        assertThat(client.receive().id()).hasToString("1");
    }

    @Test
    @Tag("CON-21")
    void aProxyInsideKeepsWhatItKnowsOfSessionsAndANewOneGetsTheirState() throws Exception {
        Proxy counting = counting("count");
        RunningChain running = start(conductor().proxy(counting).build(), 1);
        client.request("1", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        agent.answer(agent.receive(), "{\"sessionId\":\"s\"}");
        assertThat(client.receive().id()).hasToString("1");
        assertThat(counted("2")).contains("count 1");

        running.reload(
                conductor("brief").proxy(counting).proxy(counting("other")).build());

        assertThat(counted("3")).contains("count 2").contains("other 1").contains("Be brief.");
    }

    private static final String OPENING = "{\"cwd\":\"/\",\"mcpServers\":[]}";

    @Test
    @Tag("CON-21")
    void anIdleSessionTakesTheNewChainWhileAnotherOneIsBeingOpenedOnTheOldOne() throws Exception {
        RunningChain running = start(conductor("brief").build(), 1);
        open("1", "idle");
        client.request("2", "session/new", OPENING);
        Message opening = agent.receive();

        running.reload(conductor("polite").build());

        sendPrompt("3", "idle");
        Message there = agent.receive();
        assertThat(there.params()).asString().contains("Say please.").doesNotContain("Be brief.");
        update("idle", "\"sessionUpdate\":\"plan\",\"entries\":[]");
        agent.answer(there, DONE);
        assertThat(client.receive().id()).hasToString("3");
        agent.answer(opening, "{\"sessionId\":\"fresh\"}");
        assertThat(client.receive().id()).hasToString("2");
        assertThat(Poll.until(() -> !ids(running).contains("brief"))).isTrue();
    }

    @Test
    @Tag("CON-21")
    void aSessionWhoseOpeningIsInFlightHasItsStateInTheNewChainAtOnce() throws Exception {
        Proxy counting = counting("count");
        RunningChain running = start(conductor().proxy(counting).build(), 1);
        open("1", "busy");
        sendPrompt("2", "busy");
        Message busy = agent.receive();
        client.request("3", "session/new", OPENING);
        Message opening = agent.receive();

        running.reload(
                conductor("brief").proxy(counting).proxy(counting("other")).build());
        agent.answer(opening, "{\"sessionId\":\"s\"}");
        assertThat(client.receive().id()).hasToString("3");

        assertThat(counted("4")).contains("count 1", "other 1", "Be brief.");
        agent.answer(busy, DONE);
        assertThat(client.receive().id()).hasToString("2");
    }

    @Test
    @Tag("CON-21")
    void aProxyThatIsNewToTheChainSeesSessionsThatNobodyKeptAnythingFor() throws Exception {
        RunningChain running = start(conductor("polite").build(), 1);
        open("1", "s");

        running.reload(conductor("brief").proxy(counting("count")).build());

        assertThat(counted("2")).contains("count 1", "Be brief.");
    }

    @Test
    @Tag("CON-21")
    void aSessionThatIsClosedInTheNewChainDoesNotComeBackWhenTheOldOneEnds() throws Exception {
        List<String> ended = new CopyOnWriteArrayList<>();
        SessionState<String> state =
                SessionState.of(opening -> opening.session().value(), ended::add);
        Proxy marking = Proxy.builder("marking", "1")
                .state(state)
                .onPrompt((prompt, hop) -> hop.forward(prompt.append(ContentBlock.text("marked"))))
                .build();
        RunningChain running = start(conductor("brief").proxy(marking).build(), 1);
        open("1", "busy");
        open("2", "s");
        sendPrompt("3", "busy");
        Message busy = agent.receive();
        running.reload(conductor("polite").proxy(marking).build());

        client.request("4", "session/close", "{\"sessionId\":\"s\"}");
        agent.answer(agent.receive(), "{}");
        assertThat(client.receive().id()).hasToString("4");
        assertThat(ended).containsExactly("s");
        agent.answer(busy, DONE);
        assertThat(client.receive().id()).hasToString("3");
        assertThat(Poll.until(() -> !ids(running).contains("brief"))).isTrue();

        assertThat(counted("5")).doesNotContain("marked");
        assertThat(ended).as("once").containsExactly("s");
    }

    @Test
    @Tag("CON-21")
    void aTurnOfAProxysOwnSessionKeepsTheOldChainInVersion2() throws Exception {
        LinkedBlockingQueue<Transport> opened = new LinkedBlockingQueue<>();
        RunningChain running = start(conductor().proxy(owning(opened)).build(), 2);
        client.request("1", "_own", "{}");
        assertThat(client.receive().result()).isNotNull();
        try (Peer own = new Peer("own", opened.take(), wire)) {
            own.request("0", "initialize", "{\"protocolVersion\":2}");
            assertThat(own.receive().result()).isNotNull();
            own.request("1", "session/new", OPENING);
            agent.answer(agent.receive(), "{\"sessionId\":\"o\"}");
            assertThat(own.receive().session()).isEqualTo("o");
            own.request("2", "session/prompt", "{\"sessionId\":\"o\",\"prompt\":[]}");
            agent.answer(agent.receive(), "{}");
            assertThat(own.receive().id()).hasToString("2");

            running.reload(conductor("polite").build());

            agent.notify(
                    "session/update",
                    "{\"sessionId\":\"o\",\"update\":{\"sessionUpdate\":\"state_update\",\"state\":\"idle\"}}");
            assertThat(own.receive().method()).isEqualTo("session/update");
            assertThat(own.isAtEnd()).as("nothing uses the old chain any more").isTrue();
        }
    }

    private static Proxy owning(LinkedBlockingQueue<Transport> opened) {
        return Proxy.builder("owning", "1")
                .onRequests(Method.Side.AGENT, "_own"::equals, (params, hop) -> {
                    opened.add(hop.ownTransport());
                    return hop.answer(RawJson.EMPTY_OBJECT);
                })
                .build();
    }

    @Test
    @Tag("CON-21")
    @Tag("PXL-18")
    void whatTheAgentSaysOfAProxysOwnSessionIsNothingForTheClient() throws Exception {
        LinkedBlockingQueue<Transport> opened = new LinkedBlockingQueue<>();
        RunningChain running = start(conductor().proxy(owning(opened)).build(), 1);
        client.request("1", "_own", "{}");
        assertThat(client.receive().result()).isNotNull();
        try (Peer own = new Peer("own", opened.take(), wire)) {
            own.request("0", "initialize", "{\"protocolVersion\":1}");
            assertThat(own.receive().result()).isNotNull();
            own.request("1", "session/new", OPENING);
            agent.answer(agent.receive(), "{\"sessionId\":\"o\"}");
            assertThat(own.receive().session()).isEqualTo("o");
            own.request("2", "session/prompt", "{\"sessionId\":\"o\",\"prompt\":[]}");
            Message prompt = agent.receive();
            String update = "{\"sessionId\":\"o\",\"update\":{\"sessionUpdate\":\"plan\",\"entries\":[]}}";

            running.reload(conductor("polite").build());

            agent.notify("session/update", update);
            assertThat(own.receive().method()).isEqualTo("session/update");
            agent.request("7", "fs/read_text_file", "{\"sessionId\":\"o\",\"path\":\"/f\"}");
            own.answer(own.receive(), "{\"content\":\"its own\"}");
            assertThat(agent.receive().result()).asString().contains("its own");
            agent.answer(prompt, DONE);
            assertThat(own.receive().id()).hasToString("2");
            assertThat(own.isAtEnd()).as("nothing uses the old chain any more").isTrue();
            agent.notify("session/update", update);
            update("s", "\"sessionUpdate\":\"plan\",\"entries\":[]");
        }
    }

    @Test
    @Tag("CON-21")
    void whatAProxyKeepsOfTheClientServesAfterTheChange() throws Exception {
        List<Neighbour> kept = new CopyOnWriteArrayList<>();
        Proxy keeping = Proxy.builder("keeping", "1")
                .onRequests(Method.Side.AGENT, "_keep"::equals, (params, hop) -> {
                    kept.add(hop.client());
                    return hop.answer(RawJson.EMPTY_OBJECT);
                })
                .build();
        RunningChain running = start(conductor("brief").proxy(keeping).build(), 1);
        client.request("1", "_keep", "{}");
        assertThat(client.receive().result()).isNotNull();

        running.reload(conductor("polite").proxy(keeping).build());
        assertThat(Poll.until(() -> !ids(running).contains("brief"))).isTrue();

        kept.get(0).send("_said", RawJson.parse("{\"sessionId\":\"s\"}"));
        assertThat(client.receive().method()).isEqualTo("_said");
        client.request("2", "_keep", "{}");
        assertThat(client.receive().result()).isNotNull();
        assertThat(kept.get(1)).as("a key of a weak map stays").isSameAs(kept.get(0));
    }

    private static Proxy counting(String name) {
        SessionState<AtomicInteger> prompts = SessionState.of(opening -> new AtomicInteger());
        return Proxy.builder(name, "1")
                .state(prompts)
                .onPrompt((prompt, hop) -> hop.forward(prompt.append(
                        ContentBlock.text(name + " " + hop.state(prompts).incrementAndGet()))))
                .build();
    }

    private String counted(String id) throws Exception {
        sendPrompt(id, "s");
        Message there = agent.receive();
        agent.answer(there, DONE);
        assertThat(client.receive().id()).hasToString(id);
        return String.valueOf(there.params());
    }
}
