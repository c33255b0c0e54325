package dev.acp4j.http.gateway;

import static dev.acp4j.http.gateway.GatewayFixture.ALICE;
import static dev.acp4j.http.gateway.GatewayFixture.BOB;
import static dev.acp4j.http.gateway.GatewayFixture.pid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.http.ServerLimits;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import dev.acp4j.tap.Poll;
import dev.acp4j.testkit.FakeTime;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several clients of one user, which share an agent and its sessions. */
@Timeout(180)
class SharedAgentTest {
    private static final String NEW_SESSION =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/tmp\",\"mcpServers\":[]}}";

    @TempDir
    private Path folder;

    private static Gateway.Builder agent() {
        return Gateway.builder(HostedProgram.launch()).perUser();
    }

    private static String said(Session session) {
        StringBuilder text = new StringBuilder();
        for (Entry entry : session.view().messages()) {
            text.append(entry).append('\n');
        }
        return text.toString();
    }

    @Test
    @Tag("HST-01")
    void clientsOfAUserShareAProcessAndOthersHaveTheirOwn() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            String first = pid(host.connect(ALICE));
            String second = pid(host.connect(ALICE));
            String ofBob = pid(host.connect(BOB));
            String otherVersion = pid(host.connect(ALICE, client -> client.protocol(Version.V2)));

            assertThat(second).isEqualTo(first);
            assertThat(ofBob).isNotEqualTo(first);
            assertThat(otherVersion).isNotEqualTo(first).isNotEqualTo(ofBob);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    @Tag("HST-27")
    @Tag("HST-33")
    void aSecondClientGetsTheHistoryAndThenTheSameUpdates(Version version) throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            ConnectedAgent desktop = host.connect(ALICE, client -> client.protocol(version));
            Session session = desktop.newSession(folder);
            session.prompt("Hello from the desktop.").result();
            ConnectedAgent phone = host.connect(ALICE, client -> client.protocol(version));
            Session same = phone.loadSession(session.id(), Path.of("/"));
            LinkedBlockingQueue<SessionEvent> seen = new LinkedBlockingQueue<>();
            var subscription = session.onEvent((of, event) -> seen.add(event));
            String answer = same.prompt("Hello from the phone.").text();
            awaitText(seen, "Hello from the phone.");
            subscription.close();

            assertThat(answer).isEqualTo("Hello from the phone.");
            assertThat(said(same)).contains("Hello from the desktop.");
            assertThat(same.view().notices()).singleElement().asString().contains("keeps its cwd");
            assertThat(said(session)).contains("Hello from the phone.");
        }
    }

    private static String load(int id) {
        return request(id, "session/load", "test-1")
                .replace("\"sessionId\"", "\"cwd\":\"/tmp\",\"mcpServers\":[],\"sessionId\"");
    }

    private static String plain(int id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    @Test
    @Tag("HST-39")
    void aTurnThatOutlivesItsSessionEndsNoTurnOfTheNextOneOfThatName() throws Exception {
        try (GatewayFixture host = new GatewayFixture(
                folder, Gateway.builder(OverlappingAgent.launch()).perUser())) {
            String alice = host.initialize(ALICE);
            for (int i = 1; i <= 2; i++) {
                host.call(ALICE, alice, NEW_SESSION.replace("\"id\":1", "\"id\":" + i));
                host.awaitLine(ALICE, alice, "test-" + i);
            }
            String prompt = request(3, "session/prompt", "test-2")
                    .replace("\"sessionId\"", "\"prompt\":[{\"type\":\"text\",\"text\":\"wait\"}],\"sessionId\"");
            host.call(ALICE, alice, prompt);
            host.call(ALICE, alice, request(4, "session/close", "test-2"));
            host.awaitLine(ALICE, alice, "\"id\":4");
            host.call(ALICE, alice, load(5).replace("test-1", "test-2"));
            host.awaitLine(ALICE, alice, "\"id\":5");
            host.call(ALICE, alice, plain(6, "_test/answer", "{}"));
            host.awaitLine(ALICE, alice, "\"id\":6");
            host.call(ALICE, alice, prompt.replace("\"id\":3", "\"id\":7"));
            // The agent has got that when it answers this.
            host.call(ALICE, alice, plain(8, "_test/deleted", "{}"));
            host.awaitLine(ALICE, alice, "\"id\":8");

            assertThat(host.gateway.awaitIdle(Duration.ofMillis(1))).isFalse();
            host.call(ALICE, alice, plain(9, "_test/answer", "{}"));
            assertThat(host.gateway.awaitIdle(Duration.ofMinutes(1))).isTrue();
        }
    }

    @Test
    @Tag("HST-27")
    @Tag("HST-33")
    void whoOpensASessionThatIsBeingOpenedWaitsForWhatBecomesOfIt() throws Exception {
        try (GatewayFixture host = new GatewayFixture(
                folder, Gateway.builder(HostedProgram.launch("holds")).perUser())) {
            String first = host.initialize(ALICE);
            String second = host.initialize(ALICE);
            host.call(ALICE, first, NEW_SESSION);
            host.awaitLine(ALICE, first, "test-1");
            host.call(ALICE, first, request(2, "session/close", "test-1"));
            host.awaitLine(ALICE, first, "\"id\":2");
            host.call(ALICE, first, load(3));
            host.call(ALICE, first, plain(4, "_test/facts", "{}"));
            host.awaitLine(ALICE, first, "\"id\":4");
            // Messages of a client are taken one after another, so the load is taken before the release.
            host.call(ALICE, second, load(5));
            host.call(ALICE, second, plain(6, "_test/release", "{\"succeeds\":true}"));
            String opened = host.line(ALICE, second, "\"id\":5");
            host.call(ALICE, second, request(7, "session/close", "test-1"));
            host.awaitLine(ALICE, second, "\"id\":7");
            host.call(ALICE, first, request(8, "session/close", "test-1"));
            host.awaitLine(ALICE, first, "\"id\":8");
            host.call(ALICE, first, load(9));
            host.call(ALICE, first, plain(10, "_test/facts", "{}"));
            host.awaitLine(ALICE, first, "\"id\":10");
            host.call(ALICE, second, load(11));
            host.call(ALICE, second, plain(12, "_test/release", "{\"succeeds\":false}"));
            host.call(ALICE, second, plain(13, "_test/release", "{\"succeeds\":false}"));
            String failed = host.line(ALICE, second, "\"id\":11");

            assertThat(opened).contains("\"result\"").contains("\"currentModeId\":\"held\"");
            assertThat(failed).contains("\"error\"").contains("cannot be loaded");
        }
    }

    @Test
    @Tag("HST-33")
    void whoOpensASessionThatIsBeingClosedHasAnOpenOne() throws Exception {
        try (GatewayFixture host = new GatewayFixture(
                folder, Gateway.builder(OverlappingAgent.launch()).perUser())) {
            String first = host.initialize(ALICE);
            String second = host.initialize(ALICE);
            beginClose(host, first);
            // The first of the two is withdrawn.
            host.call(ALICE, second, load(4));
            host.call(ALICE, second, load(5));
            host.call(
                    ALICE,
                    second,
                    plain(4, "$/cancel_request", "{\"requestId\":4}").replace("\"id\":4,", ""));
            host.awaitLine(ALICE, second, "\"id\":4,\"error\":{\"code\":-32800");
            host.call(ALICE, second, plain(6, "_test/release", "{\"succeeds\":true}"));
            String opened = host.line(ALICE, second, "\"id\":5");
            host.call(ALICE, second, prompt(7, "test-1", "say Hello."));
            String answered = host.line(session(host, second, "test-1"), "\"id\":7");

            assertThat(opened).contains("\"result\"");
            assertThat(answered).contains("end_turn");
        }
    }

    @Test
    @Tag("HST-33")
    void aCloseThatTheAgentDoesNotAnswerHoldsUpNobodyForGood() throws Exception {
        FakeTime time = new FakeTime();
        try (GatewayFixture host = new GatewayFixture(
                folder, Gateway.builder(OverlappingAgent.launch()).perUser().time(time))) {
            String first = host.initialize(ALICE);
            String second = host.initialize(ALICE);
            beginClose(host, first);
            host.call(ALICE, second, load(4));
            host.call(ALICE, second, plain(5, "_test/facts", "{}"));
            host.awaitLine(ALICE, second, "\"id\":5");
            time.advance(Duration.ofSeconds(30));
            String opened = host.line(ALICE, second, "\"id\":4");
            // The late answer does not take the session from those who have it now.
            host.call(ALICE, first, plain(6, "_test/release", "{}"));
            host.awaitLine(ALICE, first, "\"id\":6");
            host.call(ALICE, second, prompt(7, "test-1", "say Hello."));
            String answered = host.line(session(host, second, "test-1"), "\"id\":7");

            assertThat(opened).contains("\"result\"");
            assertThat(answered).contains("stopReason");
        }
    }

    @Test
    @Tag("HST-31")
    void aDeletionThatWaitsForACloseIsDoneAlsoWhenItsClientHasLeft() throws Exception {
        try (GatewayFixture host = new GatewayFixture(
                folder, Gateway.builder(OverlappingAgent.launch()).perUser())) {
            String first = host.initialize(ALICE);
            String second = host.initialize(ALICE);
            beginClose(host, first);
            host.call(ALICE, second, request(4, "session/delete", "test-1"));
            host.call(ALICE, second, plain(5, "_test/facts", "{}"));
            host.awaitLine(ALICE, second, "\"id\":5");
            host.leave(ALICE, second);
            host.awaitServer(ServerEvent.ConnectionEnded.class, event -> true);
            host.call(ALICE, first, plain(6, "_test/release", "{}"));
            host.awaitLine(ALICE, first, "\"id\":6");

            // What is looked at on its way may be overtaken by what is not.
            awaitDeletion(host, first, "test-1");
        }
    }

    @Test
    @Tag("HST-13")
    @Tag("HST-33")
    void whoOpensASessionThatIsBeingDeletedForDisuseWaitsAndFindsItDeleted() throws Exception {
        FakeTime time = new FakeTime();
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-01T12:00:00Z"));
        try (GatewayFixture host = new GatewayFixture(
                folder,
                Gateway.builder(OverlappingAgent.launch())
                        .perUser()
                        .deleteUnused(30)
                        .time(time)
                        .clock(now::get)
                        .sessionOwners(folder.resolve("owners")))) {
            String client = host.initialize(ALICE);
            host.call(ALICE, client, NEW_SESSION);
            host.awaitLine(ALICE, client, "test-1");
            host.call(ALICE, client, NEW_SESSION);
            host.awaitLine(ALICE, client, "test-2");
            host.call(ALICE, client, request(2, "session/close", "test-2"));
            host.awaitLine(ALICE, client, "\"id\":2");
            now.set(Instant.parse("2026-12-02T12:00:00Z"));
            time.advance(Duration.ofHours(1));
            awaitDeletion(host, client, "test-2");
            host.call(ALICE, client, request(41, "session/load", "test-2"));
            host.call(ALICE, client, plain(42, "_test/facts", "{}"));
            // That of the load waits. An earlier answer may be repeated, since its reader has left at once.
            assertThat(host.line(ALICE, client, "\"id\":4")).contains("\"id\":42");
            host.call(ALICE, client, plain(6, "_test/release", "{}"));
            String opened = host.line(ALICE, client, "\"id\":41");

            assertThat(opened).contains("\"error\"");
            assertThat(host.await(GatewayEvent.SessionRemoved.class).principal().name())
                    .isEqualTo("alice");
        }
    }

    /** Asks the agent until it was asked to delete a session; waits for each answer, so that none is left. */
    private static void awaitDeletion(GatewayFixture host, String client, String session) throws Exception {
        boolean isAsked = false;
        while (!isAsked) {
            host.call(ALICE, client, plain(3, "_test/deleted", "{}"));
            isAsked = host.line(ALICE, client, "\"id\":3").contains(session);
        }
    }

    /** Opens a session and asks the agent to close it, which has begun then. */
    private static void beginClose(GatewayFixture host, String connection) throws Exception {
        host.call(ALICE, connection, NEW_SESSION);
        host.awaitLine(ALICE, connection, "test-1");
        host.call(ALICE, connection, request(2, "session/close", "test-1"));
        host.call(ALICE, connection, plain(3, "_test/facts", "{}"));
        host.awaitLine(ALICE, connection, "\"id\":3");
    }

    private static String prompt(int id, String session, String text) {
        return plain(
                id,
                "session/prompt",
                "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}");
    }

    private static HttpRequest.Builder session(GatewayFixture host, String connection, String session) {
        return host.request("/acp", ALICE)
                .header("Acp-Connection-Id", connection)
                .header("Acp-Session-Id", session);
    }

    private static void awaitText(LinkedBlockingQueue<SessionEvent> seen, String text) throws Exception {
        SessionEvent event = seen.poll(60, TimeUnit.SECONDS);
        while (event != null && !event.toString().contains(text)) {
            event = seen.poll(60, TimeUnit.SECONDS);
        }
        assertThat(event).as("an event with " + text).isNotNull();
    }

    @Test
    @Tag("HST-28")
    @Tag("HST-29")
    void theFirstAnswerOfAClientCountsAndTheOthersAreWithdrawn() throws Exception {
        LinkedBlockingQueue<PermissionQuestion> atDesktop = new LinkedBlockingQueue<>();
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch withdrawn = new CountDownLatch(1);
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            ConnectedAgent desktop = host.connect(
                    ALICE,
                    client -> client.onPermission(question -> {
                        atDesktop.add(question);
                        try {
                            never.await();
                        } catch (InterruptedException e) {
                            withdrawn.countDown();
                            throw e;
                        }
                        return question.rejectOnce();
                    }));
            Session session = desktop.newSession(folder);
            Turn turn = session.prompt("choose May I?");
            assertThat(atDesktop.poll(60, TimeUnit.SECONDS)).isNotNull();
            // It comes later, is asked, and answers at once.
            ConnectedAgent phone = host.connect(ALICE, client -> client.onPermission(PermissionQuestion::allowOnce));
            phone.resumeSession(session.id(), folder);

            assertThat(turn.text()).contains("allow");
            assertThat(withdrawn.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}",
                "\"result\":{}",
                "\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"invented\"}}"
            })
    @Tag("HST-28")
    void anAnswerThatFitsNoOptionDoesNotCountWhileOthersCanAnswer(String wrong) throws Exception {
        CountDownLatch may = new CountDownLatch(1);
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            String careless = host.initialize(ALICE);
            host.call(ALICE, careless, NEW_SESSION);
            host.awaitLine(ALICE, careless, "test-1");
            ConnectedAgent phone = host.connect(
                    ALICE,
                    client -> client.onPermission(question -> {
                        may.await();
                        return question.allowOnce();
                    }));
            Turn turn = phone.resumeSession(SessionId.of("test-1"), folder).prompt("choose May I?");
            String question = host.line(
                    host.request("/acp", ALICE)
                            .header("Acp-Connection-Id", careless)
                            .header("Acp-Session-Id", "test-1"),
                    "session/request_permission");
            String id = question.replaceAll(".*\"id\":(\"[^\"]*\"|\\d+).*", "$1");
            host.call(ALICE, careless, "{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + wrong + "}");
            host.call(ALICE, careless, plain(9, "_test/facts", "{}"));
            host.awaitLine(ALICE, careless, "\"id\":9");
            may.countDown();

            assertThat(turn.text()).contains("allow");
        } finally {
            may.countDown();
        }
    }

    @Test
    @Tag("HST-28")
    void anAnswerWithMoreThanTheFormAsksForCounts() throws Exception {
        CountDownLatch may = new CountDownLatch(1);
        String showsForms = GatewayFixture.INITIALIZE.replace(
                "\"protocolVersion\":1",
                "\"protocolVersion\":1,\"clientCapabilities\":{\"elicitation\":{\"form\":{}}}");
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            String first = host.initialize(ALICE, showsForms);
            host.call(ALICE, first, NEW_SESSION);
            host.awaitLine(ALICE, first, "test-1");
            ConnectedAgent phone = host.connect(
                    ALICE,
                    client -> client.onElicitation(question -> {
                        may.await();
                        return question.cancel();
                    }));
            Turn turn = phone.resumeSession(SessionId.of("test-1"), folder).prompt("form");
            String question = host.line(session(host, first, "test-1"), "elicitation/create");
            String id = question.replaceAll(".*\"id\":(\"[^\"]*\"|\\d+).*", "$1");
            host.call(
                    ALICE,
                    first,
                    "{\"jsonrpc\":\"2.0\",\"id\":" + id
                            + ",\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Ada\",\"note\":null,\"age\":7}}}");
            host.call(ALICE, first, plain(9, "_test/facts", "{}"));
            host.awaitLine(ALICE, first, "\"id\":9");
            may.countDown();

            assertThat(turn.text()).isEqualTo("form: [name]");
        } finally {
            may.countDown();
        }
    }

    @Test
    @Tag("HST-29")
    @Tag("DUR-18")
    void whatAClientWasAskedAloneTheNextOneIsAskedWhenItLeaves() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            String leaving = host.initialize(ALICE);
            ConnectedAgent staying = host.connect(
                    ALICE,
                    client -> client.on("_test/which", (agent, params) -> RawJson.parse("{\"is\":\"staying\"}")));
            AtomicReference<RawJson> answer = new AtomicReference<>();
            Thread asking = Thread.ofVirtual().start(() -> {
                try {
                    answer.set(staying.call("_test/ask", RawJson.EMPTY_OBJECT));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            host.awaitLine(ALICE, leaving, "_test/which");
            host.leave(ALICE, leaving);

            assertThat(asking.join(Duration.ofSeconds(60))).isTrue();
            assertThat(answer.get()).asString().contains("\"is\":\"staying\"");
        }
    }

    @Test
    @Tag("HST-31")
    @Tag("HST-32")
    void aTurnGoesOnWithoutItsClientAndTheNextOneAnswersItsQuestion() throws Exception {
        String prompt =
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"test-1\","
                        + "\"prompt\":[{\"type\":\"text\",\"text\":\"choose May I?\\nsay It is done.\"}]}}";
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            // It vanishes without an answer, which a client of ours does not.
            String connection = host.initialize(ALICE);
            host.call(ALICE, connection, NEW_SESSION);
            host.awaitLine(ALICE, connection, "test-1");
            host.call(ALICE, connection, prompt);
            host.await(GatewayEvent.QuestionOpened.class);
            host.leave(ALICE, connection);
            ConnectedAgent second = host.connect(ALICE, client -> client.onPermission(PermissionQuestion::allowOnce));
            Session again = second.loadSession(SessionId.of("test-1"), folder);
            // Behind the turn that runs.
            String answer = again.prompt("Still there?").text();

            assertThat(host.started()).isEqualTo(1);
            assertThat(second.listSessions(null))
                    .anyMatch(info -> info.sessionId().equals(again.id()));
            assertThat(answer).endsWith("Still there?");
            assertThat(said(again))
                    .contains("choose May I?")
                    .contains("allow_once")
                    .contains("It is done.");
        }
    }

    @Test
    @Tag("HST-32")
    void aTurnWhoseClientIsGoneIsSeenAndCancelledByTheNextOne() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            String leaving = host.initialize(ALICE);
            host.call(ALICE, leaving, NEW_SESSION);
            host.awaitLine(ALICE, leaving, "test-1");
            host.call(ALICE, leaving, prompt(2, "test-1", "say begun\\nwait"));
            host.awaitLine(session(host, leaving, "test-1"), "begun");
            host.leave(ALICE, leaving);
            String next = host.initialize(ALICE);
            host.call(ALICE, next, load(3));
            String seen = host.line(session(host, next, "test-1"), "acp/turnState");
            host.call(ALICE, next, notification("session/cancel", "test-1"));
            GatewayEvent.TurnEnded ended = host.await(GatewayEvent.TurnEnded.class);
            host.call(ALICE, next, prompt(4, "test-1", "Still there?"));
            String answered = host.line(session(host, next, "test-1"), "\"id\":4");

            assertThat(seen).contains("\"state\":\"running\"");
            assertThat(ended.failed()).isFalse();
            assertThat(answered).contains("end_turn");
        }
    }

    @Test
    @Tag("HST-33")
    void whatASessionThatLivesKeepsIsNamedAndItsAgentIsNotAskedAgain() throws Exception {
        String other = "\"cwd\":\"/\",\"additionalDirectories\":[\"/var\"],\"mcpServers\":[{\"name\":\"other\","
                + "\"command\":\"other\",\"args\":[],\"env\":[]}],\"sessionId\"";
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            String first = host.initialize(ALICE);
            host.call(ALICE, first, NEW_SESSION);
            host.awaitLine(ALICE, first, "test-1");
            String second = host.initialize(
                    ALICE,
                    GatewayFixture.INITIALIZE.replace(
                            "\"protocolVersion\":1",
                            "\"protocolVersion\":1,\"clientCapabilities\":{\"session\":{\"notices\":{}}}"));
            host.call(ALICE, second, request(3, "session/load", "test-1").replace("\"sessionId\"", other));
            String notice = host.line(session(host, second, "test-1"), "\"notice\"");
            host.call(ALICE, second, prompt(4, "test-1", "session"));
            String says = host.line(session(host, second, "test-1"), "folders:");

            assertThat(notice).contains("keeps its cwd, additionalDirectories, mcpServers\"");
            assertThat(says).contains("\"folders: /tmp; MCP servers: \"");
        }
    }

    @Test
    @Tag("HST-30")
    void anObserverSeesAndDoesNothing() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            Session session = host.connect(ALICE).newSession(folder);
            ConnectedAgent observer =
                    host.connect(ALICE, client -> client.meta(Meta.of("acp4j/role", RawJson.string("observer"))));
            Session watched = observer.loadSession(session.id(), folder);
            LinkedBlockingQueue<SessionEvent> seen = new LinkedBlockingQueue<>();
            var subscription = watched.onEvent((of, event) -> seen.add(event));
            session.prompt("Look at this.").result();
            awaitText(seen, "Look at this.");
            subscription.close();

            assertThatThrownBy(() -> watched.prompt("Let me.").result()).hasMessageContaining("observer");
            assertThatThrownBy(() -> observer.newSession(folder)).hasMessageContaining("observer");
        }
    }

    @Test
    @Tag("HST-30")
    void anObserverCanNeitherCancelNorSetNorCloseAnything() throws Exception {
        String observing = GatewayFixture.INITIALIZE.replace(
                "\"params\":{", "\"params\":{\"_meta\":{\"acp4j/role\":\"observer\"},");
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            Session session = host.connect(ALICE).newSession(folder);
            Turn turn = session.prompt("wait");
            String id = session.id().value();
            for (String method : List.of("session/set_mode", "session/set_config_option", "session/close")) {
                String observer = host.initialize(ALICE, observing);
                host.call(ALICE, observer, notification("session/cancel", id));
                host.call(ALICE, observer, request(1, method, id));
                // It has not opened the session, so the answer comes on the stream of its connection.
                host.awaitLine(ALICE, observer, "\"reason\":\"observer\"");
            }
            // Messages of a client are taken one after another, so its cancellation has been, too.
            boolean runs = !turn.isDone();
            turn.cancel();

            assertThat(runs).isTrue();
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        }
    }

    @Test
    @Tag("HST-30")
    void anAnswerOfAnObserverDoesNotCount() throws Exception {
        String observing = GatewayFixture.INITIALIZE.replace(
                "\"params\":{", "\"params\":{\"_meta\":{\"acp4j/role\":\"observer\"},");
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            String first = host.initialize(ALICE);
            host.call(ALICE, first, NEW_SESSION);
            host.awaitLine(ALICE, first, "test-1");
            String observer = host.initialize(ALICE, observing);
            host.call(ALICE, observer, load(3));
            host.awaitLine(ALICE, observer, "\"id\":3");
            host.call(ALICE, first, prompt(2, "test-1", "choose May I?"));
            String question = host.line(session(host, first, "test-1"), "session/request_permission");
            host.call(ALICE, observer, chosen(question, "allow_once-1"));
            host.call(ALICE, observer, request(4, "session/set_mode", "test-1"));
            host.awaitLine(session(host, observer, "test-1"), "\"reason\":\"observer\"");
            // Messages of a client are taken one after another, so its answer has been, too.
            host.call(ALICE, first, chosen(question, "reject_once-1"));
            host.awaitLine(session(host, first, "test-1"), "\"id\":2");
            String text = host.line(session(host, first, "test-1").header("Last-Event-ID", "0"), "agent_message_chunk");

            assertThat(text).contains("reject_once");
            assertThat(host.await(GatewayEvent.QuestionClosed.class).by()).isEqualTo("client");
        }
    }

    /** Returns the answer to a question that chooses an option. */
    private static String chosen(String question, String option) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + question.replaceAll(".*\"id\":(\"[^\"]*\"|\\d+).*", "$1")
                + ",\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" + option + "\"}}}";
    }

    private static String notification(String method, String session) {
        return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":{\"sessionId\":\"" + session + "\"}}";
    }

    private static String request(int id, String method, String session) {
        return notification(method, session).replace("\"method\"", "\"id\":" + id + ",\"method\"");
    }

    @Test
    @Tag("HST-27")
    void aClientThatReadsTooSlowlyIsLetGoAndSlowsNobody() throws Exception {
        ServerLimits small = ServerLimits.STANDARD.withQueuedBytes(200_000);
        try (GatewayFixture host = new GatewayFixture(folder, agent(), server -> server.limits(small))) {
            Session session = host.connect(ALICE).newSession(folder);
            // It loads the session, and reads nothing.
            String slow = host.initialize(ALICE);
            host.call(
                    ALICE,
                    slow,
                    request(1, "session/load", session.id().value())
                            .replace("\"sessionId\"", "\"cwd\":\"/tmp\",\"mcpServers\":[],\"sessionId\""));
            String text = session.prompt("say " + "x".repeat(150_000) + "\nsay " + "y".repeat(150_000) + "\nsay z")
                    .text();
            host.awaitServer(ServerEvent.ConnectionEnded.class, event -> true);
            HttpResponse<String> gone = host.call(ALICE, slow, request(2, "session/list", ""));
            ConnectedAgent again = host.connect(ALICE);

            assertThat(text).contains("y".repeat(1000)).endsWith("z");
            assertThat(gone.statusCode()).isEqualTo(404);
            assertThat(said(again.loadSession(session.id(), folder))).contains("y".repeat(1000));
        }
    }

    @Test
    @Tag("HST-27")
    @Tag("LOD-06")
    void clientsThatReadNothingTakeNoMemoryFromThoseThatReadWhateverAgentTheyShare() throws Exception {
        ServerLimits small = ServerLimits.STANDARD.withQueuedBytesInAll(300_000);
        String prompt = ("say " + "x".repeat(40_000) + "\n").repeat(20) + "say z";
        try (GatewayFixture host = new GatewayFixture(folder, agent(), server -> server.limits(small))) {
            List<Session> reading = new ArrayList<>();
            for (String user : List.of(ALICE, BOB)) {
                Session session = host.connect(user).newSession(folder);
                reading.add(session);
                host.call(
                        user,
                        host.initialize(user),
                        request(1, "session/load", session.id().value())
                                .replace("\"sessionId\"", "\"cwd\":\"/tmp\",\"mcpServers\":[],\"sessionId\""));
            }
            for (int i = 0; i < 2; i++) {
                for (Session session : reading) {
                    assertThat(session.prompt(prompt).text())
                            .hasSizeGreaterThan(800_000)
                            .endsWith("z");
                }
            }

            for (int i = 0; i < reading.size(); i++) {
                assertThat(host.awaitServer(ServerEvent.ConnectionEnded.class, event -> true)
                                .reason())
                        .contains("too slowly");
            }
            assertThat(reading.getFirst().prompt("Still there.").text()).isEqualTo("Still there.");
        }
    }

    @Test
    @Tag("HST-40")
    @Tag("HST-37")
    void whatIsKeptOfSharedSessionsIsBoundedAndCounted() throws Exception {
        GatewayLimits small = GatewayLimits.STANDARD.withHistory(100_000, 1_000_000);
        try (GatewayFixture host = new GatewayFixture(folder, agent().limits(small))) {
            ConnectedAgent client = host.connect(ALICE);
            Session first = client.newSession(folder);
            first.prompt("say " + "x".repeat(60_000)).result();
            Session second = client.newSession(folder);
            second.prompt("say " + "y".repeat(10_000)).result();
            String before = host.gateway.metrics();
            second.prompt("say " + "y".repeat(10_000)).result();
            ConnectedAgent later = host.connect(ALICE);
            String ofFirst = said(later.loadSession(first.id(), folder));
            String ofSecond = said(later.loadSession(second.id(), folder));

            assertThat(kept(before)).isBetween(80_000L, 100_000L);
            assertThat(kept(host.gateway.metrics())).isLessThan(100_000L);
            assertThat(ofFirst).doesNotContain("say " + "x".repeat(60_000));
            assertThat(ofSecond).contains("y".repeat(10_000));
        }
    }

    @Test
    @Tag("LOD-06")
    void whatIsKeptOfTheSessionsOfAllAgentsIsBounded() throws Exception {
        GatewayLimits small = GatewayLimits.STANDARD.withHistory(100_000, 100_000);
        try (GatewayFixture host = new GatewayFixture(folder, agent().limits(small))) {
            host.connect(ALICE)
                    .newSession(folder)
                    .prompt("say " + "x".repeat(40_000))
                    .result();
            long first = kept(host.gateway.metrics());
            Session second = host.connect(BOB).newSession(folder);
            for (int i = 0; i < 10; i++) {
                second.prompt("say " + "y".repeat(9_000)).result();
            }

            assertThat(first).isBetween(40_000L, 50_000L);
            assertThat(kept(host.gateway.metrics())).isBetween(first + 10_000, 100_000L);
        }
    }

    private static long kept(String metrics) {
        return Long.parseLong(metrics.replaceAll("(?s).*\\nacp_history_bytes (\\d+)\n.*", "$1"));
    }

    @Test
    @Tag("HST-40")
    void aSessionThatNobodyHasOpenMakesRoomForAnother() throws Exception {
        GatewayLimits two = GatewayLimits.STANDARD.withSessions(2);
        try (GatewayFixture host = new GatewayFixture(folder, agent().limits(two))) {
            ConnectedAgent earlier = host.connect(ALICE);
            Session first = earlier.newSession(folder);
            Session second = earlier.newSession(folder);
            assertThatThrownBy(() -> earlier.newSession(folder)).hasMessageContaining("too many sessions");
            first.prompt("Hello.").result();
            ConnectedAgent later = host.connect(ALICE);
            Session kept = later.loadSession(first.id(), folder);
            earlier.close();
            // That it has left is seen a moment later.
            assertThat(Poll.until(() -> opens(later))).isTrue();

            assertThatThrownBy(() -> later.newSession(folder)).hasMessageContaining("too many sessions");
            assertThat(kept.prompt("Still there?").text()).isEqualTo("Still there?");
            assertThat(second.id()).isNotEqualTo(first.id());
        }
    }

    @Test
    @Tag("HST-40")
    void aSessionThatMadeRoomIsOpenedAnewWhenItsCloseIsOver() throws Exception {
        GatewayLimits two = GatewayLimits.STANDARD.withSessions(2);
        try (GatewayFixture host = new GatewayFixture(
                folder, Gateway.builder(OverlappingAgent.launch()).perUser().limits(two))) {
            String earlier = host.initialize(ALICE);
            host.call(ALICE, earlier, NEW_SESSION);
            host.awaitLine(ALICE, earlier, "test-1");
            ConnectedAgent later = host.connect(ALICE);
            Session second = later.newSession(folder);
            host.leave(ALICE, earlier);
            // That it has left is seen a moment later.
            assertThat(Poll.until(() -> opens(later))).isTrue();
            second.close();
            String returned = host.initialize(ALICE);
            host.call(ALICE, returned, load(1));
            host.call(ALICE, returned, plain(2, "_test/facts", "{}"));
            host.awaitLine(ALICE, returned, "\"id\":2");
            host.call(ALICE, returned, plain(3, "_test/release", "{\"succeeds\":true}"));
            String opened = host.line(ALICE, returned, "\"id\":1");
            host.call(ALICE, returned, prompt(4, "test-1", "say Hello."));
            String answered = host.line(session(host, returned, "test-1"), "\"id\":4");

            assertThat(opened).contains("\"result\"");
            assertThat(answered).contains("end_turn");
        }
    }

    private boolean opens(ConnectedAgent client) {
        try {
            return !client.newSession(folder).id().value().isEmpty();
        } catch (RuntimeException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Tag("HST-30")
    void whoAsksForItHearsWhoElseIsThere() throws Exception {
        String asking =
                GatewayFixture.INITIALIZE.replace("\"params\":{", "\"params\":{\"_meta\":{\"acp4j/presence\":true},");
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            String connection = host.initialize(ALICE, asking);
            host.call(ALICE, connection, NEW_SESSION);
            host.awaitLine(ALICE, connection, "test-1");
            ConnectedAgent observer =
                    host.connect(ALICE, client -> client.meta(Meta.of("acp4j/role", RawJson.string("observer"))));
            try (Stream<String> lines = host.lines(session(host, connection, "test-1"))) {
                Iterator<String> presence =
                        lines.filter(line -> line.contains("_acp4j/presence")).iterator();
                Session watched = observer.resumeSession(SessionId.of("test-1"), folder);
                String joined = presence.next();
                while (!joined.contains("observer")) {
                    joined = presence.next();
                }
                observer.rpc().close();
                String left = presence.next();

                assertThat(watched.id().value()).isEqualTo("test-1");
                assertThat(presence(joined)).isEqualTo(JsonArray.of(present("controller"), present("observer")));
                assertThat(presence(left)).isEqualTo(JsonArray.of(present("controller")));
            }
        }
    }

    @Test
    @Tag("HST-04")
    void anIdleAgentEndsAndOneThatWorksDoesNot() throws Exception {
        FakeTime time = new FakeTime();
        try (GatewayFixture host = new GatewayFixture(folder, agent().time(time))) {
            ConnectedAgent busy = host.connect(ALICE);
            Turn unused = busy.newSession(folder).prompt("wait");
            String working = pid(busy);
            ConnectedAgent idle = host.connect(BOB);
            String resting = pid(idle);
            busy.rpc().close();
            idle.rpc().close();
            GatewayEvent.AgentEnded ended = awaitEnd(host, time);

            assertThat(ended.pid()).isEqualTo(Long.parseLong(resting));
            assertThat(ended.reason()).isEqualTo("idle");
            assertThat(pid(host.connect(ALICE))).isEqualTo(working);
            assertThat(pid(host.connect(BOB))).isNotEqualTo(resting);
        }
    }

    /** Returns what a message of presence says of the clients. */
    private static JsonValue presence(String event) {
        JsonObject message =
                (JsonObject) RawJson.parse(event.substring(event.indexOf('{'))).value();
        JsonObject params =
                (JsonObject) Objects.requireNonNull(message.members().get("params"));
        assertThat(message.text("method")).hasValue("_acp4j/presence");
        assertThat(params.members()).containsOnlyKeys("_meta", "sessionId", "clients");
        return Objects.requireNonNull(params.members().get("clients"));
    }

    private static JsonObject present(String role) {
        return JsonObject.of(Map.of("name", JsonString.of("alice"), "role", JsonString.of(role)));
    }

    @Test
    @Tag("HST-04")
    void aClientThatComesBackInTimeKeepsItsAgentAlsoIfItOnlyReads() throws Exception {
        FakeTime time = new FakeTime();
        try (GatewayFixture host = new GatewayFixture(folder, agent().time(time))) {
            ConnectedAgent first = host.connect(ALICE);
            String kept = pid(first);
            ConnectedAgent idle = host.connect(BOB);
            String resting = pid(idle);
            first.rpc().close();
            idle.rpc().close();
            time.advance(Duration.ofMinutes(20));
            String reader = host.initialize(ALICE);
            GatewayEvent.AgentEnded ended = awaitEnd(host, time);

            assertThat(ended.pid()).isEqualTo(Long.parseLong(resting));
            assertThat(pid(host.connect(ALICE))).isEqualTo(kept);
            host.leave(ALICE, reader);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"_test/ask", "_test/state"})
    @Tag("HST-04")
    void anOpenRequestOrAStateThatIsNotIdleKeepsAnAgentWithoutATurn(String what) throws Exception {
        FakeTime time = new FakeTime();
        boolean isState = what.equals("_test/state");
        Gateway.Builder agent =
                isState ? Gateway.builder(OverlappingAgent.launch()).perUser() : agent();
        try (GatewayFixture host = new GatewayFixture(folder, agent.time(time))) {
            String leaving = host.initialize(
                    ALICE,
                    isState
                            ? GatewayFixture.INITIALIZE.replace("\"protocolVersion\":1", "\"protocolVersion\":2")
                            : GatewayFixture.INITIALIZE);
            host.call(ALICE, leaving, NEW_SESSION);
            host.awaitLine(ALICE, leaving, "test-1");
            host.call(ALICE, leaving, request(2, what, "test-1"));
            if (isState) {
                host.awaitLine(session(host, leaving, "test-1"), "state_update");
            } else {
                host.awaitLine(ALICE, leaving, "_test/which");
            }
            String idle = host.initialize(BOB);
            host.leave(ALICE, leaving);
            host.leave(BOB, idle);
            GatewayEvent.AgentEnded ended = awaitEnd(host, time);

            assertThat(ended.principal().name()).isEqualTo("bob");
            assertThat(ended.reason()).isEqualTo("idle");
            time.advance(Duration.ofHours(1));
            assertThat(host.poll(GatewayEvent.AgentEnded.class, Duration.ofSeconds(1)))
                    .isNull();
        }
    }

    /** That a client has left is seen a moment later, and counts from then on. */
    private static GatewayEvent.AgentEnded awaitEnd(GatewayFixture host, FakeTime time) throws Exception {
        GatewayEvent.AgentEnded ended = null;
        while (ended == null) {
            time.advance(Duration.ofHours(1));
            ended = host.poll(GatewayEvent.AgentEnded.class, Duration.ofSeconds(1));
        }
        return ended;
    }

    @Test
    @Tag("HST-04")
    void anAgentWhoseProgramComputesInTheBackgroundIsNotIdle() throws Exception {
        FakeTime time = new FakeTime();
        try (GatewayFixture host = new GatewayFixture(folder, agent().time(time))) {
            ConnectedAgent busy = host.connect(ALICE);
            RawJson unused = busy.call("_test/background", RawJson.EMPTY_OBJECT);
            String working = pid(busy);
            ConnectedAgent idle = host.connect(BOB);
            String resting = pid(idle);
            busy.rpc().close();
            idle.rpc().close();
            GatewayEvent.AgentEnded ended = awaitEnd(host, time);

            assertThat(ended.pid()).isEqualTo(Long.parseLong(resting));
            assertThat(pid(host.connect(ALICE))).isEqualTo(working);
        }
    }
}
