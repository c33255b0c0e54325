package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.NewSessionRequest;
import dev.acp4j.schema.SessionId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What sessions are opened with, and whose they are. */
@Timeout(60)
class SessionSetupTest {
    private static final SessionId ID = SessionId.of("s");

    @RegisterExtension
    final Joined joined = new Joined();

    private static Meta meta(String member) {
        return Meta.of(member, RawJson.number(1));
    }

    @Test
    @Tag("SE1-12")
    void metaTravelsBothWaysWhenASessionIsOpenedAndWhenItIsPrompted() throws Exception {
        AtomicReference<@Nullable SessionSetup> seen = new AtomicReference<>();
        AtomicReference<@Nullable Meta> prompted = new AtomicReference<>();
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                            prompted.set(turn.meta());
                            turn.responseMeta(meta("turn-answer"));
                        })
                        .supports(Feature.ADDITIONAL_DIRECTORIES)
                        .onNewSession(session -> {
                            seen.set(session.setup());
                            session.responseMeta(meta("answer"));
                        }),
                client());
        SessionSetup setup = SessionSetup.in(HERE)
                .withAdditionalDirectories(List.of(HERE.resolve("more")))
                .withMcpServers(List.of(McpServer.Stdio.of("files", "/bin/files", List.of(), List.of())))
                .withMeta(meta("question"));

        Session session = agent.newSession(setup);
        TurnResult result =
                session.prompt(List.of(ContentBlock.text("go")), meta("turn")).result();

        assertThat(seen).hasValue(setup);
        assertThat(session.setup()).isEqualTo(setup);
        assertThat(session.meta()).isEqualTo(meta("answer"));
        assertThat(prompted).hasValue(meta("turn"));
        assertThat(result.meta()).isEqualTo(meta("turn-answer"));
    }

    @Test
    @Tag("SE1-32")
    void relativePathsAreMadeAbsolute() throws Exception {
        List<@Nullable Object> seen = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> {})
                        .supports(Feature.ADDITIONAL_DIRECTORIES)
                        .onNewSession(session -> seen.add(session.setup().roots()))
                        .onLoadSession(session -> seen.add(session.setup().roots()))
                        .onResumeSession(session -> seen.add(session.setup().roots()))
                        .onListSessions((client, request) -> {
                            seen.add(request.cwd());
                            return ListSessionsResponse.builder(List.of()).build();
                        }),
                client());

        Session session = agent.newSession(
                SessionSetup.in(Path.of(".")).withAdditionalDirectories(List.of(Path.of("src"), Path.of("../more"))));
        agent.loadSession(ID, Path.of("src"));
        agent.resumeSession(SessionId.of("t"), Path.of(""));
        agent.listSessions(Path.of("src")).forEach(info -> {});

        List<Path> roots = List.of(HERE, HERE.resolve("src"), HERE.resolveSibling("more"));
        assertThat(session.roots()).isEqualTo(roots);
        assertThat(seen)
                .containsExactly(
                        roots,
                        List.of(HERE.resolve("src")),
                        List.of(HERE),
                        HERE.resolve("src").toString());
    }

    @Test
    @Tag("SE1-32")
    void additionalFoldersAreSentOnceAndWithoutTheWorkingFolder() throws Exception {
        AtomicReference<@Nullable SessionSetup> seen = new AtomicReference<>();
        ConnectedAgent agent = joined.join(
                agent(turn -> {})
                        .supports(Feature.ADDITIONAL_DIRECTORIES)
                        .onNewSession(session -> seen.set(session.setup())),
                client());
        Path more = HERE.resolve("more");

        agent.newSession(SessionSetup.in(HERE).withAdditionalDirectories(List.of(more, HERE, more)));

        assertThat(seen.get()).extracting(SessionSetup::additionalDirectories).isEqualTo(List.of(more));
    }

    @Test
    @Tag("SE1-32")
    void anAgentRefusesFoldersThatItDoesNotOffer() throws Exception {
        ConnectedAgent agent = joined.join(agent(turn -> {}), client());
        NewSessionRequest asked = NewSessionRequest.builder(HERE.toString(), List.of())
                .additionalDirectories(List.of("/more"))
                .build();

        assertThatThrownBy(() -> agent.call(AgentMethods.NEW_SESSION, asked))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS))
                .hasMessageContaining("this agent does not offer additional directories");
    }

    @Test
    @Tag("SE1-31")
    void serversThatAnAgentDoesNotOfferAreLeftOutAndReported() throws Exception {
        AtomicReference<@Nullable SessionSetup> seen = new AtomicReference<>();
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> {})
                        .onNewSession(session -> seen.set(session.setup()))
                        .onProblem(problem -> problems.add(problem.detail())),
                client());
        McpServer files = McpServer.Stdio.of("files", "/bin/files", List.of(), List.of());

        agent.call(
                AgentMethods.NEW_SESSION,
                NewSessionRequest.builder(
                                HERE.toString(),
                                List.of(McpServer.Http.of("web", "https://example.com", List.of()), files))
                        .build());

        assertThat(seen.get()).extracting(SessionSetup::mcpServers).isEqualTo(List.of(files));
        assertThat(problems)
                .containsExactly("left out a server of the client: this agent does not offer MCP servers over HTTP");
    }

    @Test
    @Tag("REQ-16")
    void whatTheAgentDoesNotOfferIsNotAskedFor() throws Exception {
        ConnectedAgent agent = joined.join(agent(turn -> {}), client());

        assertThatThrownBy(() -> agent.newSession(
                        SessionSetup.in(HERE).withAdditionalDirectories(List.of(HERE.resolve("more")))))
                .hasMessage("the agent does not offer additional directories");
        assertThatThrownBy(() -> agent.newSession(SessionSetup.in(HERE)
                        .withMcpServers(List.of(McpServer.Http.of("web", "https://example.com", List.of())))))
                .hasMessage("the agent does not offer MCP servers over HTTP");
    }

    @Test
    @Tag("SE1-18")
    void aSessionIsOpenOnceUntilItIsDetached() throws Exception {
        ConnectedAgent agent = joined.join(agent(turn -> {}).onLoadSession(session -> {}), client());
        Session session = agent.loadSession(ID, HERE);

        assertThatThrownBy(() -> agent.loadSession(ID, HERE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("session s is open here: detach it first");
        session.detach();

        assertThat(agent.loadSession(ID, HERE)).isNotSameAs(session);
    }

    @Test
    @Tag("SE1-29")
    void aDeletedSessionIsForgottenHereToo() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {}).onLoadSession(session -> {}).onDeleteSession((client, session) -> {}), client());
        Session session = agent.loadSession(ID, HERE);

        agent.deleteSession(ID);

        assertThat(agent.loadSession(ID, HERE)).isNotSameAs(session);
    }

    @Test
    @Tag("SE1-03")
    void aSessionThatTheAgentSpokeOfBeforeIsTheOneThatIsLoaded() throws Exception {
        AtomicReference<@Nullable AgentSession> known = new AtomicReference<>();
        CountDownLatch told = new CountDownLatch(1);
        ConnectedAgent agent = joined.join(
                agent(turn -> {}).sessionIds(() -> ID).onNewSession(known::set).onLoadSession(session -> {}),
                client().onEvent((session, event) -> told.countDown()));
        agent.newSession(HERE).detach();
        Objects.requireNonNull(known.get()).message("by the way");
        assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();

        Session loaded = agent.loadSession(ID, HERE);

        assertThat(loaded.view().messages())
                .singleElement()
                .satisfies(message -> assertThat(message.text()).isEqualTo("by the way"));
    }

    @Test
    @Tag("SE1-04")
    void aListenerMayAskTheAgentWhileItReplaysAndTheAgentTheClient() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> {})
                        .on("_ping", (client, params) -> RawJson.string("pong"))
                        .onLoadSession(session -> {
                            session.message("one");
                            asked.add(session.client().call("_ask", null).toString());
                            session.message("two");
                        }),
                client().on("_ask", (from, params) -> from.call("_ping", params))
                        .onEvent((session, event) -> {
                            try {
                                asked.add(session.agent().call("_ping", null).toString());
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        }));

        Session session = agent.loadSession(ID, HERE);

        assertThat(session.view().messages())
                .singleElement()
                .satisfies(message -> assertThat(message.text()).isEqualTo("onetwo"));
        assertThat(asked).hasSize(3).containsOnly("\"pong\"");
    }
}
