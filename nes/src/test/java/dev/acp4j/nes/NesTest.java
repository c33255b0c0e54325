package dev.acp4j.nes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.AuthenticationRequiredException;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Version;
import dev.acp4j.testkit.Fault;
import dev.acp4j.testkit.Transports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions of suggestions between an agent and an editor, over pipes. */
@Timeout(60)
class NesTest {
    private static final String URI = "file:///src/Main.java";
    private static final List<Suggestion> NOTHING = List.of();
    private static final Position START = Position.of(0, 0);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private @Nullable Transports transports;

    private ConnectedAgent join(Agent.Builder agent, Client.Builder client) throws Exception {
        Transports ends = Transports.overBytes(Fault.NONE, Fault.NONE);
        transports = ends;
        ConnectedClient served = agent.build().connect(ends.agent());
        open.push(served);
        ConnectedAgent connected = client.connect(ends.client());
        open.push(connected);
        return connected;
    }

    private ConnectedAgent join(NesAgent.Builder suggestions, Client.Builder client) throws Exception {
        return join(suggestions.addTo(Agent.builder("agent", "1").protocol(Version.V1, Version.V2)), client);
    }

    private static Client.Builder editor() {
        return Client.builder("editor", "1");
    }

    private List<String> sent(String method) {
        return Objects.requireNonNull(transports).wire().messages().stream()
                .filter(message -> message.contains("\"method\":\"" + method))
                .toList();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    // ---- sessions

    @ParameterizedTest
    @EnumSource(Version.class)
    @Tag("NES-01")
    void aSessionHasTheWorkspaceAndItsOwnId(Version version) throws Exception {
        BlockingQueue<AgentNesSession> started = new LinkedBlockingQueue<>();
        BlockingQueue<SessionId> closed = new LinkedBlockingQueue<>();
        ConnectedAgent agent = join(
                NesAgent.builder((session, request) -> NOTHING)
                        .onStart(started::add)
                        .onClose(session -> closed.add(session.id())),
                editor().protocol(version));
        StartNesRequest workspace = StartNesRequest.builder()
                .workspaceUri("file:///project")
                .workspaceFolders(List.of(StartNesRequest.WorkspaceFolder.of("file:///project", "project")))
                .repository(StartNesRequest.Repository.builder("project")
                        .owner("alice")
                        .remoteUrl("https://example.com/project.git")
                        .build())
                .build();

        NesSession first = NesSession.start(agent, workspace);
        NesSession second = NesSession.start(agent);
        first.close();

        assertThat(started.take().workspace()).isEqualTo(workspace);
        assertThat(started.take().workspace().workspaceUri()).isNull();
        assertThat(first.id()).isNotEqualTo(second.id());
        assertThat(closed).containsExactly(first.id());
        assertThat(second.suggest(opened(second), START, TriggerKind.MANUAL)).isEmpty();
    }

    private static String opened(NesSession session) throws InterruptedException {
        return session.didOpen(URI, "java", 1, "class Main {}\n").uri();
    }

    @Test
    void chatSessionsAndSessionsOfSuggestionsAreIndependent() throws Exception {
        ConnectedAgent agent = join(
                NesAgent.builder((session, request) -> List.of(Suggestion.Jump.of(SuggestionId.of("1"), URI, START)))
                        .addTo(Agent.builder("both", "1").onPrompt(turn -> turn.message("hello"))),
                NesSession.advertise(editor(), SuggestionKinds.ALL));

        try (var chat = agent.newSession(Path.of("").toAbsolutePath());
                NesSession session = NesSession.start(agent)) {
            assertThat(session.suggest(opened(session), START, TriggerKind.AUTOMATIC))
                    .hasSize(1);
            assertThat(chat.prompt("hi").text()).isEqualTo("hello");
        }
    }

    @Test
    void anAgentThatDoesNotOfferSuggestionsIsNotAsked() throws Exception {
        ConnectedAgent agent = join(Agent.builder("chat", "1").onPrompt(turn -> {}), editor());

        assertThat(NesSession.isOfferedBy(agent)).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> NesSession.start(agent))
                .withMessage("the agent does not offer next edit suggestions");
        assertThat(sent("nes/")).isEmpty();
    }

    @Test
    void aLoginMayBeRequiredAndTheStartIsRepeatedAfterIt() throws Exception {
        AtomicBoolean known = new AtomicBoolean();
        Agent.Builder builder = Agent.builder("agent", "1")
                .onAuthenticate(
                        List.of(AuthMethod.Agent.builder(AuthMethodId.of("web"), "Web")
                                .build()),
                        (client, method) -> known.set(true));
        ConnectedAgent agent = join(
                NesAgent.builder((session, request) -> NOTHING)
                        .onStart(session -> {
                            if (!known.get()) {
                                throw RpcError.authRequired();
                            }
                        })
                        .addTo(builder),
                editor());

        assertThatThrownBy(() -> NesSession.start(agent))
                .isInstanceOfSatisfying(
                        AuthenticationRequiredException.class,
                        required -> assertThat(required.methods()).hasSize(1));
        agent.authenticate(AuthMethodId.of("web"));

        assertThat(NesSession.start(agent).id()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aSessionHasSettingsAndThoseOfChatsAreOthers(Version version) throws Exception {
        SessionConfigOption.Toggle off = SessionConfigOption.Toggle.builder(SessionConfigId.of("eager"), "Eager", false)
                .build();
        SessionConfigOption.Toggle on = off.toBuilder().currentValue(true).build();
        List<String> asked = new ArrayList<>();
        Agent.Builder chats = Agent.builder("agent", "1")
                .protocol(Version.V1, Version.V2)
                .onPrompt(turn -> {})
                .onNewSession(session -> session.configOptions(List.of(off)))
                .onSetConfigOption((session, option, value) -> {
                    asked.add("chat");
                    return List.of(on);
                });
        ConnectedAgent agent = join(
                NesAgent.builder((session, request) -> NOTHING)
                        .onStart(session -> session.configOptions(List.of(off)))
                        .onSetConfigOption((session, option, value) -> {
                            asked.add("suggestions");
                            return List.of(on);
                        })
                        .addTo(chats),
                editor().protocol(version));

        NesSession session = NesSession.start(agent);
        List<SessionConfigOption> before = session.configOptions();
        List<SessionConfigOption> after =
                session.setConfigOption(SessionConfigId.of("eager"), SessionConfigOptionValue.of(true));
        try (var chat = agent.newSession(Path.of("").toAbsolutePath())) {
            chat.setConfigOption(SessionConfigId.of("eager"), SessionConfigOptionValue.of(true));
        }

        assertThat(before).containsExactly(off);
        assertThat(after).containsExactly(on).isEqualTo(session.configOptions());
        assertThat(asked).containsExactly("suggestions", "chat");
    }

    @Test
    void closingCancelsWhatTheAgentWorksOnAndThenFreesTheSession() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        List<String> ended = new ArrayList<>();
        ConnectedAgent agent = join(
                NesAgent.builder((session, request) -> {
                            working.countDown();
                            try {
                                new CountDownLatch(1).await();
                            } finally {
                                ended.add("work");
                            }
                            return NOTHING;
                        })
                        .onClose(session -> ended.add("session")),
                editor());
        NesSession session = NesSession.start(agent);
        String uri = opened(session);
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread asking = Thread.ofPlatform().start(() -> {
            try {
                failure.complete(new AssertionError(session.suggest(uri, START, TriggerKind.AUTOMATIC)));
            } catch (RpcError | InterruptedException e) {
                failure.complete(e);
            }
        });
        working.await();

        session.close();

        assertThat(failure.join())
                .isInstanceOfSatisfying(
                        RpcError.class, error -> assertThat(error.code()).isEqualTo(RpcError.REQUEST_CANCELLED));
        asking.join();
        assertThat(ended).containsExactly("work", "session");
        assertThatThrownBy(() -> session.suggest(uri, START, TriggerKind.MANUAL))
                .isInstanceOfSatisfying(
                        RpcError.class, error -> assertThat(error.code()).isEqualTo(RpcError.RESOURCE_NOT_FOUND));
    }

    @Test
    void sessionsEndWithTheirConnection() throws Exception {
        CompletableFuture<SessionId> closed = new CompletableFuture<>();
        ConnectedAgent agent = join(
                NesAgent.builder((session, request) -> NOTHING).onClose(session -> closed.complete(session.id())),
                editor());
        NesSession session = NesSession.start(agent);

        agent.close();

        assertThat(closed.join()).isEqualTo(session.id());
    }

    @Test
    void interruptingTheCallerCancelsTheRequestAtTheAgent() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CompletableFuture<String> ended = new CompletableFuture<>();
        ConnectedAgent agent = join(
                NesAgent.builder((session, request) -> {
                    working.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        ended.complete("interrupted");
                        throw e;
                    }
                    return NOTHING;
                }),
                editor());
        NesSession session = NesSession.start(agent);
        String uri = opened(session);
        Thread asking = Thread.ofPlatform().start(() -> {
            try {
                ended.complete("answered: " + session.suggest(uri, START, TriggerKind.AUTOMATIC));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        working.await();

        asking.interrupt();

        assertThat(ended.join()).isEqualTo("interrupted");
        asking.join();
    }

    // ---- events

    /** An agent that records events, and answers a request after all events before it. */
    private static NesAgent.Builder recorder(List<DocumentEvent> events, List<String> texts) {
        return NesAgent.builder((session, request) -> NOTHING).onEvent((session, event) -> {
            events.add(event);
            texts.add(session.document(event.uri()).map(TextDocument::text).orElse("-"));
        });
    }

    private static void edit(NesSession session) throws InterruptedException {
        session.didOpen(URI, "java", 1, "int a;\n");
        session.didFocus(URI, START, Range.of(START, Position.of(1, 0)));
        session.didChange(
                URI,
                2,
                List.of(
                        ContentChange.of(Range.of(Position.of(0, 4), Position.of(0, 5)), "bb"),
                        ContentChange.of(Range.at(Position.of(0, 6)), " = 1")));
        session.didSave(URI);
        assertThat(session.suggest(URI, START, TriggerKind.AUTOMATIC)).isEmpty();
        session.didClose(URI);
        session.close();
    }

    @Test
    @Tag("NES-01")
    void eachEventArrivesInOrderAndTheAgentHasTheTextOfTheEditor() throws Exception {
        List<DocumentEvent> events = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        ConnectedAgent agent = join(recorder(events, texts).events(DocumentEvents.all(SyncKind.INCREMENTAL)), editor());
        NesSession session = NesSession.start(agent);

        edit(session);

        Range name = Range.of(Position.of(0, 4), Position.of(0, 5));
        assertThat(events)
                .containsExactly(
                        DocumentEvent.Opened.of(session.id(), URI, "java", 1, "int a;\n"),
                        DocumentEvent.Focused.of(session.id(), URI, 1, START, Range.of(START, Position.of(1, 0))),
                        DocumentEvent.Changed.of(
                                session.id(),
                                URI,
                                2,
                                List.of(
                                        ContentChange.of(name, "bb"),
                                        ContentChange.of(Range.at(Position.of(0, 6)), " = 1"))),
                        DocumentEvent.Saved.of(session.id(), URI),
                        DocumentEvent.Closed.of(session.id(), URI));
        assertThat(texts).containsExactly("int a;\n", "int a;\n", "int bb = 1;\n", "int bb = 1;\n", "-");
    }

    @Test
    void anAgentThatWantsWholeTextsGetsThem() throws Exception {
        List<DocumentEvent> events = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        ConnectedAgent agent = join(recorder(events, texts).events(DocumentEvents.all(SyncKind.FULL)), editor());
        NesSession session = NesSession.start(agent);

        edit(session);

        assertThat(events)
                .contains(
                        DocumentEvent.Changed.of(session.id(), URI, 2, List.of(ContentChange.whole("int bb = 1;\n"))));
        assertThat(texts).containsExactly("int a;\n", "int a;\n", "int bb = 1;\n", "int bb = 1;\n", "-");
    }

    @Test
    void whatTheAgentDidNotAskForIsNotSent() throws Exception {
        List<DocumentEvent> events = new ArrayList<>();
        ConnectedAgent agent = join(
                recorder(events, new ArrayList<>())
                        .events(DocumentEvents.builder().didSave(Supported.of()).build()),
                editor());

        edit(NesSession.start(agent));

        assertThat(sent("document/")).singleElement().asString().contains("document/didSave");
        assertThat(events).hasSize(1);
    }

    @Test
    void aChangeThatCannotBeAppliedLeavesNoWrongText() throws Exception {
        List<String> found = new ArrayList<>();
        Agent.Builder builder = Agent.builder("agent", "1").onProblem(problem -> {});
        ConnectedAgent agent = join(
                NesAgent.builder((session, request) -> {
                            found.add(String.valueOf(session.document(URI)));
                            return NOTHING;
                        })
                        .events(DocumentEvents.all(SyncKind.INCREMENTAL))
                        .addTo(builder),
                editor());
        NesSession session = NesSession.start(agent);
        String uri = opened(session);

        agent.send(
                NesMethods.DID_CHANGE,
                DocumentEvent.Changed.of(
                        session.id(), URI, 2, List.of(ContentChange.of(Range.of(Position.of(0, 3), START), "x"))));

        assertThat(session.suggest(uri, START, TriggerKind.MANUAL)).isEmpty();
        assertThat(found).containsExactly("Optional.empty");
        assertThat(session.document(uri)).isPresent();
    }

    @Test
    void changingADocumentThatIsNotOpenIsAnError() throws Exception {
        ConnectedAgent agent = join(NesAgent.builder((session, request) -> NOTHING), editor());
        NesSession session = NesSession.start(agent);

        assertThatIllegalStateException()
                .isThrownBy(() -> session.didChange(URI, 2, List.of(ContentChange.whole(""))))
                .withMessage("the document is not open: " + URI);
    }

    // ---- requests

    private static SuggestContext everything() {
        return SuggestContext.builder()
                .recentFiles(List.of(
                        SuggestContext.RecentFile.of("file:///1", "rust", "newest"),
                        SuggestContext.RecentFile.of("file:///2", "rust", "older")))
                .relatedSnippets(List.of(SuggestContext.RelatedSnippet.of(
                        "file:///3", List.of(SuggestContext.Excerpt.of(10, 25, "struct Config {}")))))
                .editHistory(
                        List.of(SuggestContext.Edit.of(URI, "@@ oldest"), SuggestContext.Edit.of(URI, "@@ newest")))
                .userActions(List.of(
                        SuggestContext.UserAction.of("insertChar", URI, START, 1_719_400_000_000L),
                        SuggestContext.UserAction.of("cursorMovement", URI, START, 1_719_400_001_200L)))
                .openFiles(List.of(
                        SuggestContext.OpenFile.builder("file:///1", "rust")
                                .visibleRange(Range.of(START, Position.of(30, 0)))
                                .lastFocusedMs(1_719_399_998_000L)
                                .build(),
                        SuggestContext.OpenFile.builder("file:///2", "rust").build()))
                .diagnostics(List.of(SuggestContext.Diagnostic.of(
                        URI, Range.at(START), DiagnosticSeverity.ERROR, "cannot find value `foo`")))
                .build();
    }

    private static NesAgent.Builder asked(BlockingQueue<SuggestNesRequest> requests) {
        return NesAgent.builder((session, request) -> {
            requests.add(request);
            return NOTHING;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"automatic", "diagnostic", "manual"})
    @Tag("NES-01")
    void aRequestHasTheCursorTheReasonAndTheContextThatTheAgentAskedFor(String trigger) throws Exception {
        BlockingQueue<SuggestNesRequest> requests = new LinkedBlockingQueue<>();
        ConnectedAgent agent = join(asked(requests).context(ContextKinds.ALL), editor());
        NesSession session = NesSession.start(agent);
        SuggestNesRequest request = session.request(opened(session), Position.of(0, 6), TriggerKind.of(trigger))
                .selection(Range.of(START, Position.of(0, 6)))
                .context(everything())
                .build();

        assertThat(session.suggest(request)).isEmpty();

        assertThat(requests.take()).isEqualTo(request);
        assertThat(request.version()).isEqualTo(1);
    }

    @Test
    void contextThatTheAgentDidNotAskForIsRemovedAndSoIsTooMuchOfIt() throws Exception {
        BlockingQueue<SuggestNesRequest> requests = new LinkedBlockingQueue<>();
        ContextKinds some = ContextKinds.builder()
                .recentFiles(ContextKinds.AtMost.of(1))
                .editHistory(ContextKinds.AtMost.of(1))
                .userActions(ContextKinds.AtMost.of(7))
                .build();
        ConnectedAgent agent = join(asked(requests).context(some), editor());
        NesSession session = NesSession.start(agent);

        assertThat(session.suggest(session.request(opened(session), START, TriggerKind.AUTOMATIC)
                        .context(everything())
                        .build()))
                .isEmpty();

        SuggestContext context = requests.take().context();
        assertThat(context.recentFiles()).extracting(file -> file.text()).containsExactly("newest");
        assertThat(context.editHistory()).extracting(edit -> edit.diff()).containsExactly("@@ newest");
        assertThat(context.userActions()).hasSize(2);
        assertThat(context.relatedSnippets()).isEmpty();
        assertThat(context.openFiles()).isEmpty();
        assertThat(context.diagnostics()).isEmpty();
    }

    @Test
    void anAgentThatAsksForNoContextGetsNone() throws Exception {
        BlockingQueue<SuggestNesRequest> requests = new LinkedBlockingQueue<>();
        ConnectedAgent agent = join(asked(requests), editor());
        NesSession session = NesSession.start(agent);

        assertThat(session.suggest(session.request(opened(session), START, TriggerKind.AUTOMATIC)
                        .context(everything())
                        .build()))
                .isEmpty();

        assertThat(requests.take().context()).isEqualTo(SuggestContext.NONE);
        assertThat(sent("nes/suggest")).singleElement().asString().doesNotContain("context");
    }

    // ---- kinds of suggestions

    private static final Suggestion EDIT = Suggestion.Edit.of(
                    SuggestionId.of("1"), URI, List.of(TextEdit.of(Range.at(START), "final ")))
            .withCursorPosition(Position.of(0, 6));
    private static final Suggestion JUMP = Suggestion.Jump.of(SuggestionId.of("2"), URI, Position.of(15, 4));
    private static final Suggestion RENAME = Suggestion.Rename.of(SuggestionId.of("3"), URI, START, "total");
    private static final Suggestion REPLACE =
            Suggestion.SearchAndReplace.regex(SuggestionId.of("4"), "file:///src", "o(l)d", "new");
    private static final Suggestion FUTURE =
            new Suggestion.Unknown("fold", RawJson.parse("{\"kind\":\"fold\",\"id\":\"5\",\"lines\":[1,2]}"));

    private static NesAgent.Builder all() {
        return NesAgent.builder((session, request) -> List.of(EDIT, JUMP, RENAME, REPLACE, FUTURE));
    }

    private List<Suggestion> suggested(Client.Builder client) throws Exception {
        NesSession session = NesSession.start(join(all(), client));
        return session.suggest(opened(session), START, TriggerKind.MANUAL);
    }

    @Test
    void anAgentSuggestsTheKindsThatTheClientTakesAndEdits() throws Exception {
        assertThat(suggested(editor())).containsExactly(EDIT);
        assertThat(suggested(NesSession.advertise(editor(), SuggestionKinds.EDITS)))
                .containsExactly(EDIT);
        assertThat(suggested(NesSession.advertise(
                        editor(),
                        SuggestionKinds.builder().rename(Supported.of()).build())))
                .containsExactly(EDIT, RENAME);
        assertThat(suggested(NesSession.advertise(editor(), SuggestionKinds.ALL)))
                .containsExactly(EDIT, JUMP, RENAME, REPLACE);
        assertThat(suggested(NesSession.advertise(
                        editor(),
                        SuggestionKinds.ALL.toBuilder()
                                .rest(Rest.NONE.with("fold", RawJson.EMPTY_OBJECT))
                                .build())))
                .containsExactly(EDIT, JUMP, RENAME, REPLACE, FUTURE);
    }

    @Test
    @Tag("NES-01")
    void theAgentLearnsWhatBecameOfItsSuggestions() throws Exception {
        BlockingQueue<String> outcomes = new LinkedBlockingQueue<>();
        ConnectedAgent agent = join(
                all().onAccept((session, id) -> outcomes.add(id + " accepted"))
                        .onReject((session, id, reason) -> outcomes.add(id + " " + reason)),
                editor());
        NesSession session = NesSession.start(agent);

        session.accept(SuggestionId.of("1"));
        for (RejectReason reason : RejectReason.known()) {
            session.reject(SuggestionId.of("2"), reason);
        }
        session.reject(SuggestionId.of("3"), null);
        session.close();

        assertThat(outcomes)
                .containsExactly("1 accepted", "2 rejected", "2 ignored", "2 replaced", "2 cancelled", "3 null");
    }

    // ---- encodings of positions

    @ParameterizedTest
    @CsvSource({
        "'', utf-16",
        "utf-8, utf-8",
        "utf-32 utf-16, utf-32",
        "utf-7 utf-8 utf-16, utf-8",
        "utf-7, utf-16",
    })
    void theEncodingIsTheFirstOfTheClientThatTheAgentKnows(String offered, String chosen) throws Exception {
        BlockingQueue<AgentNesSession> started = new LinkedBlockingQueue<>();
        PositionEncoding[] encodings = List.of(offered.split(" ", -1)).stream()
                .filter(text -> !text.isEmpty())
                .map(PositionEncoding::of)
                .toArray(PositionEncoding[]::new);
        ConnectedAgent agent = join(
                NesAgent.builder((session, request) -> NOTHING)
                        .events(DocumentEvents.all(SyncKind.INCREMENTAL))
                        .onStart(started::add),
                NesSession.advertise(editor(), SuggestionKinds.EDITS, encodings));

        NesSession session = NesSession.start(agent);
        TextDocument opened = session.didOpen(URI, "java", 1, "s = \"😀\";");
        TextDocument changed = session.didChange(URI, 2, List.of(ContentChange.of(opened.range(7, 8), "', it said")));
        assertThat(session.suggest(URI, START, TriggerKind.MANUAL)).isEmpty();

        AgentNesSession served = started.take();
        assertThat(session.positionEncoding()).isEqualTo(PositionEncoding.of(chosen));
        assertThat(served.positionEncoding()).isEqualTo(PositionEncoding.of(chosen));
        assertThat(changed.text()).isEqualTo("s = \"😀', it said;");
        assertThat(served.document(URI).orElseThrow().text()).isEqualTo(changed.text());
    }

    @Test
    void anAgentThatCountsInAnotherWayIsRefused() throws Exception {
        Agent.Builder odd = Agent.builder("odd", "1")
                .capability("nes", RawJson.EMPTY_OBJECT)
                .capability("positionEncoding", RawJson.string("utf-7"))
                .on("nes/start", (client, params) -> RawJson.parse("{\"sessionId\":\"s\"}"));
        ConnectedAgent agent = join(odd, editor());

        assertThatIllegalStateException()
                .isThrownBy(() -> NesSession.start(agent))
                .withMessageContaining("utf-7");
    }

    // ---- the wire

    @Test
    void capabilitiesAndMessagesLookAsTheDraftSays() throws Exception {
        ContextKinds context = ContextKinds.builder()
                .recentFiles(ContextKinds.AtMost.of(10))
                .relatedSnippets(Supported.of())
                .build();
        ConnectedAgent agent = join(
                all().events(DocumentEvents.all(SyncKind.INCREMENTAL)).context(context),
                NesSession.advertise(editor(), SuggestionKinds.ALL, PositionEncoding.UTF_32, PositionEncoding.UTF_16));
        NesSession session = NesSession.start(agent);
        List<Suggestion> unused = session.suggest(opened(session), START, TriggerKind.MANUAL);

        assertThat(sent("initialize").getFirst())
                .contains("\"nes\":{\"jump\":{},\"rename\":{},\"searchAndReplace\":{}}")
                .contains("\"positionEncodings\":[\"utf-32\",\"utf-16\"]");
        assertThat(agent.raw().toString())
                .contains("\"nes\":{\"events\":{\"document\":{\"didOpen\":{},\"didChange\":{\"syncKind\":"
                        + "\"incremental\"},\"didClose\":{},\"didSave\":{},\"didFocus\":{}}},\"context\":{"
                        + "\"recentFiles\":{\"maxCount\":10},\"relatedSnippets\":{}}}")
                .contains("\"positionEncoding\":\"utf-32\"");
        assertThat(sent("document/didOpen").getFirst())
                .contains("\"params\":{\"sessionId\":\"" + session.id() + "\",\"uri\":\"" + URI
                        + "\",\"languageId\":\"java\",\"version\":1,\"text\":\"class Main {}\\n\"}");
        assertThat(sent("nes/suggest").getFirst())
                .contains("\"position\":{\"line\":0,\"character\":0},\"triggerKind\":\"manual\"}");
    }

    @Test
    void capabilitiesThatAreMalformedCountAsAbsent() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Agent.Builder agent = NesAgent.builder((session, request) -> {
                    asked.incrementAndGet();
                    return List.of(EDIT, RENAME);
                })
                .addTo(Agent.builder("agent", "1"));
        Client.Builder client =
                editor().capability("nes", RawJson.number(7)).capability("positionEncodings", RawJson.string("utf-8"));
        NesSession session = NesSession.start(join(agent, client));

        assertThat(session.suggest(opened(session), START, TriggerKind.MANUAL)).containsExactly(EDIT);
        assertThat(session.positionEncoding()).isEqualTo(PositionEncoding.UTF_16);
        assertThat(asked).hasValue(1);
    }

    @Test
    void aSessionOfAnotherConnectionIsNotFound() throws IOException, InterruptedException {
        Agent agent = NesAgent.builder((session, request) -> NOTHING)
                .addTo(Agent.builder("agent", "1"))
                .build();
        try (Transports first = Transports.overBytes(Fault.NONE, Fault.NONE);
                Transports second = Transports.overBytes(Fault.NONE, Fault.NONE);
                ConnectedClient one = agent.connect(first.agent());
                ConnectedClient two = agent.connect(second.agent());
                ConnectedAgent mine = editor().connect(first.client());
                ConnectedAgent other = editor().connect(second.client())) {
            NesSession session = NesSession.start(mine);

            assertThatThrownBy(() -> other.call(
                            NesMethods.SUGGEST,
                            SuggestNesRequest.builder(session.id(), URI, 1, START, TriggerKind.MANUAL)
                                    .build()))
                    .isInstanceOfSatisfying(
                            RpcError.class, error -> assertThat(error.code()).isEqualTo(RpcError.RESOURCE_NOT_FOUND));
            assertThat(one).isNotSameAs(two);
        }
    }
}
