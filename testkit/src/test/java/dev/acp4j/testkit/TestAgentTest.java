package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.AuthenticationRequiredException;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class TestAgentTest {
    @RegisterExtension
    final AcpExtension acp = AcpExtension.agent(TestAgent.create());

    private static TestClient prepared(TestClient client) {
        return client.file(Path.of("/notes.txt"), "one\ntwo\nthree\n")
                .command("echo hello", "hello\n", 0)
                .endlessCommand("sleep 1000", "")
                .fill(Map.of("name", ElicitationContentValue.of("Ada")));
    }

    /** Returns the names on the wire of the stable kinds of version 1 that a sealed type permits. */
    private static Stream<String> kinds(Class<?> type) {
        return Stream.of(type.getPermittedSubclasses())
                .filter(kind -> !kind.isAnnotationPresent(In.class)
                        || kind.getAnnotation(In.class).value() == 1)
                .filter(kind -> !kind.isAnnotationPresent(Draft.class))
                .flatMap(kind -> kind.isSealed() ? kinds(kind) : Stream.of(kind.getSimpleName()))
                .filter(name -> !name.equals("Unknown"))
                .map(name -> name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT));
    }

    private static void assertSent(Wire wire, Pattern what, Stream<String> expected) {
        List<String> sent = what.matcher(wire.toString())
                .results()
                .map(match -> match.group(1).replace("_update", ""))
                .distinct()
                .toList();
        assertThat(sent)
                .containsAll(expected.map(name -> name.replace("_update", "")).toList());
    }

    @Test
    @Tag("SCH-19")
    @Tag("TST-01")
    void everyUpdateEveryContentAndEveryRequestToTheClientHasACommand(Session session, TestClient client, Wire wire)
            throws Exception {
        prepared(client);
        Turn turn = session.prompt("all");

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);

        assertSent(wire, Pattern.compile("\"sessionUpdate\":\"(\\w+)\""), kinds(SessionUpdate.class));
        assertSent(wire, Pattern.compile("\"content\":\\{\"type\":\"(\\w+)\""), kinds(ContentBlock.class));
        assertSent(
                wire,
                Pattern.compile("\"method\":\"([\\w/]+)\""),
                ClientMethods.all().stream().map(method -> method.name()));
        client.awaitTerminalsReleased();
    }

    @Test
    @Tag("SCH-19")
    void contentComesAsItWasSent(Session session, TestClient client) throws Exception {
        session.prompt("content all").result();

        List<ContentBlock> content = client.events().stream()
                .filter(SessionEvent.Message.class::isInstance)
                .map(event -> ((SessionEvent.Message) event).content())
                .toList();
        assertThat(content).hasSize(7);
        assertThat(content)
                .filteredOn(ContentBlock.Image.class::isInstance)
                .singleElement()
                .satisfies(image ->
                        assertThat(((ContentBlock.Image) image).bytes()).containsExactly(1, 2, 3));
        assertThat(content)
                .filteredOn(block -> block instanceof ContentBlock.Text text && text.annotations() != null)
                .singleElement()
                .asString()
                .contains("user", "2026-01-02T03:04:05Z", "0.5");
    }

    @Test
    @Tag("TST-01")
    void bothSpeakVersionTwo() throws Exception {
        TestClient client = TestClient.create().decide(PermissionOptionKind.ALLOW_ONCE);
        try (Transports ends = Transports.joined();
                ConnectedClient served = TestAgent.create().connect(ends.agent());
                ConnectedAgent agent = client.builder().protocol(Version.V2).connect(ends.client())) {
            Session session = agent.newSession(Path.of(""));

            assertThat(session.prompt("say hello\ntool Read\nplan a,b\nask Edit")
                            .text())
                    .isEqualTo("helloallowed");
            assertThat(served.protocolVersion()).isEqualTo(2);
            assertThat(session.view().toolCalls()).hasSizeGreaterThanOrEqualTo(1);
            assertThat(session.view().plan()).hasSize(2);
            assertThat(client.permissions()).hasSize(1);
        }
    }

    @Test
    void answersAreSaid(Session session, TestClient client) throws Exception {
        prepared(client).decide(PermissionOptionKind.REJECT_ALWAYS);

        assertThat(session.prompt("choose It").text()).isEqualTo("reject_always");
        assertThat(session.prompt("lines 2 1 /notes.txt").text()).isEqualTo("two\n");
        assertThat(session.prompt("run echo hello").text()).isEqualTo("hello\nexit 0");
        assertThat(session.prompt("kill sleep 1000").text()).isEqualTo("signal SIGKILL");
        assertThat(session.prompt("form").text()).isEqualTo("form: [name]");
        assertThat(session.prompt("form").text()).isEqualTo("no form");
        assertThat(session.prompt("url").text()).isEqualTo("not looked");
    }

    @ParameterizedTest
    @CsvSource({
        "end_turn, end_turn",
        "max_tokens, max_tokens",
        "max_turn_requests, max_turn_requests",
        "refusal, refusal",
        // Version 1 has no others.
        "_mine, end_turn"
    })
    void turnsStopForTheReasonThatIsGiven(String reason, String said, Session session) throws Exception {
        assertThat(session.prompt("stop " + reason).result().stopReason()).isEqualTo(StopReason.of(said));
    }

    @ParameterizedTest
    @CsvSource({"-32000", "-32002", "-32601", "-32602", "-32603", "-32800", "7"})
    void turnsFailWithTheErrorThatIsGiven(int code, Session session) throws Exception {
        Turn turn = session.prompt("fail " + code + " for a test");

        assertThatThrownBy(turn::result).isInstanceOfSatisfying(RpcError.class, failure -> {
            assertThat(failure.code()).isEqualTo(code);
            assertThat(failure).hasMessageContaining("for a test");
        });
    }

    @Test
    void aStubbornTurnEndsAsCancelledWhenItWants(Session session) throws Exception {
        Turn turn = session.prompt("say now\nstubborn 50\nsay never");
        Iterator<SessionEvent> events = turn.iterator();
        while (!(events.next() instanceof SessionEvent.Message)) {
            // The agent's commands may come first.
        }

        turn.cancel();

        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(turn.text()).isEqualTo("now");
    }

    @Test
    void whatTheClientRefusesIsSaidAndTheTurnGoesOn(Session session) throws Exception {
        assertThat(session.prompt("read /nowhere\nsay on").text())
                .matches("refused: -32002 .*/nowhere does not existon");
    }

    @Test
    void helpListsWhatTheUserMayCall(Session session) throws Exception {
        String help = session.prompt("help").text();

        assertThat(session.view().commands())
                .hasSizeGreaterThan(30)
                .allSatisfy(command -> assertThat(help).contains("- `" + command.name()));
        assertThat(session.prompt("/say hello").text()).isEqualTo("hello");
    }

    @Test
    void extensionsAreAnsweredAndCalled(ConnectedAgent agent, Session session) throws Exception {
        RawJson params = RawJson.parse("{\"number\":1}");

        assertThat(agent.call("_test/echo", params)).isEqualTo(params);
        assertThat(session.prompt("call _test/echo [1]").text()).isEqualTo("[1]");
        assertThat(session.prompt("call _test/nothing {}").text()).startsWith("refused: -32601 ");
    }

    @Test
    void noSessionOpensBeforeTheClientHasLoggedIn() throws Exception {
        try (Transports ends = Transports.joined();
                ConnectedClient served = TestAgent.requiringLogin().build().connect(ends.agent());
                ConnectedAgent agent = TestClient.create().connect(ends.client())) {
            assertThatThrownBy(() -> agent.newSession(Path.of("/")))
                    .isInstanceOf(AuthenticationRequiredException.class);

            agent.authenticate(AuthMethodId.of("test-login"));

            assertThat(agent.newSession(Path.of("/")).prompt("say in").text()).isEqualTo("in");
            assertThat(served.isOpen()).isTrue();
        }
    }
}
