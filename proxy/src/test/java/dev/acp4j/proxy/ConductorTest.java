package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.process.Launch;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chains whose components die, and what their neighbours see. */
@Timeout(120)
class ConductorTest {
    private static final String INITIALIZE = "{\"protocolVersion\":1,\"clientCapabilities\":{}}";
    private static final String INITIALIZED = "{\"protocolVersion\":1,\"agentCapabilities\":{}}";

    private final List<String> wire = Peer.newWire();
    private final LinkedBlockingQueue<String> notices = new LinkedBlockingQueue<>();
    private final MemoryTransport.Pair clientSide = MemoryTransport.pair();
    private final MemoryTransport.Pair agentSide = MemoryTransport.pair();
    private final Peer client = new Peer("client", clientSide.right(), wire);
    private final Peer agent = new Peer("agent", agentSide.right(), wire);
    private @Nullable RunningChain chain;

    @TempDir
    private Path folder;

    private RunningChain start(Component... components) throws Exception {
        Conductor.Builder conductor =
                Conductor.builder().agent(() -> agentSide.left()).onNotice(notices::add);
        for (Component component : components) {
            conductor.proxy(component);
        }
        chain = conductor.build().start(clientSide.left());
        client.request("0", "initialize", INITIALIZE);
        agent.answer(agent.receive(), INITIALIZED);
        assertThat(client.receive().result()).hasToString(INITIALIZED);
        return chain;
    }

    @AfterEach
    void close() {
        client.close();
        agent.close();
        if (chain != null) {
            chain.close();
        }
    }

    private static Component dying(Component.OnDeath... what) {
        return Component.of("fragile", ProxyProgramTest.program("dying")).onDeath(what);
    }

    private static String prompt(String text) {
        return "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}";
    }

    private static String said(String text) {
        return "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\""
                + text + "\"}}}";
    }

    private String notice() throws InterruptedException {
        String notice = notices.poll(60, TimeUnit.SECONDS);
        assertThat(notice)
                .as("a notice; the wire:\n%s", String.join("\n", wire))
                .isNotNull();
        return String.valueOf(notice);
    }

    @Test
    @Tag("CON-12")
    void aComponentThatDiesWhileNothingRunsIsStartedAgain() throws Exception {
        start(dying(Component.OnDeath.RESTART));
        agent.notify("session/update", said("die now"));
        assertThat(client.receive().params()).hasToString(said("die now"));
        assertThat(notice()).contains("fragile").contains("exit code 9").contains("started again");

        client.request("1", "session/prompt", prompt("hello"));
        Message there = agent.receive();
        assertThat(there.method()).isEqualTo("session/prompt");
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().result()).hasToString("{\"stopReason\":\"end_turn\"}");
    }

    @Test
    @Tag("CON-13")
    @Tag("PRX-08")
    void aTurnInsideADeadComponentIsAnsweredOnceAndCancelledAtTheAgent() throws Exception {
        start(dying(Component.OnDeath.RESTART));
        client.request("1", "session/prompt", prompt("hello"));
        Message there = agent.receive();
        agent.notify("session/update", said("die now"));
        assertThat(client.receive().params()).hasToString(said("die now"));
        Message failed = client.receive();
        assertThat(failed.id()).hasToString("1");
        assertThat(failed.error())
                .asString()
                .contains("-32603")
                .contains("the component fragile has ended")
                .contains(
                        "\"acp4j\":{\"component\":\"the component fragile\",\"cause\":\"ended\",\"phase\":\"prompt\",\"exit\":\"exit code 9\"");
        assertThat(List.of(agent.receive().method(), agent.receive().method()))
                .containsExactlyInAnyOrder("$/cancel_request", "session/cancel");
        assertThat(notice()).contains("started again");

        client.request("2", "session/prompt", prompt("again"));
        client.request("3", "session/list", "{}");
        Message list = agent.receive();
        assertThat(list.method()).as("while the turn has not ended").isEqualTo("session/list");
        agent.answer(list, "{\"sessions\":[]}");
        assertThat(client.receive().id()).hasToString("3");
        agent.answer(there, "{\"stopReason\":\"cancelled\"}");
        Message again = agent.receive();
        assertThat(again.params()).asString().contains("again");
        agent.answer(again, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("2");
    }

    @Test
    @Tag("CON-13")
    void whenAPromptThatWaitsDiesWithItsComponentTheNextOneWaitsForTheSameTurn() throws Exception {
        start(dying(Component.OnDeath.RESTART));
        client.request("1", "session/prompt", prompt("hello"));
        Message there = agent.receive();
        agent.notify("session/update", said("die now"));
        assertThat(client.receive().params()).hasToString(said("die now"));
        assertThat(client.receive().id()).hasToString("1");
        assertThat(notice()).contains("started again");

        // Passed on, and held since the first turn has not ended, when the component dies.
        client.request("2", "session/prompt", prompt("die now"));
        assertThat(client.receive().error()).asString().contains("the component fragile has ended");
        assertThat(notice()).contains("started again");

        client.request("3", "session/prompt", prompt("third"));
        client.request("4", "session/list", "{}");
        Message list = afterCancellations();
        assertThat(list.method()).as("while the turn has not ended").isEqualTo("session/list");
        agent.answer(list, "{\"sessions\":[]}");
        assertThat(client.receive().id()).hasToString("4");
        agent.answer(there, "{\"stopReason\":\"cancelled\"}");
        Message third = afterCancellations();
        assertThat(third.params()).asString().contains("third");
        agent.answer(third, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("3");
    }

    private Message afterCancellations() throws Exception {
        Message message = agent.receive();
        while (message.method().contains("cancel")) {
            message = agent.receive();
        }
        return message;
    }

    @Test
    @Tag("CON-16")
    @Tag("PRX-28")
    void aComponentThatIsLeftOutLeavesItsNeighboursJoined() throws Exception {
        start(dying(Component.OnDeath.BYPASS));
        client.request("1", "session/prompt", prompt("die before"));
        assertThat(client.receive().error()).asString().contains("the component fragile has ended");
        assertThat(notice()).contains("fragile").contains("exit code 7").contains("left out");

        client.request("2", "session/prompt", prompt("die before"));
        Message there = agent.receive();
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("2");
    }

    @Test
    @Tag("CON-11")
    @Tag("PRX-28")
    void aDeathEndsTheChainIfThatIsThePolicy() throws Exception {
        RunningChain running = start(dying(Component.OnDeath.FAIL));
        client.request("1", "session/prompt", prompt("die before"));
        assertThat(client.receive().error()).asString().contains("fragile");
        assertThat(client.isAtEnd()).isTrue();
        running.awaitClosed();
        assertThat(running.failure()).hasValueSatisfying(why -> assertThat(why).contains("fragile"));
        assertThat(running.status().get(0).state()).isEqualTo(ComponentStatus.State.FAILED);
    }

    @Test
    void aMissingProgramIsNamedBeforeAnyIsStarted() {
        Conductor conductor = Conductor.builder()
                .proxy(Component.of("there", ProxyProgramTest.program("nothing")))
                .proxy(Component.of("context", Launch.of("no-such-program-at-all")))
                .agent(() -> agentSide.left())
                .build();
        assertThatThrownBy(() -> conductor.start(clientSide.left()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("context")
                .hasMessageContaining("no-such-program-at-all");
    }

    @Test
    @Tag("PRX-32")
    void componentsOfTheOlderDialectStandBesideOthers() throws Exception {
        start(
                Component.of("old", ProxyProgramTest.program("brief")).legacy(),
                Component.of("new", ProxyProgramTest.program("polite")));
        client.request("1", "session/prompt", prompt("hello"));
        Message there = agent.receive();
        assertThat(there.params()).asString().contains("Be brief.").contains("Say please.");
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("1");
    }

    @Test
    @Tag("PRX-03")
    void allBeforeTheLastAreInitializedAsProxiesAndTheLastOrOnlyOneAsAnAgent() throws Exception {
        List<Path> files = List.of(folder.resolve("first"), folder.resolve("second"));
        start(recording("first", files.get(0)), recording("second", files.get(1)));
        for (Path file : files) {
            assertThat(Files.readAllLines(file).get(0))
                    .contains("\"method\":\"proxy/initialize\",\"params\":" + INITIALIZE);
        }
        assertThat(wire).anyMatch(line -> line.startsWith("agent <-- ") && line.contains("\"method\":\"initialize\""));
    }

    /** A proxy whose input is written to a file. */
    private static Component recording(String name, Path file) {
        Launch proxy = ProxyProgramTest.program("nothing");
        String command =
                "tee '" + file + "' | '" + proxy.command() + "' '" + String.join("' '", proxy.arguments()) + "'";
        return Component.of(name, Launch.of("sh", "-c", command));
    }

    @Test
    @Tag("PRX-03")
    @Tag("PRX-21")
    void aChainOfAnAgentAloneInitializesItAsOneAndPassesEverything() throws Exception {
        start();
        assertThat(wire).anyMatch(line -> line.startsWith("agent <-- ") && line.contains("\"method\":\"initialize\""));
        String odd = "{\"a\":1.50,\"a\":1e3,\"b\":[ ],\"_meta\":null}";
        client.request("\"1\"", "_own", odd);
        Message there = agent.receive();
        assertThat(there.params()).hasToString(odd);
        agent.fail(there, "{\"code\":-7,\"message\":\"no\",\"data\":null,\"own\":1.0}");
        assertThat(client.receive().error()).hasToString("{\"code\":-7,\"message\":\"no\",\"data\":null,\"own\":1.0}");
    }

    @Test
    @Tag("PRX-19")
    @Tag("PRX-22")
    @Tag("RTR-14")
    @Tag("INI-18")
    void chainsWithinChainsKeepUnknownMembersAndVersionsToCome() throws Exception {
        MemoryTransport.Pair between = MemoryTransport.pair();
        RunningChain inner = Conductor.builder()
                .proxy(Component.of("chain", ProxyProgramTest.program("chain")))
                .proxy(SampleProxies.named("brief"))
                .agent(() -> agentSide.left())
                .build()
                .start(between.right());
        chain = Conductor.builder()
                .proxy(SampleProxies.named("polite"))
                .agent(() -> between.left())
                .build()
                .start(clientSide.left());
        String asks = "{\"protocolVersion\":3,\"x\":[ ],\"clientCapabilities\":{\"own\":1.50}}";
        String answers = "{\"x\":[ ],\"protocolVersion\":3,\"agentCapabilities\":{\"own\":1.50}}";
        client.request("0", "initialize", asks);
        Message asked = agent.receive();
        assertThat(asked.params()).hasToString(asks);
        agent.answer(asked, answers);
        assertThat(client.receive().result()).hasToString(answers);

        client.request("1", "session/prompt", prompt("hello"));
        Message there = agent.receive();
        assertThat(there.params()).asString().matches(".*please.*brief.*please.*brief.*");
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("1");
        chain.close();
        inner.awaitClosed();
    }

    @Test
    @Tag("PRX-04")
    void aComponentThatSendsProxyInitializeItselfIsRefused() throws Exception {
        start(Component.of("confused", ProxyProgramTest.program("confused")));
        client.request("1", "_confuse", "{}");
        assertThat(client.receive().result()).asString().contains("-32600").contains("only a conductor sends this");
        client.request("2", "_own", "{}");
        agent.answer(agent.receive(), "{}");
        assertThat(client.receive().id()).hasToString("2");
    }

    @Test
    @Tag("PRX-22")
    void aChainIsAComponentOfAnother() throws Exception {
        start(
                Component.of("chain", ProxyProgramTest.program("chain")),
                Component.of("old-chain", ProxyProgramTest.program("chain")).legacy());
        client.request("1", "session/prompt", prompt("hello"));
        Message there = agent.receive();
        assertThat(there.params()).asString().matches(".*brief.*please.*brief.*please.*");
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().id()).hasToString("1");
        agent.request("5", "session/request_permission", "{\"sessionId\":\"s\"}");
        Message question = client.receive();
        client.answer(question, "{}");
        assertThat(agent.receive().id()).hasToString("5");
    }

    @Test
    void namesOfTheEndsAreReserved() {
        Proxy client = Proxy.builder("client", "1").build();
        Conductor.Builder conductor = Conductor.builder();

        for (String reserved : List.of("client", "agent", "conductor")) {
            assertThatThrownBy(() -> conductor.proxy(reserved, client))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the name " + reserved);
        }
        assertThat(conductor.proxy(client).agent(Launch.of("a")).build().stretches())
                .flatExtracting(Conductor.Stretch::insides)
                .extracting(Conductor.Inside::id)
                .containsExactly("client-2");
    }
}
