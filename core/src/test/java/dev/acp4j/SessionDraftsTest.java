package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ForkSessionRequest;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.SessionArchiveFilter;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionStatus;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.SystemPrompt;
import dev.acp4j.schema.SystemPromptMode;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What drafts let clients do with sessions, in both versions of the protocol. */
@Timeout(20)
final class SessionDraftsTest {
    private static final SessionId STORED = SessionId.of("stored");
    private static final SessionId UNKNOWN = SessionId.of("unknown");

    @RegisterExtension
    final Joined joined = new Joined();

    /** An agent that keeps sessions: what was said in them, and which are archived. */
    private static final class Store {
        final Map<SessionId, List<String>> said = new ConcurrentHashMap<>();
        final Map<SessionId, String> titles = new ConcurrentHashMap<>();
        final Set<SessionId> archived = ConcurrentHashMap.newKeySet();
        final Set<SessionId> closed = ConcurrentHashMap.newKeySet();

        Store() {
            said.put(STORED, new ArrayList<>(List.of("before")));
        }

        Agent.Builder agent() {
            return Joined.agent(this::prompt)
                    .protocol(Version.V1, Version.V2)
                    .onNewSession(session -> said.put(session.id(), new ArrayList<>()))
                    .onCloseSession(session -> closed.add(session.id()))
                    .onListSessions((client, request) -> list(request))
                    .onForkSession((session, source) -> said.put(session.id(), new ArrayList<>(of(source))))
                    .onArchiveSession((client, id, isArchived) -> {
                        List<String> unused = of(id);
                        boolean unusedToo = isArchived ? archived.add(id) : archived.remove(id);
                    })
                    .onSessionStatus((client, id) -> said.containsKey(id))
                    .onSetTitle((client, id, title) -> {
                        if (title.isBlank()) {
                            throw RpcError.invalidParams("params.title: expected a name");
                        }
                        List<String> unused = of(id);
                        titles.put(id, title.strip());
                        return title.strip();
                    });
        }

        List<String> of(SessionId id) {
            List<String> known = said.get(id);
            if (known == null) {
                throw RpcError.sessionNotFound(id.value());
            }
            return known;
        }

        private void prompt(AgentTurn turn) {
            List<String> all = of(turn.sessionId());
            all.add(turn.text());
            turn.message(String.join(", ", all));
        }

        private ListSessionsResponse list(ListSessionsRequest request) {
            SessionArchiveFilter filter = request.archived();
            List<SessionInfo> found = new ArrayList<>();
            for (SessionId id : said.keySet()) {
                boolean isArchived = archived.contains(id);
                boolean isWanted = SessionArchiveFilter.INCLUDE.equals(filter)
                        || isArchived == SessionArchiveFilter.ONLY.equals(filter);
                if (isWanted) {
                    found.add(SessionInfo.builder(id, Joined.HERE.toString())
                            .archived(isArchived)
                            .build());
                }
            }
            return ListSessionsResponse.builder(found).build();
        }
    }

    private final Store store = new Store();

    private ConnectedAgent connect(Version version) throws Exception {
        return connect(store.agent(), version);
    }

    private ConnectedAgent connect(Agent.Builder agent, Version version) throws Exception {
        return joined.join(
                agent.protocol(Version.V1, Version.V2), Joined.client().protocol(version));
    }

    private static List<SessionId> ids(Iterable<SessionInfo> sessions) {
        List<SessionId> ids = new ArrayList<>();
        sessions.forEach(session -> ids.add(session.sessionId()));
        return ids;
    }

    // ---- the switch

    @ParameterizedTest
    @EnumSource
    void nothingOfADraftIsOfferedWithoutItsHandler(Version version) throws Exception {
        ConnectedAgent agent = connect(Joined.agent(turn -> {}), version);

        assertThat(agent.raw().toString())
                .doesNotContain(
                        "fork", "archive", "\"status\"", "\"title\"", "systemPrompt", "providers", "\"acp\":true");
        for (Feature feature : List.of(
                Feature.FORK_SESSION,
                Feature.ARCHIVE_SESSION,
                Feature.SESSION_STATUS,
                Feature.SET_TITLE,
                Feature.SYSTEM_PROMPT,
                Feature.SYSTEM_PROMPT_OVERRIDE,
                Feature.PROVIDERS,
                Feature.AUTH_STATUS,
                Feature.MCP_ACP)) {
            assertThat(agent.supports(feature)).as(feature.name()).isFalse();
        }
    }

    private interface Asking {
        Object ask(ConnectedAgent agent) throws Exception;
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-47")
    void aCallThatTheAgentDoesNotOfferIsNotSentAndSaysWhatIsMissing(Version version) throws Exception {
        ConnectedAgent agent = connect(Joined.agent(turn -> {}), version);
        Map<Feature, Asking> calls = Map.of(
                Feature.FORK_SESSION, to -> to.forkSession(STORED, Joined.HERE),
                Feature.SESSION_STATUS, to -> to.sessionStatus(STORED),
                Feature.SET_TITLE, to -> to.setTitle(STORED, "A"),
                Feature.ARCHIVE_SESSION, to -> to.listSessions(null, SessionArchiveFilter.ONLY),
                Feature.SYSTEM_PROMPT, to -> to.newSession(with(SystemPromptMode.APPEND)),
                Feature.SYSTEM_PROMPT_OVERRIDE, to -> to.newSession(with(SystemPromptMode.OVERRIDE)),
                Feature.AUTH_STATUS, ConnectedAgent::authStatus,
                Feature.PROVIDERS, ConnectedAgent::providers);

        calls.forEach((feature, call) -> assertThatThrownBy(() -> call.ask(agent))
                .isInstanceOfSatisfying(UnsupportedException.class, e -> {
                    assertThat(e.feature()).isEqualTo(feature);
                    assertThat(e.version()).isEqualTo(version.number());
                }));
    }

    private static SessionSetup with(SystemPromptMode mode) {
        return SessionSetup.in(Joined.HERE)
                .withSystemPrompt(SystemPrompt.of(mode, List.of(ContentBlock.text("Be brief."))));
    }

    // ---- fork

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-01")
    void aForkKnowsWhatItsSourceKnewAndLeavesItAlone(Version version) throws Exception {
        ConnectedAgent agent = connect(version);
        Session source = agent.newSession(Joined.HERE);
        assertThat(source.prompt("one").text()).isEqualTo("one");

        Session fork = agent.forkSession(source.id(), SessionSetup.in(Path.of("/")));

        assertThat(fork.id()).isNotEqualTo(source.id());
        assertThat(fork.cwd()).isEqualTo(Path.of("/"));
        assertThat(fork.prompt("two").text()).isEqualTo("one, two");
        assertThat(source.prompt("three").text()).isEqualTo("one, three");
        assertThatThrownBy(() -> agent.forkSession(UNKNOWN, Joined.HERE))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.RESOURCE_NOT_FOUND));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-01")
    void updatesBehindTheAnswerOfAForkFindIt(Version version) throws Exception {
        ConnectedAgent agent =
                connect(store.agent().onForkSession((session, source) -> session.message("Forked " + source)), version);
        CountDownLatch told = new CountDownLatch(1);

        Session fork = agent.forkSession(STORED, Joined.HERE);
        Session.Subscription unused = fork.onEvent((session, event) -> told.countDown());
        if (fork.view().messages().isEmpty()) {
            told.await();
        }

        assertThat(fork.view().messages().getFirst().text()).isEqualTo("Forked stored");
    }

    // ---- archive

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-46")
    void archivingEndsTheWorkAndHidesTheSessionUntilItIsReturned(Version version) throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        Agent.Builder builder = store.agent().onPrompt(turn -> {
            working.countDown();
            new CountDownLatch(1).await();
        });
        ConnectedAgent agent = connect(builder, version);
        Session session = agent.newSession(Joined.HERE);
        Turn turn = session.prompt("go");
        working.await();

        agent.archiveSession(session.id());
        agent.archiveSession(session.id());

        assertThat(turn.isDone()).isTrue();
        assertThat(store.closed).contains(session.id());
        assertThat(ids(agent.listSessions(null))).containsExactly(STORED);
        assertThat(ids(agent.listSessions(null, SessionArchiveFilter.EXCLUDE))).containsExactly(STORED);
        assertThat(ids(agent.listSessions(null, SessionArchiveFilter.ONLY))).containsExactly(session.id());
        assertThat(ids(agent.listSessions(null, SessionArchiveFilter.INCLUDE)))
                .containsExactlyInAnyOrder(STORED, session.id());

        agent.unarchiveSession(session.id());
        agent.unarchiveSession(session.id());

        assertThat(ids(agent.listSessions(null))).containsExactlyInAnyOrder(STORED, session.id());
        assertThatThrownBy(() -> agent.archiveSession(UNKNOWN)).hasMessageContaining("Session not found");
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-46")
    void aFilterThatNobodyKnowsOrTheAgentDoesNotOfferIsRefused(Version version) throws Exception {
        ListSessionsRequest strange = ListSessionsRequest.builder()
                .archived(SessionArchiveFilter.of("_mine"))
                .build();
        ConnectedAgent archives = connect(version);
        ConnectedAgent plain =
                connect(Joined.agent(turn -> {}).onListSessions((client, list) -> store.list(list)), version);

        assertThatThrownBy(() -> archives.call(AgentMethods.LIST_SESSIONS, strange))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS));
        assertThatThrownBy(() -> plain.call(
                        AgentMethods.LIST_SESSIONS,
                        ListSessionsRequest.builder()
                                .archived(SessionArchiveFilter.ONLY)
                                .build()))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS));
    }

    // ---- status and title

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-44")
    void theStatusOfASessionIsOpenOrSavedAndChangesNothing(Version version) throws Exception {
        ConnectedAgent agent = connect(version);
        Session session = agent.newSession(Joined.HERE);
        ConnectedAgent other = connect(version);

        assertThat(agent.sessionStatus(session.id()).status()).isEqualTo(SessionStatus.OPEN);
        assertThat(agent.sessionStatus(session.id()).state() instanceof StateUpdate.Idle)
                .isEqualTo(version == Version.V2);
        assertThat(agent.sessionStatus(STORED).status()).isEqualTo(SessionStatus.SAVED);
        assertThat(other.sessionStatus(session.id()).status()).isEqualTo(SessionStatus.SAVED);
        assertThatThrownBy(() -> agent.sessionStatus(UNKNOWN)).isInstanceOfSatisfying(RpcError.class, e -> {
            assertThat(e.code()).isEqualTo(RpcError.RESOURCE_NOT_FOUND);
            assertThat(e.data().orElseThrow().toString()).contains("unknown");
        });
        assertThat(agent.sessionStatus(STORED).status()).isEqualTo(SessionStatus.SAVED);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-44")
    void aStatusThatNobodyKnowsCountsAsSaved(Version version) throws Exception {
        String offers = version == Version.V1
                ? "{\"protocolVersion\":1,\"agentCapabilities\":{\"sessionCapabilities\":{\"status\":{}}}}"
                : "{\"protocolVersion\":2,\"info\":{\"name\":\"a\",\"version\":\"1\"},"
                        + "\"capabilities\":{\"session\":{\"status\":{}}}}";
        try (RawAgent agent = new RawAgent(Joined.client().protocol(version), offers)) {
            FutureTask<SessionStatus> asking = RawAgent.started(
                    () -> agent.connected().sessionStatus(STORED).status());

            agent.answer("session/status", "{\"status\":\"_frozen\"}");

            assertThat(asking.get()).isEqualTo(SessionStatus.SAVED);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-45")
    void theTitleIsTheOneThatTheAgentHasStoredAndOthersAreTold(Version version) throws Exception {
        Agent shared = store.agent().onResumeSession(session -> {}).build();
        ConnectedAgent agent = joined.join(shared, Joined.client().protocol(version));
        Session session = agent.newSession(Joined.HERE);
        Session watching =
                joined.join(shared, Joined.client().protocol(version)).resumeSession(session.id(), Joined.HERE);
        CountDownLatch told = new CountDownLatch(1);
        Session.Subscription unused = watching.onEvent((of, event) -> {
            if (event instanceof SessionEvent.InfoChanged) {
                told.countDown();
            }
        });

        assertThat(agent.setTitle(session.id(), "  A fox ")).isEqualTo("A fox");
        told.await();

        assertThat(session.view().title()).contains("A fox");
        assertThat(watching.view().title()).contains("A fox");
        assertThat(agent.setTitle(STORED, "Old")).isEqualTo("Old");
        assertThatThrownBy(() -> agent.setTitle(session.id(), " ")).hasMessageContaining("params.title");
        assertThatThrownBy(() -> agent.setTitle(UNKNOWN, "A")).hasMessageContaining("Session not found");
    }

    // ---- system prompts

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-47")
    void aSystemPromptReachesNewAndForkedAndLoadedSessions(Version version) throws Exception {
        List<SystemPrompt> given = new ArrayList<>();
        Agent.SessionHandler opened = session -> given.add(session.setup().systemPrompt());
        ConnectedAgent agent = connect(
                store.agent()
                        .supports(Feature.SYSTEM_PROMPT)
                        .onNewSession(opened)
                        .onForkSession((session, source) -> opened.handle(session))
                        .onLoadSession(opened)
                        .onResumeSession(opened),
                version);
        SessionSetup setup = with(SystemPromptMode.APPEND);

        agent.newSession(setup).detach();
        agent.forkSession(STORED, setup).detach();
        agent.loadSession(STORED, setup).detach();
        agent.resumeSession(STORED, setup).detach();

        assertThat(given).hasSize(4).containsOnly(setup.systemPrompt());
        assertThat(agent.supports(Feature.SYSTEM_PROMPT_OVERRIDE)).isFalse();
        assertThatThrownBy(() -> agent.newSession(with(SystemPromptMode.OVERRIDE)))
                .isInstanceOf(UnsupportedException.class);
        assertThatThrownBy(() -> SessionSetup.in(Joined.HERE)
                        .withSystemPrompt(SystemPrompt.of(SystemPromptMode.APPEND, List.of())))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SessionSetup.in(Joined.HERE)
                        .withSystemPrompt(SystemPrompt.of(
                                SystemPromptMode.APPEND, List.of(ContentBlock.image(new byte[1], "image/png")))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("SE2-47")
    void anAgentRefusesASystemPromptThatItCannotApply(Version version) throws Exception {
        ConnectedAgent appends = connect(store.agent().supports(Feature.SYSTEM_PROMPT), version);
        ConnectedAgent overrides = connect(store.agent().supports(Feature.SYSTEM_PROMPT_OVERRIDE), version);
        ConnectedAgent none = connect(version);
        List<ContentBlock> text = List.of(ContentBlock.text("x"));

        refuses(none, SystemPrompt.of(SystemPromptMode.APPEND, text));
        refuses(appends, SystemPrompt.of(SystemPromptMode.OVERRIDE, text));
        refuses(appends, SystemPrompt.of(SystemPromptMode.of("_prepend"), text));
        refuses(appends, SystemPrompt.of(SystemPromptMode.APPEND, List.of()));
        refuses(
                appends,
                SystemPrompt.of(SystemPromptMode.APPEND, List.of(ContentBlock.image(new byte[1], "image/png"))));
        RawJson malformed = RawJson.parse("{\"cwd\":\"/\",\"mcpServers\":[],\"systemPrompt\":{\"content\":\"x\"}}");
        assertThatThrownBy(() -> appends.call("session/new", malformed)).hasMessageContaining("params.systemPrompt");
        assertThat(none.call("session/new", malformed).toString()).contains("sessionId");
        assertThat(overrides.supports(Feature.SYSTEM_PROMPT)).isTrue();
        assertThat(overrides.supports(Feature.SYSTEM_PROMPT_OVERRIDE)).isTrue();
        assertThat(overrides.newSession(with(SystemPromptMode.OVERRIDE)).isOpened())
                .isTrue();
    }

    private static void refuses(ConnectedAgent agent, SystemPrompt prompt) {
        ForkSessionRequest fork = ForkSessionRequest.builder(STORED, Joined.HERE.toString())
                .systemPrompt(prompt)
                .build();
        assertThatThrownBy(() -> agent.call(AgentMethods.FORK_SESSION, fork))
                .isInstanceOfSatisfying(RpcError.class, e -> {
                    assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS);
                    assertThat(e.getMessage()).contains("params.systemPrompt");
                });
    }

    // ---- tokens

    @ParameterizedTest
    @EnumSource
    void theTokensOfATurnAreThoseThatTheAgentGaveForIt(Version version) throws Exception {
        TokenUsage used = new TokenUsage(6, 1, 2, 3L, null, 0L);
        ConnectedAgent agent = connect(
                Joined.agent(turn -> {
                    if (turn.text().equals("count")) {
                        turn.usage(used);
                    }
                }),
                version);
        Session session = agent.newSession(Joined.HERE);

        TurnResult counted = session.prompt("count").result();
        TurnResult plain = session.prompt("go").result();

        assertThat(counted.usage()).contains(used);
        assertThat(counted.raw().orElseThrow().toString()).contains("\"totalTokens\":6");
        assertThat(plain.usage()).isEmpty();
        assertThat(plain.raw().orElseThrow().toString()).doesNotContain("usage");
    }
}
