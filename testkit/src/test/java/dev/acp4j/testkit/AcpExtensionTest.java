package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.StringPropertySchema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The JUnit extension, used as its users do, and what it says of tests that fail or leave something behind. */
@Timeout(60)
class AcpExtensionTest {
    @Nested
    class OfAnAgent {
        @RegisterExtension
        final AcpExtension acp = AcpExtension.agent(TestAgent.create());

        @Test
        @Tag("TST-01")
        void aSessionIsOpenInAFolderOfItsOwn(Session session, Path folder, ConnectedAgent agent, Wire wire)
                throws Exception {
            assertThat(session.prompt("say hello").text()).isEqualTo("hello");
            assertThat(session.agent()).isSameAs(agent);
            assertThat(folder).isEmptyDirectory();
            assertThat(wire.messages()).anyMatch(message -> message.contains(folder.toString()));
        }

        @Test
        void theClientAnswersAsItIsTold(Session session, TestClient client) throws Exception {
            client.file(Path.of("/notes.txt"), "one\ntwo\nthree\n")
                    .decide(PermissionOptionKind.REJECT_ONCE)
                    .command("make test", "3 passed\n", 0);

            String text = session.prompt("ask A\nask B\nread /notes.txt\nwrite /new.txt it\nrun make test\nrun other x")
                    .text();

            assertThat(text)
                    .isEqualTo(
                            "rejectedallowedone\ntwo\nthree\nwritten3 passed\nexit 0other: command not found\nexit 127");
            assertThat(client.text(Path.of("/new.txt"))).contains("it");
            assertThat(client.permissions())
                    .extracting(request -> request.title())
                    .containsExactly("A", "B");
            assertThat(client.commands()).containsExactly("make test", "other x");
            client.awaitTerminalsReleased();
            assertThat(client.events()).isNotEmpty();
            assertThat(client.problems()).isEmpty();
        }

        @Test
        void theClientCanBePlayedByHand(ScriptedPeer client) throws Exception {
            client.request(1, "initialize", "{\"protocolVersion\":1}");
            client.expectResult(1);
            client.request(2, "session/load", "{\"sessionId\":\"x\",\"cwd\":\"/\",\"mcpServers\":[]}");
            client.expectError(2);
        }
    }

    @Nested
    class OfAnAgentWithAForm {
        private static final ElicitationSchema FORM = ElicitationSchema.builder()
                .properties(Map.of("name", StringPropertySchema.builder().build()))
                .required(List.of("name"))
                .build();

        @RegisterExtension
        final AcpExtension acp = AcpExtension.agent(Agent.builder("asks", "1")
                .onPrompt(turn -> turn.message(turn.elicit(CreateElicitationRequest.form(
                                        ElicitationScope.session(turn.sessionId()), "Who?", FORM))
                                .getClass()
                                .getSimpleName()
                        + " "))
                .build());

        @Test
        void formsAreFilledAsSaidAndThenDeclined(Session session, TestClient client) throws Exception {
            client.fill(Map.of("name", ElicitationContentValue.of("Ada")));

            assertThat(session.prompt("go").text()).isEqualTo("Accept ");
            assertThat(session.prompt("go").text()).isEqualTo("Decline ");

            assertThat(client.elicitations()).hasSize(2);
        }
    }

    @Nested
    class OfAnAgentThatReadsInParts {
        @RegisterExtension
        final AcpExtension acp = AcpExtension.agent(Agent.builder("reads", "1")
                .onPrompt(turn -> {
                    turn.message(turn.files().readText(Path.of("/notes.txt"), 2, 1) + "|");
                    turn.message(turn.files().readText(Path.of("/notes.txt"), 3, 9));
                })
                .build());

        @Test
        void linesKeepTheirEnds(Session session, TestClient client) throws Exception {
            client.file(Path.of("/notes.txt"), "one\r\ntwo\r\nthree");

            assertThat(session.prompt("go").text()).isEqualTo("two\r\n|three");
        }
    }

    @Nested
    class OfAProcess {
        @RegisterExtension
        final AcpExtension acp = AcpExtension.agent(Launch.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                TestAgentProgram.class.getName()));

        @Test
        void theAgentIsStarted(Session session) throws Exception {
            assertThat(session.prompt("say hello").text()).isEqualTo("hello");
        }
    }

    @Nested
    class OfAClient {
        @RegisterExtension
        final AcpExtension acp = AcpExtension.client(
                Client.builder("mine", "1").onReadTextFile((session, request) -> "from " + request.path()));

        @Test
        void theTestAgentIsItsAgent(Session session) throws Exception {
            assertThat(session.prompt("read /a").text()).isEqualTo("from /a");
        }
    }

    @Test
    void aTestThatFailsPrintsTheWire() {
        assertThat(failuresOf(FailingExamples.class, "fails", Session.class))
                .singleElement()
                .satisfies(failure -> {
                    assertThat(failure).hasMessageContaining("good bye");
                    assertThat(failure.getSuppressed())
                            .singleElement()
                            .asString()
                            .contains("--> ", "session/prompt", "<-- ", "agent_message_chunk");
                });
    }

    @Test
    void aTestThatTakesTheClientsEndTwiceIsToldSo() {
        assertThat(failuresOf(FailingExamples.class, "takesBothEnds", ScriptedPeer.class, ConnectedAgent.class))
                .singleElement()
                .asString()
                .contains("the client's end is scripted by the test");
    }

    @Test
    @Tag("TST-07")
    void aTestThatLeavesSomethingBehindFails() {
        try {
            assertThat(failuresOf(FailingExamples.class, "leavesAProcess", Wire.class))
                    .singleElement()
                    .asString()
                    .contains("the test left something behind", "a process: ", "sleep");
        } finally {
            FailingExamples.endWhatWasLeft();
        }
    }

    private static List<Throwable> failuresOf(Class<?> type, String method, Class<?>... parameters) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(type, method, parameters))
                .execute()
                .testEvents()
                .failed()
                .stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class))
                .flatMap(result -> result.getThrowable().stream())
                .toList();
    }
}
