package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Stdio;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.Method;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a conductor does about components that are late, hang, die again and again, or say something at the end. */
@Timeout(120)
class SupervisionTest {
    private static final String INITIALIZE = "{\"protocolVersion\":1,\"clientCapabilities\":{}}";
    private static final String INITIALIZED =
            "{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true,\"sessionCapabilities\":{\"list\":{}}}}";
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration HEALTH = Duration.ofSeconds(60);
    private static final Duration SETUP = Duration.ofHours(2);

    private final List<String> wire = Peer.newWire();
    private final LinkedBlockingQueue<String> notices = new LinkedBlockingQueue<>();
    private final MemoryTransport.Pair clientSide = MemoryTransport.pair();
    private final MemoryTransport.Pair agentSide = MemoryTransport.pair();
    private final Peer client = new Peer("client", clientSide.right(), wire);
    private final Peer agent = new Peer("agent", agentSide.right(), wire);
    private final ManualClock clock = new ManualClock();
    private @Nullable RunningChain chain;

    @TempDir
    private Path folder;

    /** The components of these tests; the first argument says which. */
    public static final class Program {
        private Program() {}

        /** Serves on standard input and output. */
        public static void main(String[] args) throws Exception {
            System.err.println("I am " + args[0]);
            Proxy.Builder proxy = Proxy.builder(args[0], "1");
            switch (args[0]) {
                case "more" ->
                    proxy.onRequests(
                                    Method.Side.AGENT,
                                    "initialize"::equals,
                                    (params, hop) -> hop.forward()
                                            .with(RawJson.parse(
                                                    INITIALIZED.replace("{\"list\"", "{\"fork\":{},\"list\""))))
                            .onNotifications(
                                    Method.Side.AGENT,
                                    "_die"::equals,
                                    (params, hop) -> Runtime.getRuntime().halt(5));
                case "meets" -> {
                    try (Socket others = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]))) {
                        System.err.println("met with " + others.getInputStream().read());
                    }
                }
                case "stuck" ->
                    proxy.onRequests(Method.Side.AGENT, name -> name.equals("session/new"), (params, hop) -> {
                        new CountDownLatch(1).await();
                        return hop.forward();
                    });
                case "less" -> {
                    boolean isFirst = Files.notExists(Path.of(args[1]));
                    Files.writeString(Path.of(args[1]), "started");
                    proxy.onRequests(Method.Side.AGENT, "initialize"::equals, (params, hop) -> {
                        System.err.println("initialized with " + params);
                        var answer = hop.forward();
                        return isFirst ? answer : answer.with(RawJson.parse(INITIALIZED.replace("true", "false")));
                    });
                    proxy.onNotifications(
                            Method.Side.AGENT,
                            "_die"::equals,
                            (params, hop) -> Runtime.getRuntime().halt(5));
                }
                case "endless" ->
                    proxy.onNotifications(
                            Method.Side.AGENT,
                            "session/cancel"::equals,
                            (params, hop) -> Runtime.getRuntime().halt(7));
                case "ending" ->
                    proxy.onNotifications(Method.Side.CLIENT, "session/update"::equals, (params, hop) -> {
                        if (params.toString().contains("idle") && Files.notExists(Path.of(args[1]))) {
                            Files.writeString(Path.of(args[1]), "died");
                            Runtime.getRuntime().halt(6);
                        }
                        hop.forward();
                    });
                default -> throw new IllegalArgumentException(args[0]);
            }
            proxy.build().serve(Stdio.system());
        }
    }

    private static Launch program(String... args) {
        Launch samples = ProxyProgramTest.program("nothing");
        List<String> words = new ArrayList<>(
                samples.arguments().subList(0, samples.arguments().size() - 2));
        words.add(Program.class.getName());
        words.addAll(List.of(args));
        return Launch.of(samples.command(), words);
    }

    private static Launch shell(String script) {
        return Launch.of("sh", "-c", script);
    }

    private Conductor.Builder conductor(Component... components) {
        Conductor.Builder conductor =
                Conductor.builder().agent(() -> agentSide.left()).onNotice(notices::add);
        for (Component component : components) {
            conductor.proxy(component);
        }
        return conductor;
    }

    private RunningChain begin(Conductor.Builder conductor) throws Exception {
        return begin(conductor, INITIALIZE);
    }

    private RunningChain begin(Conductor.Builder conductor, String initialize) throws Exception {
        RunningChain started = conductor.build().start(clientSide.left());
        chain = started;
        client.request("0", "initialize", initialize);
        return started;
    }

    private RunningChain start(Conductor.Builder conductor) throws Exception {
        RunningChain started = begin(conductor);
        agent.answer(agent.receive(), INITIALIZED);
        assertThat(client.receive().result()).hasToString(INITIALIZED);
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

    private String notice() throws InterruptedException {
        String notice = notices.poll(60, TimeUnit.SECONDS);
        assertThat(notice)
                .as("a notice; the wire:\n%s", String.join("\n", wire))
                .isNotNull();
        return String.valueOf(notice);
    }

    private static String prompt(String text) {
        return "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}";
    }

    private void openSession() throws Exception {
        client.request("\"new\"", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        agent.answer(agent.receive(), "{\"sessionId\":\"s\"}");
        assertThat(client.receive().result()).isNotNull();
    }

    private static String said(String text) {
        return "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\""
                + text + "\"}}}";
    }

    private void assertPromptPasses(String id) throws Exception {
        client.request(id, "session/prompt", prompt("hello"));
        Message there = agent.receive();
        assertThat(there.method()).isEqualTo("session/prompt");
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        Message answer = client.receive();
        assertThat(answer.id()).hasToString(id);
        assertThat(answer.result()).isNotNull();
    }

    // ---- deadlines

    @Test
    @Tag("CON-10")
    void aComponentThatIsLateIsNamedWithItsPhaseAndWhatToDo() throws Exception {
        start(conductor(Component.of("stuck", program("stuck"))
                .deadlines(Deadlines.STANDARD.withSetup(SHORT).withHealth(Duration.ZERO))));

        client.request("1", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");

        assertThat(client.receive().error())
                .asString()
                .contains("session/new was not answered (setup): the component stuck did not answer within 300 ms")
                .contains("\"component\":\"the component stuck\",\"cause\":\"late\",\"phase\":\"setup\"")
                .contains("\"stderr\":[\"I am stuck\"]")
                .contains("allow it more time (deadlines: setup)");
        assertPromptPasses("2");
    }

    @Test
    @Tag("CON-10")
    void initializationHasADeadlineAndADeathInItAnExitCode() throws Exception {
        begin(conductor(
                Component.of("mute", shell("cat > /dev/null")).deadlines(Deadlines.NONE.withInitialization(SHORT))));

        assertThat(client.receive().error()).asString().contains("(initialization): the component mute did not answer");
    }

    @Test
    @Tag("CON-10")
    void aDeathIsToldWithItsExitCodeAndItsLastLines() throws Exception {
        begin(conductor(Component.of("keyless", shell("read line; echo 'no key' >&2; exit 3"))
                .onDeath(Component.OnDeath.FAIL)));

        assertThat(client.receive().error())
                .asString()
                .contains("(initialization): the component keyless has ended: exit code 3")
                .contains("\"exit\":\"exit code 3\",\"stderr\":[\"no key\"],\"next\":");
    }

    @Test
    @Tag("CON-10")
    void anAgentThatIsNotConnectedInTimeEndsTheStart() {
        Conductor conductor = Conductor.builder()
                .agent(() -> {
                    new CountDownLatch(1).await();
                    return agentSide.left();
                })
                .agentDeadlines(Deadlines.AGENT.withStart(SHORT))
                .build();

        assertThatThrownBy(() -> conductor.start(clientSide.left()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("agent: not started within 300 ms");
    }

    @Test
    @Tag("CON-10")
    void aSilentPromptIsLateAndTheAgentIsAskedToCancelIt() throws Exception {
        start(conductor().agentDeadlines(Deadlines.NONE.withPrompt(SHORT)));

        Message there = latePrompt();

        client.request("2", "session/list", "{}");
        Message list = agent.receive();
        assertThat(list.method()).isEqualTo("session/list");
        agent.answer(list, "{}");
        assertThat(client.receive().id()).hasToString("2");
        agent.answer(there, "{\"stopReason\":\"cancelled\"}");
        assertPromptPasses("3");
    }

    @Test
    @Tag("CON-10")
    void thePromptAfterALateOneWaitsUntilTheAgentHasEndedThatTurn() throws Exception {
        start(conductor().agentDeadlines(Deadlines.NONE.withPrompt(SETUP)).clock(clock));
        Message there = latePrompt();

        client.request("2", "session/prompt", prompt("again"));
        client.request("3", "session/list", "{}");
        Message list = agent.receive();
        assertThat(list.method()).isEqualTo("session/list");
        agent.answer(list, "{}");
        agent.answer(there, "{\"stopReason\":\"cancelled\"}");

        assertThat(agent.receive().params()).asString().contains("again");
    }

    @Test
    @Tag("CON-10")
    void anAgentThatNeverEndsALateTurnGetsTheNextPromptWhenThatHasWaitedAsLong() throws Exception {
        start(conductor().agentDeadlines(Deadlines.NONE.withPrompt(SETUP)).clock(clock));
        Message unused = latePrompt();
        client.request("2", "session/prompt", prompt("again"));
        client.request("3", "session/list", "{}");
        assertThat(agent.receive().method()).isEqualTo("session/list");

        clock.advance(SETUP);

        assertThat(agent.receive().params()).asString().contains("again");
    }

    @Test
    @Tag("CON-10")
    @Tag("CON-13")
    void anAgentThatNeverEndsTheTurnOfAComponentThatHasEndedGetsTheNextPromptAfterABound() throws Exception {
        start(conductor(Component.of("dying", ProxyProgramTest.program("dying"))
                        .deadlines(Deadlines.NONE.withPrompt(SETUP)))
                .clock(clock));
        openSession();
        client.request("1", "session/prompt", prompt("hello"));
        assertThat(agent.receive().params()).asString().contains("hello");
        agent.notify("session/update", said("die now"));
        assertThat(client.receive().method()).isEqualTo("session/update");
        assertThat(client.receive().error()).asString().contains("dying");
        assertThat(agent.receiveBut("$/cancel_request").method()).isEqualTo("session/cancel");
        client.request("2", "session/prompt", prompt("again"));
        client.request("3", "session/list", "{}");
        assertThat(agent.receiveBut("$/cancel_request").method()).isEqualTo("session/list");
        assertThat(notice()).contains("started again");

        clock.awaitPlan(Duration.ofSeconds(10));
        clock.advance(Duration.ofSeconds(10));
        assertThat(notice()).contains("has not ended the turn of session s", "the component dying ended", "7200 s");
        clock.advance(SETUP);

        assertThat(agent.receive().params()).asString().contains("again");
    }

    /** Has a prompt be late, and returns it as the agent has got it. */
    private Message latePrompt() throws Exception {
        client.request("1", "session/prompt", prompt("hello"));
        Message there = agent.receive();
        assertThat(there.method()).isEqualTo("session/prompt");

        clock.advance(SETUP);

        assertThat(client.receive().error())
                .asString()
                .matches(".*session/prompt was not answered \\(prompt\\): the agent did not answer within \\d+ ms.*");
        assertThat(agent.receive().method()).isEqualTo("$/cancel_request");
        assertThat(agent.receive().method()).isEqualTo("session/cancel");
        return there;
    }

    // ---- health

    @Test
    @Tag("CON-19")
    void whoAnswersTheNeutralRequestDoesNotHang() throws Exception {
        start(conductor(Component.of("between", ProxyProgramTest.program("nothing")))
                .agentDeadlines(Deadlines.NONE.withHealth(HEALTH))
                .clock(clock));
        client.request("1", "session/prompt", prompt("hello"));
        Message there = agent.receive();

        clock.advance(HEALTH);
        Message asked = agent.receive();
        assertThat(asked.method()).isEqualTo("_acp4j/ping");
        agent.fail(asked, "{\"code\":-32601,\"message\":\"no such method\"}");
        agent.notify("session/update", "{\"sessionId\":\"s\"}");
        assertThat(client.receive().method()).isEqualTo("session/update");
        clock.advance(HEALTH);
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");

        assertThat(client.receive().result()).isNotNull();
        assertThat(notices).isEmpty();
    }

    @Test
    @Tag("CON-19")
    @Tag("CON-24")
    void aComponentThatHangsIsReportedAndStartedAgain() throws Exception {
        Launch launch = ProxyProgramTest.program("nothing").shutdownTimes(SHORT, SHORT);
        RunningChain running = start(conductor(Component.of("frozen", launch)
                        .deadlines(Deadlines.NONE.withHealth(HEALTH).withSetup(SETUP)))
                .clock(clock));
        assertPromptPasses("1");
        long pid = running.status().get(0).pid().orElseThrow();
        assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
        assertThat(Poll.until(() -> isStopped(pid)))
                .as("on a busy machine it goes on for a moment")
                .isTrue();

        client.request("2", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
        clock.awaitPlan(SETUP);
        assertThat(running.status().get(0).inFlight()).isEqualTo(1);
        clock.advance(HEALTH);
        assertThat(notices).isEmpty();
        clock.advance(HEALTH);

        assertThat(notice()).contains("the component frozen hangs");
        assertThat(client.receive().error()).asString().contains("the component frozen hangs");
        assertThat(notice()).contains("frozen").contains("started again");
        assertPromptPasses("3");
        assertThat(running.status().get(0).pid().orElseThrow()).isNotEqualTo(pid);
    }

    private static boolean isStopped(long pid) {
        Path stat = Path.of("/proc", Long.toString(pid), "stat");
        try {
            return !Files.exists(stat) || Files.readString(stat).contains(") T ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Tag("CON-10")
    void eachOfManyRequestsIsLateInItsOwnTime() throws Exception {
        start(conductor().agentDeadlines(Deadlines.NONE.withSetup(SETUP)).clock(clock));
        String params = "{\"cwd\":\"/\",\"mcpServers\":[]}";
        client.request("1", "session/new", params);
        assertThat(agent.receive().method()).isEqualTo("session/new");
        clock.awaitPlan(SETUP);
        clock.advance(SETUP.dividedBy(2));
        client.request("2", "session/new", params);
        assertThat(agent.receive().method()).isEqualTo("session/new");

        clock.advance(SETUP.dividedBy(2));
        assertThat(client.receive().id()).hasToString("1");
        assertThat(agent.receive().method()).isEqualTo("$/cancel_request");
        client.request("3", "session/list", "{}");
        agent.answer(agent.receive(), "{\"sessions\":[]}");
        assertThat(client.receive().id()).as("the second has time left").hasToString("3");
        clock.advance(SETUP.dividedBy(2));
        Message late = client.receive();
        assertThat(late.id()).hasToString("2");
        assertThat(late.error()).asString().contains("\"cause\":\"late\"");
    }

    // ---- proxies inside

    @Test
    @Tag("PXL-11")
    void whatAProxyInsideFailsAtIsANoticeWithItsName() throws Exception {
        start(conductor().proxy(SampleProxies.named("throwing")).proxy(SampleProxies.named("brief")));
        client.request("1", "_fail", "{}");
        assertThat(client.receive().error()).asString().contains("-32603").doesNotContain("secret");
        assertThat(notice())
                .startsWith("_fail: the interceptor of throwing failed: ")
                .endsWith("a secret");
        client.notify("_fail/note", "{}");
        assertThat(agent.receive().method()).isEqualTo("_fail/note");
        assertThat(notice()).startsWith("_fail/note: the interceptor of throwing failed: ");
        assertThat(notices).isEmpty();
    }

    // ---- restarts

    @Test
    @Tag("CON-17")
    @Tag("CON-11")
    void restartsAreBoundedWithGrowingPausesAndThenTheNextPolicyApplies() throws Exception {
        RunningChain running = start(conductor(Component.of("fragile", ProxyProgramTest.program("dying"))
                .onDeath(Component.OnDeath.RESTART, Component.OnDeath.BYPASS)));
        assertThat(running.status().get(0).state()).isEqualTo(ComponentStatus.State.READY);

        List<Long> pauses = new ArrayList<>();
        Pattern pause = Pattern.compile("started again after (\\d+) ms");
        for (int death = 0; death < 3; death++) {
            client.request("1", "session/prompt", prompt("die before"));
            assertThat(client.receive().error()).asString().contains("fragile").contains("since it is started again");
            Matcher found = pause.matcher(notice());
            assertThat(found.find()).isTrue();
            pauses.add(Long.valueOf(found.group(1)));
            assertThat(running.status().get(0).restarts()).isEqualTo(death + 1);
        }
        client.request("1", "session/prompt", prompt("die before"));
        assertThat(client.receive().error())
                .asString()
                .contains("fragile")
                .contains("since it is left out from now on");
        assertThat(notice()).contains("left out");

        assertThat(pauses.get(0)).isBetween(100L, 200L);
        assertThat(pauses.get(1)).isBetween(400L, 800L);
        assertThat(pauses.get(2)).isBetween(1600L, 3200L);
        assertPromptPasses("2");
        assertThat(running.status().get(0).state()).isEqualTo(ComponentStatus.State.BYPASSED);
        assertThat(running.status().get(0).restarts()).isEqualTo(3);
    }

    @Test
    @Tag("CON-17")
    void restartsCountForFiveMinutes() throws Exception {
        RunningChain running = start(conductor(Component.of("fragile", ProxyProgramTest.program("dying"))
                        .onDeath(Component.OnDeath.RESTART, Component.OnDeath.BYPASS))
                .clock(clock));
        for (int death = 1; death <= 4; death++) {
            client.request("1", "session/prompt", prompt("die before"));
            assertThat(client.receive().error()).asString().contains("since it is started again");
            assertThat(notice()).contains("started again");
            assertThat(running.status().get(0).restarts()).isEqualTo(death);
            if (death == 3) {
                clock.advance(Duration.ofMinutes(5).plusNanos(1));
            }
        }
        assertPromptPasses("2");
    }

    @Test
    @Tag("CON-14")
    void whatARestartedComponentDoesNotOfferAnyMoreIsRefusedAndReported() throws Exception {
        List<String> stderr = new CopyOnWriteArrayList<>();
        start(conductor(Component.of(
                "less", program("less", folder.resolve("mark").toString()).onStderr(stderr::add))));
        client.notify("_die", "{}");

        assertThat(notice()).contains("less does not offer any more: session/load");
        assertThat(notice()).contains("started again");
        client.request("1", "session/load", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"mcpServers\":[]}");
        assertThat(client.receive().error()).asString().contains("-32601").contains("session/load");
        assertThat(stderr)
                .filteredOn(line -> line.startsWith("initialized with "))
                .containsExactly("initialized with " + INITIALIZE, "initialized with " + INITIALIZE);
        // What the agent gets next is no initialization.
        client.request("2", "session/list", "{}");
        Message there = agent.receive();
        assertThat(there.method()).isEqualTo("session/list");
        agent.answer(there, "{\"sessions\":[]}");
        assertThat(client.receive().id()).hasToString("2");
    }

    @Test
    @Tag("CON-16")
    void whatOnlyALeftOutComponentOffersIsRefusedAndTheRestKeepsItsOrder() throws Exception {
        begin(conductor(Component.of("more", program("more")).onDeath(Component.OnDeath.BYPASS)));
        agent.answer(agent.receive(), INITIALIZED);
        assertThat(client.receive().result()).asString().contains("fork");
        client.notify("_die", "{}");
        assertThat(notice()).contains("more does not offer any more: session/fork");
        assertThat(notice()).contains("left out");

        client.request("1", "session/fork", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"mcpServers\":[]}");
        assertThat(client.receive().error()).asString().contains("-32601").contains("session/fork");
        client.request("\"a\"", "session/prompt", prompt("hello"));
        Message there = agent.receive();
        for (int i = 0; i < 20; i++) {
            agent.notify("session/update", "{\"sessionId\":\"s\",\"n\":" + i + "}");
        }
        agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        for (int i = 0; i < 20; i++) {
            assertThat(client.receive().params()).asString().contains("\"n\":" + i + "}");
        }
        assertThat(client.receive().id()).hasToString("\"a\"");
        assertThat(notices).isEmpty();
    }

    @Test
    @Tag("CON-17")
    void aComponentThatReadsNoMoreIsEndedBeforeItsSuccessorIsStarted() throws Exception {
        String id = "id=${line#*\\\"id\\\":}; id=${id%%,*}; ";
        String deaf = "read line; " + id
                + "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"proxy/successor\",\"params\":{\"method\":\"initialize\",\"params\":"
                + INITIALIZE + "}}'; read answer; "
                + "echo '{\"jsonrpc\":\"2.0\",\"id\":'$id',\"result\":" + INITIALIZED + "}'; "
                + "read note; exec sleep 1000 < /dev/null";
        RunningChain running = start(conductor(Component.of("deaf", shell(deaf))));
        long pid = running.status().get(0).pid().orElseThrow();

        client.notify("_note", "{}");
        client.notify("_note", "{}".replace("}", "\"x\":\"" + "x".repeat(200_000) + "\"}"));

        assertThat(notice()).contains("deaf has closed its standard input").contains("started again");
        assertThat(ProcessHandle.of(pid)).isEmpty();
    }

    @Test
    @Tag("PXL-16")
    void aPromptOfAProxysOwnWaitsForAComponentThatIsStartedAgain() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CountDownLatch waits = new CountDownLatch(1);
        Launch dying = ProxyProgramTest.program("dying");
        List<String> words = new ArrayList<>(List.of(
                "-c",
                "test -e " + folder + "/mark && { echo waits >&2; read line < " + pipe + "; }; touch " + folder
                        + "/mark; exec \"$@\"",
                "sh",
                dying.command()));
        words.addAll(dying.arguments());
        start(conductor()
                .proxy(SampleProxies.named("leading-unseen"))
                .proxy(Component.of("dying", Launch.of("sh", words).onStderr(line -> {
                    if (line.equals("waits")) {
                        waits.countDown();
                    }
                }))));
        openSession();
        agent.notify("session/update", said("die now"));
        assertThat(client.receive().method()).isEqualTo("session/update");
        assertThat(waits.await(60, TimeUnit.SECONDS)).isTrue();

        client.request("1", "session/prompt", prompt("hello"));
        Files.writeString(pipe, "go on\n");
        Message own = agent.receive();
        assertThat(own.params()).asString().contains("Be a sceptic.");
        agent.answer(own, "{\"stopReason\":\"end_turn\"}");
        Message clients = agent.receive();
        assertThat(clients.params()).asString().contains("hello");
        agent.answer(clients, "{\"stopReason\":\"end_turn\"}");
        assertThat(client.receive().result()).isNotNull();
    }

    @Test
    @Tag("PXL-17")
    void inVersion2APromptOfAProxysOwnEndsWithTheComponentBehind() throws Exception {
        chain = conductor()
                .proxy(SampleProxies.named("leading-unseen"))
                .proxy(Component.of("dying", ProxyProgramTest.program("dying")))
                .build()
                .start(clientSide.left());
        client.request("0", "initialize", "{\"protocolVersion\":2,\"info\":{\"name\":\"c\",\"version\":\"1\"}}");
        agent.answer(agent.receive(), "{\"protocolVersion\":2,\"info\":{\"name\":\"a\",\"version\":\"1\"}}");
        assertThat(client.receive().result()).isNotNull();
        openSession();
        client.request("1", "session/prompt", prompt("hello"));
        Message own = agent.receive();
        agent.answer(own, "{\"messageId\":\"m1\"}");

        // The whole session's, so that the client sees it and knows that the component is about to die.
        agent.notify(
                "session/update",
                "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"session_info_update\",\"title\":\"die now\"}}");
        assertThat(client.receive().method()).isEqualTo("session/update");

        // The client's own prompt goes on; before the cancellation, it would be cancelled by it.
        assertThat(List.of(agent.receive().method(), agent.receive().method()))
                .containsExactly("session/cancel", "session/prompt");
    }

    @Test
    @Tag("CON-13")
    void anEndOfATurnThatDiesWithAComponentIsReportedInItsPlace() throws Exception {
        RunningChain running = begin(
                conductor(Component.of(
                        "ending", program("ending", folder.resolve("mark").toString()))),
                "{\"protocolVersion\":2}");
        agent.answer(agent.receive(), "{\"protocolVersion\":2}");
        assertThat(client.receive().isError()).isFalse();
        client.request("1", "session/prompt", prompt("hello"));
        Message there = agent.receive();
        agent.notify("session/update", state("running"));
        agent.answer(there, "{\"messageId\":\"m\"}");
        agent.notify("session/update", state("idle"));

        assertThat(client.receive().params()).hasToString(state("running"));
        assertThat(client.receive().id()).hasToString("1");
        assertThat(client.receive().params()).hasToString(state("idle"));
        assertThat(notice()).contains("ending has ended: exit code 6").contains("started again");
        // And once.
        agent.notify("session/update", state("running"));
        assertThat(client.receive().params()).hasToString(state("running"));
        assertThat(running.status().get(0).restarts()).isEqualTo(1);
    }

    @Test
    @Tag("CON-13")
    void aCancellationThatDiesWithAComponentReachesTheAgent() throws Exception {
        begin(conductor(Component.of("endless", program("endless"))), "{\"protocolVersion\":2}");
        agent.answer(agent.receive(), "{\"protocolVersion\":2}");
        assertThat(client.receive().isError()).isFalse();
        client.request("1", "session/prompt", prompt("hello"));
        agent.answer(agent.receive(), "{\"messageId\":\"m\"}");
        agent.notify("session/update", state("running"));
        assertThat(client.receive().id()).hasToString("1");
        assertThat(client.receive().params()).hasToString(state("running"));

        client.notify("session/cancel", "{\"sessionId\":\"s\"}");

        assertThat(agent.receive().method()).isEqualTo("session/cancel");
        agent.notify("session/update", state("idle"));
        assertThat(client.receive().params()).hasToString(state("idle"));
    }

    private static String state(String name) {
        return "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"state_update\",\"state\":\"" + name + "\"}}";
    }

    // ---- beginning and end

    @Test
    @Tag("CON-20")
    void aComponentThatDoesNotEndIsAskedToTerminateWhateverTimeItsLaunchHas() throws Exception {
        Path ended = folder.resolve("ended");
        CountDownLatch ready = new CountDownLatch(1);
        String script = "trap 'echo asked > " + ended + "; exit 0' TERM; echo here >&2; "
                + "sleep 1000 & wait; cat > /dev/null";
        RunningChain running = conductor(Component.of(
                        "stubborn",
                        shell(script)
                                .shutdownTimes(Duration.ofHours(1), Duration.ofHours(1))
                                .onStderr(line -> ready.countDown())))
                .limits(Limits.STANDARD.withDrainTime(Duration.ofHours(1)))
                .build()
                .start(clientSide.left());
        chain = running;
        assertThat(ready.await(60, TimeUnit.SECONDS)).isTrue();

        running.close();

        assertThat(ended).hasContent("asked\n");
    }

    @Test
    void anAgentThatWasConnectedIsClosedWhenTheChainCannotStart() throws Exception {
        Conductor conductor =
                conductor(Component.of("bad", Launch.of("true", "a\0b"))).build();

        assertThatThrownBy(() -> conductor.start(clientSide.left()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("bad");
        assertThat(agent.isAtEnd()).isTrue();
    }

    @Test
    @Tag("CON-09")
    void aComponentOfAnotherDialectOrVersionIsNamedWithWhatToChange() throws Exception {
        begin(conductor(Component.of(
                "old",
                shell("read line; id=${line#*\\\"id\\\":}; id=${id%%,*}; "
                        + "echo '{\"jsonrpc\":\"2.0\",\"id\":'$id',\"error\":{\"code\":-32601,\"message\":\"what is that\"}}'; "
                        + "cat > /dev/null"))));

        assertThat(client.receive().error())
                .asString()
                .contains("The component old answered proxy/initialize with error -32601 \\\"what is that\\\"")
                .contains("one of another dialect, or one without the version of the protocol")
                .contains("mark proxies for older conductors as legacy")
                .contains("Its command: sh -c");
    }

    @Test
    @Tag("CON-08")
    void componentsAreStartedTogether() throws Exception {
        CountDownLatch second = new CountDownLatch(1);
        begin(conductor(
                        Component.of("first", shell("cat > /dev/null")),
                        Component.of(
                                "second",
                                shell("echo here >&2; cat > /dev/null").onStderr(line -> second.countDown())))
                .limits(Limits.STANDARD.withDrainTime(SHORT)));

        // Although the first never answers.
        assertThat(second.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @Tag("CON-08")
    void threeProgramsRunBeforeOneOfThemIsReady() throws Exception {
        try (ServerSocket meeting = new ServerSocket(0, 3, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(meeting.getLocalPort());
            begin(conductor(
                    Component.of("first", program("meets", port)),
                    Component.of("second", program("meets", port)),
                    Component.of("third", program("meets", port))));

            List<Socket> met = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                met.add(meeting.accept());
            }
            for (Socket one : met) {
                one.getOutputStream().write('\n');
                one.close();
            }

            agent.answer(agent.receive(), INITIALIZED);
            assertThat(client.receive().result()).hasToString(INITIALIZED);
        }
    }

    @Test
    @Tag("CON-20")
    void whatAComponentSaysAfterTheEndOfItsInputReachesTheNext() throws Exception {
        String last =
                "{\"jsonrpc\":\"2.0\",\"method\":\"proxy/successor\",\"params\":{\"method\":\"_last\",\"params\":{}}}";
        chain = conductor(Component.of("polite", shell("cat > /dev/null; echo '" + last + "'")))
                .build()
                .start(clientSide.left());

        client.close();

        assertThat(agent.receive().method()).isEqualTo("_last");
    }

    // ---- times

    @Test
    @Tag("CON-25")
    void theTimeOfASlowTurnIsToldByComponentLiveAndToTheFlightRecorder() throws Exception {
        List<String> measured = new CopyOnWriteArrayList<>();
        try (Recording recording = new Recording()) {
            recording.enable("dev.acp4j.ComponentAnswered");
            recording.start();
            RunningChain running = start(conductor(Component.of("brief", ProxyProgramTest.program("brief")))
                    .clock(clock)
                    .listener(new Connection.Listener() {
                        @Override
                        public void called(
                                Connection connection, String method, Duration time, @Nullable RpcException failure) {
                            measured.add(connection.name() + " " + method);
                        }
                    }));
            client.request("1", "session/prompt", prompt("hello"));
            Message there = agent.receive();
            clock.advance(Duration.ofSeconds(7));
            agent.answer(there, "{\"stopReason\":\"end_turn\"}");
            assertThat(client.receive().id()).hasToString("1");

            // Both are told when the answer is on its way.
            assertThat(Poll.until(() -> !running.slowestTurns().isEmpty()
                            && measured.containsAll(
                                    List.of("acp4j-brief session/prompt", "acp4j-agent session/prompt"))))
                    .as("measured: %s", measured)
                    .isTrue();
            assertThat(running.slowestTurns()).singleElement().satisfies(turn -> {
                assertThat(turn.session()).isEqualTo("s");
                assertThat(turn.total()).isEqualTo(Duration.ofSeconds(7));
                assertThat(turn.components())
                        .containsEntry("agent", Duration.ofSeconds(7))
                        .containsEntry("brief", Duration.ZERO);
                assertThat(turn.rest()).isZero();
            });
            recording.stop();
            Path file = folder.resolve("times.jfr");
            recording.dump(file);
            assertThat(RecordingFile.readAllEvents(file))
                    .filteredOn(event -> event.getEventType().getName().equals("dev.acp4j.ComponentAnswered")
                            && event.getString("method").equals("session/prompt"))
                    .extracting(event -> event.getString("component") + " "
                            + event.getDuration("time").toSeconds() + " "
                            + event.getDuration("own").toSeconds())
                    .containsExactlyInAnyOrder("agent 7 7", "brief 7 0");
        }
    }
}
