package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Entry;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.SessionSetup;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SetSessionModeRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ReferenceAgentSessionTest {
    @TempDir
    Path folder;

    @TempDir
    Path other;

    private final Agent agent = ReferenceAgent.create();

    @BeforeEach
    void makeWorkspace() {
        new TestWorkspace(folder).file("a.txt", "alpha\n").file("b.txt", "beta\n");
    }

    private static SessionConfigOption.Select select(List<SessionConfigOption> options) {
        assertThat(options).hasSize(1);
        return (SessionConfigOption.Select) options.getFirst();
    }

    private static List<String> texts(Session session, Entry.Message.Author author) {
        return session.view().messages().stream()
                .filter(message -> message.author() == author)
                .map(Entry.Message::text)
                .toList();
    }

    private static String pom() {
        return new TestWorkspace(Path.of("").toAbsolutePath()).text("pom.xml");
    }

    @Test
    void whatItCanDoIsAdvertised() throws Exception {
        try (Editor editor = Editor.of(agent)) {
            assertThat(editor.agent().info()).hasValueSatisfying(info -> {
                assertThat(info.name()).isEqualTo("acp4j-agent");
                assertThat(info.title()).isEqualTo("acp4j reference agent");
                assertThat(pom()).contains("<version>" + info.version());
            });
            assertThat(EnumSet.allOf(Feature.class).stream().filter(editor.agent()::supports))
                    .containsExactlyInAnyOrder(
                            Feature.SESSIONS,
                            Feature.LOAD_SESSION,
                            Feature.PROMPT_RESOURCES,
                            Feature.MCP_STDIO,
                            Feature.MCP_HTTP,
                            Feature.MCP_ACP,
                            Feature.LIST_SESSIONS,
                            Feature.RESUME_SESSION,
                            Feature.CLOSE_SESSION,
                            Feature.DELETE_SESSION,
                            Feature.ADDITIONAL_DIRECTORIES,
                            Feature.LOGIN,
                            Feature.LOGOUT);
        }
    }

    @Test
    void aLoadedSessionIsToldAgain() throws Exception {
        SessionId id;
        List<String> said;
        List<Entry.ToolCall> called;
        try (Editor editor = Editor.of(agent)) {
            Session session = editor.open(folder);
            id = session.id();
            session.prompt("alpha").text();
            session.prompt("/replace alpha gamma").text();
            session.prompt("/run echo done").text();
            said = texts(session, Entry.Message.Author.AGENT);
            called = session.view().toolCalls();
        }

        try (Editor editor = Editor.of(agent)) {
            Session loaded = editor.agent().loadSession(id, folder);

            assertThat(texts(loaded, Entry.Message.Author.AGENT)).isEqualTo(said);
            assertThat(texts(loaded, Entry.Message.Author.USER))
                    .containsExactly("alpha", "/replace alpha gamma", "/run echo done");
            assertThat(loaded.view().toolCalls()).containsExactlyElementsOf(called);
            assertThat(loaded.view().commands()).isNotEmpty();
            assertThat(loaded.prompt("gamma").text()).contains("a.txt:1");
            assertThat(loaded.view().toolCalls()).hasSize(called.size() + 1);
        }
    }

    @Test
    void aResumedSessionGoesOnWithoutBeingToldAgain() throws Exception {
        SessionId id;
        try (Editor editor = Editor.of(agent)) {
            Session session = editor.open(folder);
            id = session.id();
            session.prompt("alpha").text();
            session.setConfigOption("mode", "read-only");
        }

        try (Editor editor = Editor.of(agent)) {
            Session resumed = editor.agent().resumeSession(id, folder);

            assertThat(resumed.view().messages()).isEmpty();
            assertThat(select(resumed.view().configOptions()).currentValue())
                    .isEqualTo(SessionConfigValueId.of("read-only"));
            assertThat(resumed.prompt("beta").text()).contains("b.txt:1");
        }
    }

    @Test
    void anUnknownSessionIsNotLoaded() throws Exception {
        try (Editor editor = Editor.of(agent)) {
            Session session = editor.open(folder);

            assertThatThrownBy(() -> editor.agent().loadSession(SessionId.of("nobody"), folder))
                    .isInstanceOf(RpcError.class)
                    .hasMessageContaining("nobody");
            session.detach();
            assertThatThrownBy(() -> editor.agent().loadSession(session.id(), other))
                    .isInstanceOf(RpcError.class)
                    .hasMessageContaining("cwd");
        }
    }

    @Test
    void sessionsAreListedByFolderTheLatestFirst() throws Exception {
        try (Editor editor = Editor.of(agent)) {
            Session first = editor.open(folder);
            first.prompt("what is alpha?").text();
            Session second = editor.open(folder);
            Session third = editor.open(other);

            assertThat(editor.agent().listSessions(null))
                    .extracting(SessionInfo::sessionId)
                    .containsExactly(third.id(), second.id(), first.id());
            assertThat(editor.agent().listSessions(folder))
                    .extracting(SessionInfo::title)
                    .containsExactly(null, "what is alpha?");
            assertThat(editor.agent().listSessions(folder)).allSatisfy(info -> {
                assertThat(info.cwd()).isEqualTo(folder.toString());
                assertThat(info.updatedInstant()).isPresent();
            });
        }
    }

    @Test
    void aLongListComesInPages() throws Exception {
        try (Editor editor = Editor.of(agent)) {
            List<SessionId> opened = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                opened.addFirst(editor.open(folder).id());
            }

            ListSessionsResponse page = editor.agent()
                    .call(
                            AgentMethods.LIST_SESSIONS,
                            ListSessionsRequest.builder().build());
            assertThat(page.sessions()).hasSize(50);
            assertThat(page.nextCursor()).isNotNull();
            assertThat(editor.agent().listSessions(folder))
                    .extracting(SessionInfo::sessionId)
                    .containsExactlyElementsOf(opened);
            assertThatThrownBy(() -> editor.agent()
                            .call(
                                    AgentMethods.LIST_SESSIONS,
                                    ListSessionsRequest.builder()
                                            .cursor("made up")
                                            .build()))
                    .isInstanceOf(RpcError.class)
                    .hasMessageContaining("cursor");
        }
    }

    @Test
    void aClosedSessionIsStillListedAndADeletedOneIsNot() throws Exception {
        try (Editor editor = Editor.of(agent)) {
            Session session = editor.open(folder);
            SessionId id = session.id();
            session.prompt("alpha").text();

            session.close();
            assertThat(editor.agent().listSessions(null))
                    .extracting(SessionInfo::sessionId)
                    .containsExactly(id);
            assertThat(editor.agent().loadSession(id, folder).view().messages()).hasSize(2);

            editor.agent().deleteSession(id);
            editor.agent().deleteSession(id);
            assertThat(editor.agent().listSessions(null)).isEmpty();
            assertThatThrownBy(() -> editor.agent().loadSession(id, folder)).isInstanceOf(RpcError.class);
        }
    }

    @Test
    void theModeMayBeSetEitherWay() throws Exception {
        try (Editor editor = Editor.of(agent)) {
            Session session = editor.open(folder);
            assertThat(session.view().configOptions()).hasSize(1);
            assertThat(select(session.view().configOptions()).currentValue()).isEqualTo(SessionConfigValueId.of("ask"));
            assertThat(select(session.view().configOptions()).options().options())
                    .extracting(SessionConfigSelectOption::value)
                    .containsExactly(SessionConfigValueId.of("ask"), SessionConfigValueId.of("read-only"));

            editor.agent()
                    .call(AgentMethods.SET_MODE, SetSessionModeRequest.of(session.id(), SessionModeId.of("read-only")));
            assertThat(select(session.view().configOptions()).currentValue())
                    .isEqualTo(SessionConfigValueId.of("read-only"));

            List<SessionConfigOption> options = session.setConfigOption("mode", "ask");
            assertThat(select(options).currentValue()).isEqualTo(SessionConfigValueId.of("ask"));
            assertThat(editor.events())
                    .last()
                    .isInstanceOfSatisfying(
                            SessionEvent.ConfigChanged.class,
                            changed -> assertThat(select(changed.options()).currentValue())
                                    .isEqualTo(SessionConfigValueId.of("ask")));
        }
    }

    @Test
    void unknownModesAndOptionsAreRefused() throws Exception {
        try (Editor editor = Editor.of(agent)) {
            Session session = editor.open(folder);

            assertThatThrownBy(() -> editor.agent()
                            .call(
                                    AgentMethods.SET_MODE,
                                    SetSessionModeRequest.of(session.id(), SessionModeId.of("wild"))))
                    .isInstanceOf(RpcError.class)
                    .hasMessageContaining("wild");
            assertThatThrownBy(() -> session.setConfigOption(
                            SessionConfigId.of("mode"), SessionConfigOptionValue.of(SessionConfigValueId.of("wild"))))
                    .isInstanceOf(RpcError.class);
            assertThatThrownBy(() -> session.setConfigOption(
                            SessionConfigId.of("model"), SessionConfigOptionValue.of(SessionConfigValueId.of("ask"))))
                    .isInstanceOf(RpcError.class);
        }
    }

    @Test
    void aReadOnlySessionShowsWhatItWouldDo() throws Exception {
        try (Editor editor = Editor.of(agent)) {
            Session session = editor.open(folder);
            session.setConfigOption("mode", "read-only");

            assertThat(session.prompt("/replace alpha gamma").text())
                    .contains("```diff")
                    .contains("-alpha")
                    .contains("+gamma")
                    .contains("read-only");
            assertThat(session.prompt("/fix alpha -> gamma").text()).contains("+gamma");
            assertThat(session.prompt("/run touch made").text()).contains("read-only");
            assertThat(folder.resolve("made")).doesNotExist();
            assertThat(new TestWorkspace(folder).text("a.txt")).isEqualTo("alpha\n");
            assertThat(editor.asked()).isEmpty();
        }
    }

    @Test
    void readOnlyHoldsEvenWhenItIsSetWhileAQuestionIsOpen() throws Exception {
        try (Editor editor = Editor.of(agent)) {
            Session session = editor.open(folder);
            editor.policy(asked -> {
                session.setConfigOption("mode", "read-only");
                return asked.allowOnce();
            });

            assertThat(session.prompt("/replace alpha gamma").text()).isEqualTo("Nothing was changed.\n");

            assertThat(new TestWorkspace(folder).text("a.txt")).isEqualTo("alpha\n");
        }
    }

    @Test
    void filesOfAdditionalDirectoriesAreSearchedToo() throws Exception {
        new TestWorkspace(other).file("c.txt", "delta\n");
        try (Editor editor = Editor.of(agent)) {
            Session session =
                    editor.agent().newSession(SessionSetup.in(folder).withAdditionalDirectories(List.of(other)));

            assertThat(session.prompt("delta").text()).contains(other.resolve("c.txt") + ":1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\\ud800\"", "\"/a\\u0000\"", "\"relative\""})
    void aListForWhatIsNoFolderIsRefused(String cwd) throws Exception {
        try (Editor editor = Editor.of(agent)) {
            editor.open(folder);

            assertThatThrownBy(() -> editor.agent().call("session/list", RawJson.parse("{\"cwd\":" + cwd + "}")))
                    .isInstanceOfSatisfying(
                            RpcError.class, e -> assertThat(e.code()).isEqualTo(RpcError.INVALID_PARAMS))
                    .hasMessageContaining("params.cwd");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"file:///a%00b", "file:///%ED%A0%80", "file:///\ud800", "file:", "file:a", "file://[", "\u0000"})
    void aLinkToWhatIsNoPathIsSaidToBeOfNoUse(String address) throws Exception {
        try (Editor editor = Editor.of(agent)) {
            Session session = editor.open(folder);

            Turn turn = session.prompt(List.of(ContentBlock.text("alpha"), ContentBlock.resourceLink("x", address)));

            assertThat(turn.text()).contains("I cannot read", "a.txt");
        }
    }
}
