package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Version;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Our client and our agent react to everything that a bad peer does as good ones do. */
@Timeout(60)
@ExtendWith(LeakRule.class)
class MisbehaviourTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    private static final String CLOSED = "the agent closed the connection";

    /** What the failure says, by the name of what the agent does that ends the connection. */
    private static final Map<String, String> SAID_AT_THE_END = Map.of(
            "dies-at-once", "initialize: " + CLOSED,
            "dies-in-turn", "session/prompt: " + CLOSED,
            "dies-in-message", "session/prompt: " + CLOSED,
            "closes-output", "session/prompt: " + CLOSED,
            "closes-input", "closed its standard input but kept running",
            "exit-code", "exit code 3");

    /** A bad peer on a thread of its own, joined to a transport for the good one. */
    private record Joined(Transport good, FutureTask<Void> bad) {
        static Joined with(Misbehaviour misbehaviour) throws Exception {
            return with(misbehaviour, Version.V1);
        }

        /** @param version the version that a bad client asks for */
        static Joined with(Misbehaviour misbehaviour, Version version) throws Exception {
            Pipe toBad = Pipe.open();
            Pipe fromBad = Pipe.open();
            FutureTask<Void> playing = new FutureTask<>(() -> {
                try {
                    misbehaviour.play(
                            Channels.newInputStream(toBad.source()), Channels.newOutputStream(fromBad.sink()), version);
                } finally {
                    toBad.source().close();
                    fromBad.sink().close();
                }
                return null;
            });
            Thread.ofPlatform().start(playing);
            return new Joined(
                    StreamTransport.of(
                            Channels.newInputStream(fromBad.source()), Channels.newOutputStream(toBad.sink())),
                    playing);
        }
    }

    private static Client.Builder client() {
        return client(Version.V1);
    }

    private static Client.Builder client(Version version) {
        return Client.builder("test", "1")
                .protocol(version)
                .startTimeout(Duration.ofSeconds(30))
                .onPermission(PermissionQuestion::allowOnce)
                .onProblem(problem -> {});
    }

    static Stream<Arguments> agentsInMemory() {
        return inBothVersions(Misbehaviour.agents(), bad -> !bad.needsProcess());
    }

    static Stream<Arguments> agentsInProcesses() {
        return inBothVersions(Misbehaviour.agents(), Misbehaviour::needsProcess);
    }

    static Stream<Arguments> clients() {
        return inBothVersions(Misbehaviour.clients(), bad -> true);
    }

    private static Stream<Arguments> inBothVersions(List<Misbehaviour> all, Predicate<Misbehaviour> which) {
        return all.stream()
                .filter(which)
                .flatMap(bad -> Stream.of(Version.values()).map(version -> Arguments.of(bad, version)));
    }

    @ParameterizedTest
    @MethodSource("agentsInMemory")
    @Tag("TST-01")
    @Tag("TST-02")
    void aClientReactsWellToABadAgent(Misbehaviour bad, Version version) throws Exception {
        Joined joined = Joined.with(bad);

        reactsWell(bad, version, client -> client.connect(joined.good()));

        joined.good().close();
        joined.bad().get();
    }

    @ParameterizedTest
    @MethodSource("agentsInProcesses")
    @Tag("TST-01")
    void aClientReactsWellToAnAgentThatIsABadProcess(Misbehaviour bad, Version version) throws Exception {
        List<String> command = java(MisbehavingPeer.class, "agent", bad.name());
        Launch launch = Launch.of(command.get(0), command.subList(1, command.size()))
                .shutdownTimes(Duration.ofMillis(500), Duration.ofSeconds(2));

        reactsWell(bad, version, client -> client.connect(launch));
    }

    /** Opens a connection to the bad agent. */
    @FunctionalInterface
    private interface Connecting {
        ConnectedAgent connect(Client.Builder client) throws InterruptedException;
    }

    private static void reactsWell(Misbehaviour bad, Version version, Connecting connecting) throws Exception {
        Client.Builder client = client(version);
        switch (bad.reaction()) {
            case GOES_ON -> goesOn(client, connecting);
            case REQUEST_FAILS -> failsOnce(client, connecting);
            case CALLER_GIVES_UP -> givesUp(client, connecting);
            case ENDS -> ends(client, connecting, SAID_AT_THE_END.getOrDefault(bad.name(), "nobody expects this end"));
        }
    }

    private static void goesOn(Client.Builder client, Connecting connecting) throws Exception {
        try (ConnectedAgent agent = connecting.connect(client)) {
            Session session = agent.newSession(HERE);

            assertThat(session.prompt("first").text()).isEqualTo("one two");
            assertThat(session.prompt("second").text()).isEqualTo("one two");
        }
    }

    /** What stands in the timeline in the end, beside the text of the two turns. */
    @ParameterizedTest
    @CsvSource({
        "early-update, early",
        "late-update, late",
        "update-before-tool-call, Look",
        "permission-before-tool-call, Look",
        "invalid-utf8, ",
        "wrong-type, "
    })
    void whatABadAgentSaysIsHeardIfItCanBeRead(String name, @Nullable String heard) throws Exception {
        Joined joined = Joined.with(Misbehaviour.agent(name).orElseThrow());

        try (ConnectedAgent agent = client().connect(joined.good())) {
            Session session = agent.newSession(HERE);
            session.prompt("first").result();
            session.prompt("second").result();

            List<String> others = new ArrayList<>();
            session.view().toolCalls().forEach(call -> others.add(call.title()));
            session.view().messages().stream()
                    .filter(message -> message.author() == Entry.Message.Author.THOUGHT)
                    .forEach(message -> others.add(message.text()));
            assertThat(others).isEqualTo(heard == null ? List.of() : List.of(heard));
        }
    }

    private static void failsOnce(Client.Builder client, Connecting connecting) throws Exception {
        try (ConnectedAgent agent = connecting.connect(client)) {
            Session session = agent.newSession(HERE);

            assertThatThrownBy(() -> session.prompt("first").result())
                    .isInstanceOf(RpcException.class)
                    .isNotInstanceOf(ConnectionClosedException.class);
            assertThat(session.prompt("second").text()).isEqualTo("one two");
        }
    }

    private static void givesUp(Client.Builder client, Connecting connecting) throws Exception {
        CountDownLatch unanswered = new CountDownLatch(1);
        client.onNotification("_bad/waiting", (agent, params) -> unanswered.countDown());
        try (ConnectedAgent agent = connecting.connect(client)) {
            FutureTask<Boolean> waiting = new FutureTask<>(() -> waitsUntilInterrupted(agent));
            Thread caller = Thread.ofVirtual().start(waiting);
            unanswered.await();
            caller.interrupt();

            assertThat(waiting.get()).isTrue();
            assertThatThrownBy(() -> agent.call("vendor/next", RawJson.EMPTY_OBJECT))
                    .isInstanceOfSatisfying(
                            RpcError.class, e -> assertThat(e.code()).isEqualTo(-32601));
        }
    }

    private static boolean waitsUntilInterrupted(ConnectedAgent agent) {
        try {
            Session session = agent.newSession(HERE);
            Turn turn = session.prompt("first");
            turn.cancel();
            turn.result();
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private static void ends(Client.Builder client, Connecting connecting, String words) {
        assertThatThrownBy(() -> {
                    try (ConnectedAgent agent = connecting.connect(client)) {
                        Session session = agent.newSession(HERE);
                        session.prompt("first").result();
                        session.prompt("second").result();
                    }
                })
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @MethodSource("clients")
    @Tag("TST-01")
    @Tag("TST-02")
    void anAgentReactsWellToABadClient(Misbehaviour bad, Version version) throws Exception {
        Joined joined = Joined.with(bad, version);

        try (ConnectedClient served =
                TestAgent.builder().onProblem(problem -> {}).build().connect(joined.good())) {
            joined.bad().get();

            if (!bad.name().equals("says-nothing")) {
                assertThat(served.protocolVersion()).isEqualTo(version.number());
            }
        }
    }

    /** What each client asks for in the end is missed if it is not answered. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void noBadClientIsSatisfiedByAnAgentWithoutSessions(Version version) throws Exception {
        for (Misbehaviour bad : Misbehaviour.clients()) {
            if (bad.reaction() != Misbehaviour.Reaction.GOES_ON) {
                continue;
            }
            Joined joined = Joined.with(bad, version);
            Agent silent = Agent.builder("silent", "1")
                    .protocol(version)
                    .onProblem(problem -> {})
                    .on("_silent", (client, params) -> params)
                    .build();

            try (ConnectedClient served = silent.connect(joined.good())) {
                assertThat(served).isNotNull();
                assertThatThrownBy(joined.bad()::get)
                        .as(bad.name())
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(AssertionError.class);
            }
        }
    }

    @Test
    void aBadClientOfVersionTwoIsNotSatisfiedByAnAgentOfVersionOne() throws Exception {
        Joined joined = Joined.with(Misbehaviour.client("batch").orElseThrow(), Version.V2);

        try (ConnectedClient served =
                TestAgent.builder().protocol(Version.V1).build().connect(joined.good())) {
            assertThat(served).isNotNull();
            assertThatThrownBy(joined.bad()::get).hasMessageContaining("expected version 2");
        }
    }

    @Test
    void namesAreUniqueAndFound() {
        assertThat(Misbehaviour.agents())
                .doesNotHaveDuplicates()
                .extracting(Misbehaviour::name)
                .doesNotHaveDuplicates();
        assertThat(Misbehaviour.clients()).extracting(Misbehaviour::name).doesNotHaveDuplicates();
        assertThat(Misbehaviour.agents())
                .allSatisfy(bad -> assertThat(Misbehaviour.agent(bad.name())).contains(bad));
        assertThat(Misbehaviour.clients())
                .allSatisfy(bad -> assertThat(Misbehaviour.client(bad.name())).contains(bad));
        assertThat(Misbehaviour.agent("dies-after-57")).isPresent();
        assertThat(Misbehaviour.agent("no such thing")).isEmpty();
    }

    private static List<String> java(Class<?> program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static String output(int exitCode, List<String> command) throws Exception {
        Process process =
                new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
        process.getOutputStream().close();
        try (InputStream out = process.getInputStream()) {
            String output = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isEqualTo(exitCode);
            return output;
        }
    }

    @Test
    @Tag("TST-04")
    void aProgramSaysHowAnAgentInWhateverLanguageReacts() throws Exception {
        List<String> good = java(MisbehavingPeer.class, "client", "batch");
        good.addAll(java(TestAgentProgram.class));
        // Says back what it is told: requests, and no answers.
        List<String> bad = java(MisbehavingPeer.class, "client", "batch", "cat");

        assertThat(output(0, good)).containsPattern("batch +good");
        assertThat(output(1, bad)).containsPattern("batch +.*expected");
        assertThat(output(0, java(MisbehavingPeer.class, "list")))
                .contains("agent  ignores-cancel", "client split-utf8");
        assertThat(output(2, java(MisbehavingPeer.class, "agent", "no-such-thing")))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("bytesOfTheFirstAnswer")
    @Tag("FRM-04")
    void anAgentMayDieAfterAnyNumberOfBytes(long bytes) throws Exception {
        Joined joined = Joined.with(Misbehaviour.agentDyingAfter(bytes));

        ends(client(), client -> client.connect(joined.good()), CLOSED);

        joined.good().close();
        joined.bad().get();
    }

    static Stream<Long> bytesOfTheFirstAnswer() {
        return Stream.of(1L, 2L, 40L, 100L, 150L, 200L);
    }
}
