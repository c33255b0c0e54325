package dev.acp4j.http.gateway;

import static dev.acp4j.http.gateway.GatewayFixture.ALICE;
import static dev.acp4j.http.gateway.GatewayFixture.BOB;
import static dev.acp4j.http.gateway.GatewayFixture.facts;
import static dev.acp4j.http.gateway.GatewayFixture.pid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.http.MethodsOfASession;
import dev.acp4j.http.Principal;
import dev.acp4j.http.QuietLog;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.http.ServerLimits;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import dev.acp4j.testkit.FakeTime;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real agents in processes of their own, behind a real server. */
@Timeout(180)
class GatewayTest {
    private static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/list\",\"params\":{}}";

    private static final String NEW_SESSION =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/tmp\",\"mcpServers\":[]}}";

    @TempDir
    private Path folder;

    private static Gateway.Builder agent(String... arguments) {
        return Gateway.builder(HostedProgram.launch(arguments));
    }

    @Test
    @Tag("HST-01")
    void eachConnectionHasAProcessThatEndsWithIt() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            ConnectedAgent first = host.connect(ALICE);
            ConnectedAgent second = host.connect(ALICE);
            String text = first.newSession(folder).prompt("Hello.").text();
            String firstPid = pid(first);
            String secondPid = pid(second);
            first.close();
            GatewayEvent.AgentEnded ended = host.await(GatewayEvent.AgentEnded.class);

            assertThat(text).isEqualTo("Hello.");
            assertThat(secondPid).isNotEqualTo(firstPid);
            assertThat(ended.pid()).isEqualTo(Long.parseLong(firstPid));
            assertThat(ended.reason()).isEqualTo("client_left");
            assertThat(pid(second)).isEqualTo(secondPid);
        }
    }

    @Test
    @Tag("HST-01")
    void aProcessThatWasStartedBeforeIsTakenOnceAndBelongsToItsPrincipal() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent().prestarted(1))) {
            long first = host.await(GatewayEvent.AgentPrestarted.class).pid();
            ConnectedAgent alice = host.connect(ALICE);
            String ofAlice = pid(alice);
            long second = host.await(GatewayEvent.AgentPrestarted.class).pid();
            alice.close();
            long ended = host.await(GatewayEvent.AgentEnded.class).pid();

            assertThat(ofAlice).isEqualTo(Long.toString(first));
            assertThat(ended).isEqualTo(first);
            assertThat(pid(host.connect(BOB))).isEqualTo(Long.toString(second));
        }
    }

    @Test
    @Tag("HST-03")
    @Tag("HST-07")
    void anAgentThatEndsBeforeItsFirstAnswerIsTheErrorOfInitialize() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent("dies", "--api-key=planted-secret"))) {
            assertThatThrownBy(() -> host.connect(ALICE))
                    .hasMessageContaining("exit")
                    .hasMessageContaining("no key, so no agent")
                    .hasMessageNotContaining("planted-secret")
                    .hasMessageNotContaining("HostedProgram");
            assertThat(host.await(GatewayEvent.AgentEnded.class).reason()).isEqualTo("died");
        }
    }

    @Test
    @Tag("HST-03")
    void anAgentThatCannotBeStartedIsTheErrorOfInitialize() throws Exception {
        Gateway.Builder missing = Gateway.builder(Launch.of("no-such-agent-anywhere", "planted-secret"));
        try (GatewayFixture host = new GatewayFixture(folder, missing)) {
            assertThatThrownBy(() -> host.connect(ALICE))
                    .hasMessageContaining("The agent could not be started")
                    .hasMessageNotContaining("planted-secret");
            assertThat(host.await(GatewayEvent.AgentFailed.class).message()).contains("no-such-agent-anywhere");
        }
    }

    @Test
    @Tag("HST-07")
    void anAgentThatDiesAnswersItsOpenRequestsAndEndsItsConnection() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            ConnectedAgent client = host.connect(ALICE);
            Session session = client.newSession(folder);

            assertThatThrownBy(() -> session.prompt("exit 3").result()).hasMessageContaining("exit");
            client.awaitClosed();
            assertThat(pid(host.connect(ALICE))).isNotEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(RemoteAgent.Over.class)
    @Tag("HST-07")
    @Tag("CNX-10")
    void aClientWhoseAgentHasDiedGetsAnotherOneOverEachWay(RemoteAgent.Over over) throws Exception {
        LinkedBlockingQueue<RemoteAgent.State> states = new LinkedBlockingQueue<>();
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            ConnectedAgent client = host.connect(
                    ALICE, remote -> remote.over(over).recovers(true).onState(states::add), builder -> builder);
            Session session = client.newSession(folder);
            String died = pid(client);
            assertThatThrownBy(() -> session.prompt("exit 3").result()).hasMessageContaining("exit");
            RemoteAgent.State state = states.poll(60, TimeUnit.SECONDS);
            while (state == RemoteAgent.State.DOWN || state == RemoteAgent.State.RESUMED) {
                state = states.poll(60, TimeUnit.SECONDS);
            }

            assertThat(state).isEqualTo(RemoteAgent.State.RECOVERED);
            assertThat(pid(client)).isNotEqualTo(died);
        }
    }

    @Test
    @Tag("HST-02")
    void beyondTheLimitNothingIsStartedAndTheClientHearsWhenToComeAgain() throws Exception {
        GatewayLimits one = GatewayLimits.STANDARD.withProcesses(2, 1, 30);
        try (GatewayFixture host = new GatewayFixture(folder, agent().limits(one))) {
            String pid = pid(host.connect(ALICE));
            HttpResponse<String> ofAlice = host.post("/acp", ALICE, GatewayFixture.INITIALIZE);
            String other = pid(host.connect(BOB));
            HttpResponse<String> ofAll = host.post("/acp", BOB, GatewayFixture.INITIALIZE);

            assertThat(ofAlice.statusCode()).isEqualTo(429);
            assertThat(ofAlice.body()).contains("too_many_processes");
            assertThat(ofAlice.headers().firstValue("Retry-After")).isPresent();
            assertThat(ofAll.statusCode()).isEqualTo(503);
            assertThat(other).isNotEqualTo(pid);
            assertThat(host.gateway.metrics()).contains("acp_agents_started_total 2\n");
        }
    }

    @Test
    @Tag("HST-07")
    void anAgentThatDiesAgainAndAgainIsNotStartedForEver() throws Exception {
        GatewayLimits few = GatewayLimits.STANDARD.withProcesses(10, 10, 2);
        try (GatewayFixture host = new GatewayFixture(folder, agent("dies").limits(few))) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> host.connect(ALICE)).hasMessageContaining("no key");
                host.await(GatewayEvent.AgentEnded.class);
            }

            assertThatThrownBy(() -> host.connect(ALICE)).hasMessageContaining("429");
            assertThatThrownBy(() -> host.connect(BOB)).hasMessageContaining("no key");
        }
    }

    @Test
    @Tag("HST-07")
    void anAgentThatKeepsDyingIsStartedAgainAfterAPauseOnly() throws Exception {
        FakeTime time = new FakeTime();
        try (GatewayFixture host = new GatewayFixture(folder, agent("dies").time(time))) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> host.connect(ALICE)).hasMessageContaining("no key");
                host.await(GatewayEvent.AgentEnded.class);
            }
            HttpResponse<String> refused = host.post("/acp", ALICE, GatewayFixture.INITIALIZE);
            int started = host.started();
            time.advance(Duration.ofSeconds(1));

            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.body()).contains("agent_keeps_dying");
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(started).isEqualTo(2);
            assertThatThrownBy(() -> host.connect(ALICE)).hasMessageContaining("no key");
        }
    }

    @Test
    @Tag("HST-08")
    @Tag("HST-14")
    void anAgentSeesNoSecretOfTheServerAndKnowsItsPrincipal() throws Exception {
        Gateway.Builder named =
                Gateway.builder(principal -> HostedProgram.launch().env("ACP_PRINCIPAL", principal.name()));
        try (GatewayFixture host = new GatewayFixture(folder, named)) {
            String environment = facts(host.connect(BOB)).text("environment").orElseThrow();

            assertThat(environment)
                    .contains("ACP_PRINCIPAL=bob")
                    .doesNotContain(ALICE)
                    .doesNotContain(BOB);
        }
    }

    @Test
    @Tag("HST-10")
    @Tag("HST-09")
    void sessionsWorkInTheFolderOfTheirPrincipalOnly() throws Exception {
        Path base = folder.resolve("homes");
        try (GatewayFixture host = new GatewayFixture(folder, agent().roots(PrincipalFolders.in(base)))) {
            ConnectedAgent client = host.connect(ALICE);
            Path own = base.resolve("alice");
            Path inside = Files.createDirectory(own.resolve("project"));
            Path link = Files.createSymbolicLink(own.resolve("out"), folder);

            assertThat(client.newSession(inside).prompt("Hello.").text()).isEqualTo("Hello.");
            for (Path outside : List.of(folder, link, own.resolve("../bob"), own.resolve("missing"))) {
                assertThatThrownBy(() -> client.newSession(outside)).hasMessageContaining("is no folder in");
            }
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                    .isEqualTo("rwx------");
            assertThat(host.await(GatewayEvent.SessionRefused.class).reason()).isEqualTo("outside_root");
        }
    }

    @Test
    @Tag("HST-12")
    void sessionsOfOthersLookLikeThoseThatNeverWere() throws Exception {
        // The agent itself keeps sessions for all that use one process, and would show them to both.
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            ConnectedAgent alice = host.connect(ALICE);
            Session session = alice.newSession(folder);
            SessionId id = session.id();
            ConnectedAgent bob = host.connect(BOB);
            String unknown = failure(() -> bob.loadSession(SessionId.of("never"), folder));

            bob.deleteSession(id);
            for (Attempt attempt :
                    List.<Attempt>of(() -> bob.loadSession(id, folder), () -> bob.resumeSession(id, folder))) {
                assertThat(failure(attempt).replaceAll("session/\\w+", "session/load"))
                        .isEqualTo(unknown.replace("never", id.value()));
            }
            assertThat(ids(alice)).containsExactly(id.value());
            assertThat(ids(bob)).isEmpty();
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.");
        }
    }

    /** An agent that takes every session for its own, as agents do that keep all in one folder. */
    private static Gateway.Builder lax(boolean perUser) {
        Gateway.Builder lax = Gateway.builder(OverlappingAgent.launch());
        return perUser ? lax.perUser() : lax;
    }

    /** Sends a request with params by hand, and returns the answer. */
    private static String answer(GatewayFixture host, String token, String connection, int id, String call)
            throws Exception {
        HttpResponse<String> taken = host.call(token, connection, request(id, call));
        assertThat(taken.statusCode()).as(taken.body()).isEqualTo(202);
        return host.line(token, connection, "\"id\":" + id + ",").replace("\"id\":" + id + ",", "");
    }

    private static String request(int id, String call) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":" + call + "}";
    }

    private static String call(String method, String sessions) {
        return "\"" + method + "\",\"params\":{\"cwd\":\"/tmp\",\"mcpServers\":[]," + sessions + "}";
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("HST-12")
    void noRequestReachesASessionOfOthers(boolean perUser) throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, lax(perUser))) {
            String alice = host.initialize(ALICE);
            for (int i = 1; i <= 3; i++) {
                String unused = answer(host, ALICE, alice, i, call("session/new", "\"_\":0"));
            }
            String bob = host.initialize(BOB);
            String own = answer(host, BOB, bob, 1, call("session/new", "\"_\":0"));
            int id = 1;
            for (Method<?, ?> method : MethodsOfASession.all()) {
                if (!method.isNotification()) {
                    String name = method.name();
                    String never = answer(host, BOB, bob, ++id, call(name, "\"sessionId\":\"never\""));
                    String foreign = answer(host, BOB, bob, ++id, call(name, "\"sessionId\":\"test-3\""));
                    String two = call(name, "\"sessionId\":\"test-1\",\"sessionId\":\"test-3\"");

                    assertThat(never).as(name).contains("-32002");
                    assertThat(plain(foreign, "test-3")).isEqualTo(plain(never, "never"));
                    assertThat(host.call(BOB, bob, request(++id, two)).statusCode())
                            .isEqualTo(400);
                }
            }

            assertThat(own).contains("test-1");
        }
    }

    /** An answer without what differs from stream to stream. */
    private static String plain(String answer, String session) {
        return answer.replace(session, "SESSION").replaceAll("\"acp/cursor\":\"[^\"]*\"", "");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("HST-10")
    void whateverOpensASessionNamesFoldersOfItsPrincipalOnly(boolean perUser) throws Exception {
        Path base = folder.resolve("homes");
        Path own = PrincipalFolders.in(base).of(Principal.of("alice"));
        Path link = Files.createSymbolicLink(own.resolve("out"), folder);
        Gateway.Builder rooted = lax(perUser).roots(PrincipalFolders.in(base));
        try (GatewayFixture host = new GatewayFixture(folder, rooted)) {
            String alice = host.initialize(ALICE);
            int id = 0;
            String inside = "\"cwd\":" + RawJson.string(own.toString());
            for (int i = 0; i < 2; i++) {
                String made = answer(host, ALICE, alice, ++id, opening("session/new", inside));
                assertThat(made).contains("test-");
            }
            // One that is open is not opened again.
            String unused = answer(host, ALICE, alice, ++id, opening("session/close", inside));
            for (String method : List.of("session/new", "session/load", "session/resume", "session/fork")) {
                for (String path : List.of("/etc", link.toString(), "project")) {
                    RawJson text = RawJson.string(path);
                    String cwd = answer(host, ALICE, alice, ++id, opening(method, "\"cwd\":" + text));
                    String more = answer(
                            host,
                            ALICE,
                            alice,
                            ++id,
                            opening(method, inside + ",\"additionalDirectories\":[" + text + "]"));

                    assertThat(cwd)
                            .as(method)
                            .contains("-32602")
                            .contains("cwd: ")
                            .contains(path);
                    assertThat(more)
                            .as(method)
                            .contains("-32602")
                            .contains("additionalDirectories: ")
                            .contains(path);
                }
                String noList = answer(
                        host, ALICE, alice, ++id, opening(method, inside + ",\"additionalDirectories\":\"/etc\""));
                assertThat(noList).as(method).contains("-32602").contains("additionalDirectories: expected an array");
            }
        }
    }

    private static String opening(String method, String folders) {
        String session = method.equals("session/new") ? "" : ",\"sessionId\":\"test-2\"";
        return "\"" + method + "\",\"params\":{\"mcpServers\":[]," + folders + session + "}";
    }

    @FunctionalInterface
    private interface Attempt {
        void run() throws Exception;
    }

    private static String failure(Attempt attempt) {
        try {
            attempt.run();
            return "";
        } catch (Exception e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static List<String> ids(ConnectedAgent agent) {
        return StreamSupport.stream(agent.listSessions(null).spliterator(), false)
                .map(info -> info.sessionId().value())
                .toList();
    }

    @Test
    @Tag("HST-12")
    void whoseASessionIsIsKnownAfterARestart() throws Exception {
        Path owners = folder.resolve("owners.jsonl");
        SessionId id;
        try (GatewayFixture host = new GatewayFixture(folder, agent().sessionOwners(owners))) {
            id = host.connect(ALICE).newSession(folder).id();
        }
        try (SessionOwners read = SessionOwners.read(owners, InstantSource.system())) {
            assertThat(read.owns(Principal.of("alice"), id.value())).isTrue();
            assertThat(read.owns(Principal.of("bob"), id.value())).isFalse();
        }
    }

    @Test
    @Tag("HST-12")
    void theFileOfOwnersHasALineForEachSessionAfterARestart() throws Exception {
        Path owners = folder.resolve("owners.jsonl");
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-01T12:00:00Z"));
        SessionId id;
        String gone;
        try (GatewayFixture host =
                new GatewayFixture(folder, agent().clock(now::get).sessionOwners(owners))) {
            ConnectedAgent client = host.connect(ALICE);
            Session first = client.newSession(folder);
            id = first.id();
            gone = client.newSession(folder).id().value();
            client.deleteSession(SessionId.of(gone));
            now.set(Instant.parse("2026-11-02T12:00:00Z"));
            first.close();
            Session unused = client.resumeSession(id, folder);
        }
        assertThat(owners).content().hasLineCount(4);

        try (GatewayFixture host = new GatewayFixture(folder, agent().sessionOwners(owners))) {
            assertThat(host.started()).isZero();
            assertThatThrownBy(() -> agent().sessionOwners(owners).build()).hasMessageContaining("in another process");
        }
        try (SessionOwners read = SessionOwners.read(owners, now::get)) {
            assertThat(read.owns(Principal.of("alice"), id.value())).isTrue();
            assertThat(read.owns(Principal.of("alice"), gone)).isFalse();
            assertThat(read.unused(Principal.of("alice"), 0)).isEmpty();
        }
        assertThat(owners).content().hasLineCount(1).contains("2026-11-02");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(owners)))
                .isEqualTo("rw-------");
    }

    @Test
    @Tag("HST-13")
    void aSessionThatIsNotUsedForDaysIsDeletedAndOneThatIsOpenIsNot() throws Exception {
        FakeTime time = new FakeTime();
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-01T12:00:00Z"));
        Gateway.Builder month =
                agent().perUser().deleteUnused(30).time(time).clock(now::get).sessionOwners(folder.resolve("owners"));
        try (GatewayFixture host = new GatewayFixture(folder, month)) {
            ConnectedAgent alice = host.connect(ALICE);
            Session old = alice.newSession(folder);
            Session open = alice.newSession(folder);
            old.close();
            Session ofBob = host.connect(BOB).newSession(folder);
            now.set(Instant.parse("2026-12-02T12:00:00Z"));
            time.advance(Duration.ofHours(1));
            GatewayEvent.SessionRemoved removed = host.await(GatewayEvent.SessionRemoved.class);

            assertThat(removed.principal().name()).isEqualTo("alice");
            assertThat(ids(alice)).containsExactly(open.id().value());
            assertThat(open.prompt("Hello.").text()).isEqualTo("Hello.");
            assertThat(ofBob.prompt("Hello.").text()).isEqualTo("Hello.");
            assertThat(failure(() -> alice.loadSession(old.id(), folder))).isNotEmpty();
        }
    }

    @Test
    @Tag("HST-13")
    void aSessionThatTheAgentHasNoLongerKeepsNoOtherFromBeingDeleted() throws Exception {
        FakeTime time = new FakeTime();
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-01T12:00:00Z"));
        Path owners = folder.resolve("owners");
        Gateway.Builder month = Gateway.builder(OverlappingAgent.launch("loses"))
                .deleteUnused(30)
                .time(time)
                .clock(now::get)
                .sessionOwners(owners);
        try (GatewayFixture host = new GatewayFixture(folder, month)) {
            String alice = host.initialize(ALICE);
            for (int i = 1; i <= 3; i++) {
                String unused = answer(host, ALICE, alice, i, call("session/new", "\"_\":0"));
            }
            for (int i = 1; i <= 2; i++) {
                String unused =
                        answer(host, ALICE, alice, 3 + i, call("session/close", "\"sessionId\":\"test-" + i + "\""));
            }
            now.set(Instant.parse("2026-12-02T12:00:00Z"));
            time.advance(Duration.ofHours(1));

            assertThat(host.poll(GatewayEvent.SessionRemoved.class, Duration.ofSeconds(20)))
                    .isNotNull();
            assertThat(host.poll(GatewayEvent.SessionRemoved.class, Duration.ofSeconds(20)))
                    .isNotNull();
        }
        try (SessionOwners read = SessionOwners.read(owners, now::get)) {
            Principal alice = Principal.of("alice");
            assertThat(read.owns(alice, "test-1")).isFalse();
            assertThat(read.owns(alice, "test-2")).isFalse();
            assertThat(read.owns(alice, "test-3")).isTrue();
        }
    }

    @Test
    @Tag("HST-40")
    void aSessionThatIsBeingOpenedCounts() throws Exception {
        Gateway.Builder one =
                Gateway.builder(OverlappingAgent.launch("slow")).limits(GatewayLimits.STANDARD.withSessions(1));
        try (GatewayFixture host = new GatewayFixture(folder, one)) {
            String first = host.initialize(ALICE);
            String second = host.initialize(ALICE);
            host.call(ALICE, first, NEW_SESSION);
            // The agent has got that when it answers this.
            String unused = answer(host, ALICE, first, 2, "\"_test/deleted\"");
            String refused = answer(host, ALICE, second, 1, call("session/new", "\"_\":0"));
            host.call(ALICE, first, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"_test/release\"}");

            assertThat(refused).contains("too_many_sessions");
            assertThat(host.line(ALICE, first, "\"id\":1,")).contains("test-1");
        }
    }

    @Test
    @Tag("HST-40")
    void aForkOfAnOpenSessionIsOneMore() throws Exception {
        Gateway.Builder one = Gateway.builder(OverlappingAgent.launch()).limits(GatewayLimits.STANDARD.withSessions(1));
        try (GatewayFixture host = new GatewayFixture(folder, one)) {
            String connection = host.initialize(ALICE);
            String unused = answer(host, ALICE, connection, 1, call("session/new", "\"_\":0"));
            String fork = call("session/fork", "\"sessionId\":\"test-1\"");
            HttpResponse<String> taken =
                    host.call(ALICE, connection, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":" + fork + "}");
            HttpRequest.Builder session = host.request("/acp", ALICE)
                    .header("Acp-Connection-Id", connection)
                    .header("Acp-Session-Id", "test-1");

            assertThat(taken.statusCode()).isEqualTo(202);
            assertThat(host.line(session, "\"id\":2,")).contains("too_many_sessions");
        }
    }

    @Test
    @Tag("HST-40")
    void aPrincipalHasSoManySessionsAndRequestsOnly() throws Exception {
        GatewayLimits one = GatewayLimits.STANDARD.withSessions(1);
        try (GatewayFixture host = new GatewayFixture(
                folder, agent().limits(one), server -> server.limits(ServerLimits.STANDARD.withRequestsPerMinute(6)))) {
            ConnectedAgent alice = host.connect(ALICE);
            Session session = alice.newSession(folder);
            String sessions = failure(() -> alice.newSession(folder));
            String connection = host.initialize(ALICE);
            HttpResponse<String> refused = host.call(ALICE, connection, LIST);
            for (int i = 1; i < 10 && refused.statusCode() == 202; i++) {
                refused = host.call(ALICE, connection, LIST);
            }

            assertThat(session.id().value()).isNotEmpty();
            assertThat(sessions).contains("too many sessions");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(host.connect(BOB).newSession(folder).prompt("Hello.").text())
                    .isEqualTo("Hello.");
        }
    }

    @Test
    @Tag("HST-40")
    void aPrincipalBeginsSoManyTurnsADayOnly() throws Exception {
        FakeTime time = new FakeTime();
        GatewayLimits two = GatewayLimits.STANDARD.withTurnsPerDay(2);
        try (GatewayFixture host =
                new GatewayFixture(folder, agent().limits(two).time(time))) {
            Session session = host.connect(ALICE).newSession(folder);
            assertThat(session.prompt("One.").text()).isEqualTo("One.");
            assertThat(session.prompt("Two.").text()).isEqualTo("Two.");
            String refused = failure(() -> session.prompt("Three.").result());
            String ofBob = host.connect(BOB).newSession(folder).prompt("Hello.").text();
            time.advance(Duration.ofDays(1));

            assertThat(refused).contains("too many turns: 2 are allowed in a day");
            assertThat(ofBob).isEqualTo("Hello.");
            assertThat(session.prompt("Four.").text()).isEqualTo("Four.");
            assertThat(host.gateway.metrics()).contains("acp_turns_refused_total{reason=\"too_many_turns\"} 1\n");
        }
    }

    @Test
    @Tag("HST-37")
    void whatWaitsAndWhatIsKeptIsCounted() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            Session session = host.connect(ALICE).newSession(folder);
            assertThat(session.prompt("say " + "x".repeat(20_000)).text()).hasSize(20_000);
            ServerEvent.BytesHeld held =
                    host.awaitServer(ServerEvent.BytesHeld.class, event -> event.retained() > 20_000);

            assertThat(host.gateway.metrics()).contains("\nacp_bytes_retained " + held.retained() + "\n");
            assertThat(host.gateway.metrics()).contains("\nacp_bytes_queued 0\n");
        }
    }

    @Test
    @Tag("HST-45")
    void whatHappensToOneAgentDoesNotReachTheOthers() throws Exception {
        ServerLimits small = ServerLimits.STANDARD.withMessageBytes(200_000).withQueuedBytes(200_000);
        try (GatewayFixture host = new GatewayFixture(folder, agent(), server -> server.limits(small))) {
            Session others = host.connect(BOB).newSession(folder);
            String stalled = host.initialize(ALICE);
            String large = host.initialize(ALICE);
            // It writes more than may wait for a client that reads nothing.
            host.call(ALICE, stalled, NEW_SESSION);
            host.call(ALICE, stalled, prompt("say " + "x".repeat(150_000) + "\nsay " + "y".repeat(150_000)));
            assertThat(others.prompt("Beside a stalled one.").text()).isEqualTo("Beside a stalled one.");
            HttpResponse<String> refused = host.call(ALICE, large, prompt("z".repeat(300_000)));
            assertThat(others.prompt("Beside a large one.").text()).isEqualTo("Beside a large one.");
            for (int i = 0; i < 200; i++) {
                host.call(ALICE, large, LIST);
            }
            assertThat(others.prompt("Beside a flood.").text()).isEqualTo("Beside a flood.");
            ConnectedAgent dying = host.connect(ALICE);
            assertThatThrownBy(() -> dying.newSession(folder).prompt("exit 3").result())
                    .hasMessageContaining("exit");

            assertThat(refused.statusCode()).isEqualTo(413);
            assertThat(others.prompt("Beside a dead one.").text()).isEqualTo("Beside a dead one.");
        }
    }

    private static String prompt(String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"test-1\","
                + "\"prompt\":[{\"type\":\"text\",\"text\":" + RawJson.string(text) + "}]}}";
    }

    @Test
    @Tag("HST-37")
    void healthAndReadinessAreForEverybodyAndMetricsForThoseWithACredential() throws Exception {
        try (GatewayFixture host = new GatewayFixture(folder, agent())) {
            Session session = host.connect(ALICE).newSession(folder);
            String unused = session.prompt("Hello.").text();
            HttpResponse<String> refused = host.get("/metrics", "");
            String metrics = host.get("/metrics", BOB).body();

            assertThat(probe(host.uri(), "/health")).startsWith("HTTP/1.1 200").endsWith("{\"live\":true}");
            assertThat(probe(host.uri(), "/ready")).startsWith("HTTP/1.1 200").endsWith("{\"ready\":true}");
            assertThat(probe(host.uri(), "/metrics")).startsWith("HTTP/1.1 403");
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(metrics)
                    .contains("acp_agents 1\n", "acp_sessions 1\n", "acp_connections 1\n")
                    .contains("acp_turn_seconds_count 1\n")
                    .contains("acp_refusals_total{status=\"401\",reason=\"unauthorized\"} 1\n")
                    .doesNotContain("alice", session.id().value());
            host.server.close();
            assertThat(host.server.isReady()).isFalse();
        }
    }

    /** Asks as probes do that know an address only. */
    private static String probe(URI server, String path) throws Exception {
        try (Socket socket = new Socket(server.getHost(), server.getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: 10.0.0.5:8443\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    @Tag("HST-37")
    @Tag("DUR-23")
    void resumedStreamsAndEndsAreCountedAndAFullServerIsNotReady() throws Exception {
        ServerLimits one = ServerLimits.STANDARD.withConnections(1, 1);
        try (GatewayFixture host = new GatewayFixture(folder, agent(), server -> server.limits(one))) {
            int before = host.get("/ready", "").statusCode();
            String connection = host.initialize(ALICE);
            int full = host.get("/ready", "").statusCode();
            host.call(ALICE, connection, LIST);
            host.awaitLine(
                    host.request("/acp", ALICE)
                            .header("Acp-Connection-Id", connection)
                            .header("Last-Event-ID", "0"),
                    "\"id\":1");
            host.leave(ALICE, connection);
            host.awaitServer(ServerEvent.ConnectionEnded.class, event -> true);

            assertThat(before).isEqualTo(200);
            assertThat(full).isEqualTo(503);
            assertThat(host.get("/ready", "").statusCode()).isEqualTo(200);
            assertThat(host.gateway.metrics())
                    .contains("acp_streams_resumed_total 1\n")
                    .containsPattern("acp_connections_ended_total\\{reason=\"[A-Za-z_]+\"} 1\n");
        }
    }

    @Test
    @Tag("HST-38")
    void aListenerThatFailsBreaksNothing() throws Exception {
        try (QuietLog log = new QuietLog();
                GatewayFixture host = new GatewayFixture(folder, agent(), server -> server, event -> {
                    throw new IllegalStateException("a listener of a test");
                })) {
            Session session = host.connect(ALICE, client -> client.onPermission(PermissionQuestion::allowOnce))
                    .newSession(folder);
            String text = session.prompt("choose May I?").text();
            String metrics = host.gateway.metrics();

            assertThat(text).contains("allow");
            assertThat(metrics).contains("acp_questions_open 0\n").contains("acp_agents_started_total 1\n");
            assertThat(log.messages).contains("a listener for events of the gateway has failed");
        }
    }

    @Test
    @Tag("HST-06")
    void noProcessIsLeftWhenTheGatewayIsClosed() throws Exception {
        long pid;
        try (GatewayFixture host = new GatewayFixture(folder, agent().prestarted(1))) {
            pid = Long.parseLong(pid(host.connect(ALICE)));
        }

        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(ProcessHandle.current().children().filter(GatewayTest::isAgent))
                .isEmpty();
    }

    private static boolean isAgent(ProcessHandle process) {
        return process.info().commandLine().orElse("").contains(HostedProgram.class.getName());
    }

    @Test
    @Tag("HST-09")
    void clientsOfANewPrincipalThatComeAtOnceGetOneFolder() throws Exception {
        PrincipalFolders folders = PrincipalFolders.in(folder);
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 200; i++) {
                Principal principal = Principal.of("user-" + i);
                CyclicBarrier all = new CyclicBarrier(8);
                List<Callable<Path>> clients = Collections.nCopies(8, () -> {
                    all.await();
                    return folders.of(principal);
                });
                for (Future<Path> found : threads.invokeAll(clients)) {
                    assertThat(found.get()).isEqualTo(folder.toRealPath().resolve("user-" + i));
                }
            }
        }
    }

    @Test
    @Tag("HST-09")
    void namesOfFoldersLeadNowhereElseAndDoNotCollide() {
        assertThat(PrincipalFolders.name("alice")).isEqualTo("alice");
        assertThat(PrincipalFolders.name("Alice")).isEqualTo("_41lice");
        assertThat(PrincipalFolders.name("../bob")).isEqualTo("_2e_2e_2fbob");
        assertThat(PrincipalFolders.name("nul")).isEqualTo("_6eul");
        assertThat(PrincipalFolders.name("")).isEqualTo("_");
        assertThat(PrincipalFolders.name("x".repeat(300))).hasSizeLessThan(200);
        assertThat(PrincipalFolders.name("x".repeat(300))).isNotEqualTo(PrincipalFolders.name("x".repeat(301)));
    }
}
