package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.acp4j.AuthenticationRequiredException;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ElicitationQuestion;
import dev.acp4j.Entry;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.it.ForeignAgent.Way;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.Version;
import dev.acp4j.testkit.LeakRule;
import dev.acp4j.workspace.Workspace;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Our client drives agents of the official TypeScript SDK. */
@Timeout(300)
@Tag("TST-08")
@ExtendWith(LeakRule.class)
class TypeScriptAgentTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    @RegisterExtension
    final ForeignAgent peer = new ForeignAgent();

    @TempDir
    Path folder;

    private static ConnectedAgent connect(Client.Builder client) throws Exception {
        return client.connect(
                Launch.of("node", NodePrograms.folder().resolve("agent.mjs").toString()));
    }

    private static Client.Builder client() {
        return Client.builder("acp4j-it", "1");
    }

    @Test
    void allUpdatesOfABurstAreHandledBeforeTheTurnEnds() throws Exception {
        CompletableFuture<@Nullable Void> release = new CompletableFuture<>();
        AtomicInteger handled = new AtomicInteger();
        try (ConnectedAgent agent = connect(client().onEvent((session, event) -> {
            release.join();
            handled.incrementAndGet();
        }))) {
            Session other = agent.newSession(HERE);
            Turn turn = agent.newSession(HERE).prompt("burst");
            FutureTask<Integer> handledAtTheEnd = new FutureTask<>(() -> {
                turn.result();
                return handled.get();
            });
            Thread.ofVirtual().start(handledAtTheEnd);

            // The agent answers in order, so the result has been read, and there is time enough to return it too early.
            for (int i = 0; i < 20; i++) {
                other.prompt("nothing").result();
            }
            assertThat(turn.isDone()).isFalse();
            release.complete(null);

            assertThat(handledAtTheEnd.get(60, TimeUnit.SECONDS)).isEqualTo(500);
        }
    }

    @Test
    void permissionAndFilesAndCancelAndLoad() throws Exception {
        Client.Builder client = client().onPermission(request -> request.allowOnce())
                .onReadTextFile((session, request) -> "content of " + request.path());
        try (ConnectedAgent agent = connect(client)) {
            Session session = agent.newSession(HERE);

            assertThat(session.prompt("ask").result().stopReason()).isEqualTo(StopReason.END_TURN);
            assertThat(session.view().toolCalls())
                    .singleElement()
                    .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED));
            assertThat(session.prompt("read /some/file").text()).isEqualTo("content of /some/file");

            Turn turn = session.prompt("wait");
            for (SessionEvent unused : turn) {
                turn.cancel();
            }
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);

            session.close();
            Session loaded = agent.loadSession(session.id(), HERE);
            assertThat(loaded.view().messages().get(0).text()).startsWith("ask");
        }
    }

    /** Every entry point of the SDK on standard input and output, and one over each other way. */
    private static List<Object[]> ways(String entryPoint, String withDrafts) {
        return List.of(
                new Object[] {entryPoint, Way.STDIO},
                new Object[] {withDrafts, Way.STDIO},
                new Object[] {entryPoint, Way.EVENTS},
                new Object[] {entryPoint, Way.WEBSOCKET});
    }

    static List<Object[]> ways() {
        return ways(NodePrograms.SDK, NodePrograms.SDK_WITH_DRAFTS);
    }

    static List<Object[]> waysOfVersionTwo() {
        return ways(NodePrograms.SDK_V2, NodePrograms.SDK_V2_WITH_DRAFTS);
    }

    /** Checks that everything was called, and what both sides sent. */
    private void assertEverything(Version version, boolean hasDrafts) throws Exception {
        OfficialSchema schema = WireLog.schema(version);
        WireLog wire = new WireLog(peer.wire());
        assertThat(wire.faults(schema)).isEmpty();
        assertThat(wire.updates()).containsAll(schema.updates(hasDrafts));
        assertThat(ClientProgram.methods(peer.wire(), "-->")).containsAll(schema.methodsFrom("client"));
        assertThat(ClientProgram.methods(peer.wire(), "<--")).containsAll(schema.methodsFrom("agent"));
        assertThat(peer.problems()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void everyMethodIsCalledAndEveryCallbackAnswered(String entryPoint, Way way) throws Exception {
        List<ElicitationId> completed = new CopyOnWriteArrayList<>();
        Client.Builder client = Workspace.offerTo(client())
                .onPermission(PermissionQuestion::allowOnce)
                .onElicitation(new Answers(completed));
        try (ConnectedAgent agent = peer.connect(client, way, "every-agent.mjs", entryPoint)) {
            AuthenticationRequiredException refused =
                    catchThrowableOfType(AuthenticationRequiredException.class, () -> agent.newSession(folder));
            assertThat(refused.methods())
                    .hasToString(agent.authMethods().toString())
                    .hasSize(1);
            agent.authenticate(AuthMethodId.of("token"));
            Session session = agent.newSession(folder);

            callbacks(session);
            assertThat(completed).extracting(ElicitationId::value).containsExactly("login-1");
            changes(session);
            reopens(session);

            agent.logout();
            assertThatThrownBy(() -> agent.newSession(folder)).isInstanceOf(AuthenticationRequiredException.class);
            assertEverything(Version.V1, entryPoint.equals(NodePrograms.SDK_WITH_DRAFTS));
            peer.end(agent);
        }
    }

    private void callbacks(Session session) throws InterruptedException {
        session.prompt("permission").result();
        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED));
        assertThat(session.prompt("form").text()).isEqualTo("hello Ada");
        assertThat(session.prompt("url").text()).isEqualTo("logged in");
        assertThat(session.prompt("files " + session.cwd()).text()).isEqualTo("two");
        assertThat(folder.resolve("written.txt")).hasContent("one\ntwo\nthree\n");
        assertThat(session.prompt("terminal").text()).isEqualTo("hello 0");
        assertThat(session.prompt("kill").text()).isEqualTo("killed");
        assertThat(session.prompt("updates").text()).isEqualTo("It is 4.done");
        assertThat(session.view().title()).contains("Sums");
        Turn turn = session.prompt("wait");
        for (SessionEvent unused : turn) {
            turn.cancel();
        }
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    private static void changes(Session session) throws InterruptedException {
        session.setConfigOption("mode", "code");
        session.setConfigOption(
                SessionConfigId.of("level"), SessionConfigOptionValue.of(SessionConfigValueId.of("high")));

        assertThat(session.view().configOption(SessionConfigOptionCategory.MODE).toString())
                .contains("currentValue=code");
        assertThat(session.view().configOptions().toString()).contains("currentValue=high");
    }

    private void reopens(Session session) throws InterruptedException {
        ConnectedAgent agent = session.agent();
        assertThat(agent.listSessions(null)).extracting(SessionInfo::sessionId).containsExactly(session.id());
        session.close();
        Session loaded = agent.loadSession(session.id(), folder);
        assertThat(loaded.view().messages()).extracting(Entry.Message::text).containsExactly("said before");
        loaded.close();
        Session resumed = agent.resumeSession(session.id(), folder);
        assertThat(resumed.view().messages()).isEmpty();
        agent.deleteSession(session.id());
        assertThat(agent.listSessions(null)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("waysOfVersionTwo")
    void everyMethodOfVersionTwoIsCalledAndEveryCallbackAnswered(String entryPoint, Way way) throws Exception {
        List<ElicitationId> completed = new CopyOnWriteArrayList<>();
        CountDownLatch asked = new CountDownLatch(1);
        Client.Builder client = Workspace.offerTo(client())
                .protocol(Version.values())
                .onPermission(question -> {
                    if (question.title().equals("Go on?")) {
                        asked.countDown();
                        new CountDownLatch(1).await();
                    }
                    return question.allowOnce();
                })
                .onElicitation(new Answers(completed));
        try (ConnectedAgent agent = peer.connect(client, way, "every-agent-v2.mjs", entryPoint)) {
            assertThat(agent.protocolVersion()).isEqualTo(2);
            assertThatThrownBy(() -> agent.newSession(folder)).isInstanceOf(AuthenticationRequiredException.class);
            agent.authenticate(AuthMethodId.of("token"));
            Session session = agent.newSession(folder);

            questions(session);
            assertThat(completed).extracting(ElicitationId::value).containsExactly("login-1");
            updates(session);
            cancellations(session, asked);
            changes(session);
            reopens(session);

            agent.logout();
            assertThatThrownBy(() -> agent.newSession(folder)).isInstanceOf(AuthenticationRequiredException.class);
            assertEverything(Version.V2, entryPoint.equals(NodePrograms.SDK_V2_WITH_DRAFTS));
            peer.end(agent);
        }
    }

    private static void questions(Session session) throws InterruptedException {
        session.prompt("permission").result();
        assertThat(session.view().toolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED));
        assertThat(session.prompt("command").text()).isEqualTo("yes");
        assertThat(session.prompt("form").text()).isEqualTo("hello Ada");
        assertThat(session.prompt("url").text()).isEqualTo("logged in");
        assertThatThrownBy(() -> session.prompt("fail").result()).hasMessageContaining("broken");
    }

    private static void updates(Session session) throws InterruptedException {
        assertThat(session.prompt("updates").text()).isEqualTo("It is 4.done");
        assertThat(session.view().messages())
                .extracting(Entry.Message::text)
                .contains("And ", "Let me see.", "It is 4.");
        assertThat(session.view()
                        .toolCall(ToolCallId.of("call-1"))
                        .orElseThrow()
                        .content())
                .hasSize(3);
        Entry.Terminal terminal =
                session.view().terminal(TerminalId.of("term-1")).orElseThrow();
        assertThat(terminal.output()).isEqualTo("built\n");
        assertThat(terminal.exitStatus()).isEqualTo(TerminalExitStatus.exited(0));
        assertThat(session.view().plan()).hasSize(1);
        assertThat(session.view().commands()).hasSize(1);
        assertThat(session.view().title()).contains("Sums");
        assertThat(session.view().usage()).isPresent();
        assertThat(session.view().notices()).hasSize(1);
        assertThat(session.view().compactions())
                .singleElement()
                .satisfies(compaction -> assertThat(compaction.summary()).hasSize(1));
    }

    private static void cancellations(Session session, CountDownLatch asked) throws InterruptedException {
        Turn build = session.prompt("cancel-call");
        for (SessionEvent event : build) {
            if (event instanceof SessionEvent.ToolCallChanged changed
                    && changed.call().isCancellable()) {
                session.cancel(changed.call().id());
            }
        }
        assertThat(session.view()
                        .toolCall(ToolCallId.of("call-1"))
                        .orElseThrow()
                        .status())
                .isEqualTo(ToolCallStatus.CANCELLED);
        Turn serve = session.prompt("cancel-terminal");
        for (SessionEvent event : serve) {
            if (event instanceof SessionEvent.TerminalChanged changed
                    && changed.terminal().isCancellable()) {
                session.cancel(changed.terminal().id());
            }
        }
        assertThat(session.view()
                        .terminal(TerminalId.of("term-2"))
                        .orElseThrow()
                        .exitStatus())
                .isEqualTo(TerminalExitStatus.killed("SIGTERM"));
        Turn asking = session.prompt("asking");
        asked.await();
        asking.cancel();
        assertThat(asking.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    /** A user who fills in every form with one name and goes to every URL. */
    private record Answers(List<ElicitationId> completed) implements Client.ElicitationHandler {
        @Override
        public CreateElicitationResponse elicit(ElicitationQuestion request) {
            return request.request() instanceof CreateElicitationRequest.Form
                    ? CreateElicitationResponse.accept(Map.of("name", ElicitationContentValue.of("Ada")))
                    : CreateElicitationResponse.accept(Map.of());
        }

        @Override
        public void completed(ConnectedAgent agent, ElicitationId elicitation) {
            completed.add(elicitation);
        }
    }
}
