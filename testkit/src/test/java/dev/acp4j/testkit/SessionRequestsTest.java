package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.SessionSetup;
import dev.acp4j.Turn;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.StopReason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a client's sessions ask of an agent, and what they make of its answers. */
@Timeout(60)
@ExtendWith(LeakRule.class)
class SessionRequestsTest {
    private static final Path HERE = PlayedAgent.HERE;
    private static final String MODES =
            ",\"modes\":{\"currentModeId\":\"ask\",\"availableModes\":[{\"id\":\"ask\",\"name\":\"Ask\"},"
                    + "{\"id\":\"code\",\"name\":\"Code\"}]}";

    @RegisterExtension
    final PlayedAgent played = new PlayedAgent();

    private static String text(JsonObject message) {
        return RawJson.of(message).toString();
    }

    private static String options(String current) {
        return "\"configOptions\":[{\"id\":\"model\",\"name\":\"Model\",\"type\":\"select\",\"currentValue\":\""
                + current
                + "\",\"options\":[{\"value\":\"small\",\"name\":\"S\"},{\"value\":\"big\",\"name\":\"L\"}]}]";
    }

    private void answersError(JsonObject request, String error) throws Exception {
        played.peer.send("{\"jsonrpc\":\"2.0\",\"id\":"
                + RawJson.of(request.get("id").orElseThrow()) + ",\"error\":" + error + "}");
    }

    // ---- opening

    @Test
    @Tag("SE1-07")
    void anAgentThatRefusesToOpenASessionSaysWhyAndTheConnectionLives() throws Exception {
        ConnectedAgent agent = played.connect();
        FutureTask<Session> opening = PlayedAgent.start(() -> agent.newSession(HERE));

        answersError(
                played.peer.expect("session/new"), "{\"code\":-32099,\"message\":\"no room\",\"data\":{\"free\":0}}");

        assertThatThrownBy(opening::get).cause().isInstanceOfSatisfying(RpcError.class, e -> {
            assertThat(e.code()).isEqualTo(-32099);
            assertThat(e.data()).hasValue(RawJson.parse("{\"free\":0}"));
        });
        assertThat(played.open("").id()).isEqualTo(SessionId.of("s"));
    }

    @Test
    @Tag("SE1-31")
    void mcpServersAreWrittenEvenWhenThereAreNone() throws Exception {
        ConnectedAgent agent = played.connect(Client.builder("client", "1"), "{\"loadSession\":true}");
        String empty = "\"mcpServers\":[]";

        FutureTask<Session> opening = PlayedAgent.start(() -> agent.newSession(HERE));
        JsonObject open = played.peer.expect("session/new");
        played.peer.answer(open, "{\"sessionId\":\"s\"}");
        FutureTask<Session> loading = PlayedAgent.start(() -> agent.loadSession(SessionId.of("t"), HERE));
        JsonObject load = played.peer.expect("session/load");
        played.peer.answer(load, "{}");

        assertThat(text(open)).contains(empty);
        assertThat(text(load)).contains(empty);
        assertThat(loading.get()).isNotSameAs(opening.get());
    }

    @Test
    @Tag("SE1-14")
    void aSetupIsCopiedAndItsChangesAreNewOnes() {
        List<McpServer> servers = new ArrayList<>(List.of(McpServer.Stdio.of("a", "/a", List.of(), List.of())));
        SessionSetup plain = SessionSetup.in(HERE);

        SessionSetup more = plain.withMcpServers(servers).withAdditionalDirectories(List.of(HERE.resolve("x")));
        servers.clear();

        assertThat(plain.mcpServers()).isEmpty();
        assertThat(more.mcpServers()).hasSize(1);
        assertThat(more.withAdditionalDirectories(List.of(HERE.resolve("y"))).additionalDirectories())
                .containsExactly(HERE.resolve("y"));
    }

    @Test
    void anAgentThatGivesAnIdTwiceIsToldApart() throws Exception {
        Session first = played.open();
        FutureTask<Session> opening = PlayedAgent.start(() -> played.agent().newSession(HERE));

        played.peer.answer(played.peer.expect("session/new"), "{\"sessionId\":\"s\"}");

        assertThatThrownBy(opening::get)
                .hasCauseInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("the agent gave the id of a session that is open: s");
        assertThat(first.setup().cwd()).isEqualTo(HERE);
    }

    @Test
    @Tag("CAN-18")
    void aSessionThatIsOpenedWhenNobodyWaitsForItAnyMoreIsClosedAgain() throws Exception {
        ConnectedAgent agent =
                played.connect(Client.builder("client", "1"), "{\"sessionCapabilities\":{\"close\":{}}}");
        FutureTask<Session> opening = PlayedAgent.start(() -> agent.newSession(HERE));
        JsonObject request = played.peer.expect("session/new");

        opening.cancel(true);
        played.peer.expect("$/cancel_request");
        played.peer.answer(request, "{\"sessionId\":\"s\"}");

        JsonObject close = played.peer.expect("session/close");
        assertThat(text(close)).contains("\"sessionId\":\"s\"");
        played.peer.answer(close, "{}");
        assertThat(played.open("").id()).isEqualTo(SessionId.of("s"));
    }

    // ---- prompting

    @Test
    @Tag("SE1-08")
    void anErrorOfAPromptReachesItsReaderAndTheConnectionLives() throws Exception {
        Session session = played.open();
        Turn turn = session.prompt("go");
        FutureTask<Integer> reading = PlayedAgent.start(() -> {
            int events = 0;
            for (SessionEvent event : turn) {
                events += event instanceof SessionEvent.Message ? 1 : 0;
            }
            return events;
        });
        JsonObject prompt = played.peer.expect("session/prompt");

        played.says("well");
        answersError(prompt, "{\"code\":-32603,\"message\":\"out of tokens\"}");

        assertThat(reading.get()).isEqualTo(1);
        assertThatThrownBy(turn::result)
                .isInstanceOf(RpcError.class)
                .hasMessage("session/prompt: out of tokens (-32603)");
        Turn next = session.prompt("again");
        played.peer.answer(played.peer.expect("session/prompt"), "{\"stopReason\":\"end_turn\"}");
        assertThat(next.text()).isEmpty();
    }

    @Test
    @Tag("SE1-09")
    @Tag("REQ-16")
    void promptsTakeTextAndBlocksOfKindsThatTheAgentOffers() throws Exception {
        ContentBlock image = ContentBlock.image(new byte[] {1}, "image/png");
        ContentBlock audio = ContentBlock.audio(new byte[] {1}, "audio/wav");
        ContentBlock file = ContentBlock.resource(ResourceContents.text("file:///a", "x"));
        ContentBlock link = ContentBlock.resourceLink("a", "file:///a");
        played.connect(Client.builder("client", "1"), "{\"promptCapabilities\":{\"image\":true}}");
        Session session = played.open("");

        assertThatThrownBy(() -> session.prompt(List.of(audio)))
                .hasMessage("the agent does not offer audio in prompts");
        assertThatThrownBy(() -> session.prompt(List.of(link, file)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the agent does not offer embedded resources in prompts");
        Turn text = session.prompt("just text");
        assertThat(text(played.peer.receive())).contains("\"prompt\":[{\"type\":\"text\",\"text\":\"just text\"}]");
        text.cancel();
        played.peer.expect("session/cancel");
        played.peer.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"stopReason\":\"cancelled\"}}");
        assertThat(text.result()).isNotNull();
        Turn blocks = session.prompt(List.of(ContentBlock.text("and"), image, link));
        assertThat(text(played.peer.expect("session/prompt")))
                .containsSubsequence("\"type\":\"text\"", "\"type\":\"image\"", "\"type\":\"resource_link\"");
        blocks.close();
    }

    @Test
    @Tag("REQ-02")
    @Tag("REQ-04")
    void closingATurnCancelsItOnceAndOneThatWaitsIsNeverSent() throws Exception {
        Session session = played.open();
        Turn running = session.prompt("one");
        Turn waiting = session.prompt("two");
        JsonObject prompt = played.peer.expect("session/prompt");

        waiting.close();
        running.close();
        running.close();
        session.cancel();
        played.agent().send("_after", null);

        played.peer.expect("session/cancel");
        played.peer.expect("_after");
        played.peer.answer(prompt, "{\"stopReason\":\"cancelled\"}");
        assertThat(running.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(waiting.result().stopReason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    @Tag("REQ-05")
    void whoIsInterruptedWhileReadingATurnCancelsItAndStaysInterrupted() throws Exception {
        Session session = played.open();
        Turn turn = session.prompt("go");
        played.peer.expect("session/prompt");

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> turn.iterator().hasNext()).isInstanceOf(CancellationException.class);

        assertThat(Thread.interrupted()).isTrue();
        played.peer.expect("session/cancel");
    }

    // ---- state

    @Test
    @Tag("SE1-12")
    @Tag("SE1-13")
    @Tag("SE1-33")
    void modesAndOptionsAreThoseOfTheAnswerThenOfUpdatesThenOfWhatWasSet() throws Exception {
        played.connect();
        Session session = played.open(MODES + "," + options("small") + ",\"_meta\":{\"a\":1}");
        assertThat(mode(session)).isEqualTo("ask");
        assertThat(model(session)).isEqualTo("small");
        assertThat(session.meta().get("a")).hasValue(RawJson.number(1));

        played.update("current_mode_update", "\"currentModeId\":\"code\"");
        played.update("config_option_update", options("big"));
        played.settle();
        assertThat(mode(session)).isEqualTo("code");
        assertThat(model(session)).isEqualTo("big");

        FutureTask<Boolean> setting = PlayedAgent.start(() -> {
            session.setConfigOption("mode", "ask");
            session.setConfigOption(
                    SessionConfigId.of("model"), SessionConfigOptionValue.of(SessionConfigValueId.of("small")));
            return true;
        });
        played.peer.answer(played.peer.expect("session/set_mode"), "{}");
        played.peer.answer(played.peer.expect("session/set_config_option"), "{" + options("small") + "}");
        assertThat(setting.get()).isTrue();
        assertThat(mode(session)).isEqualTo("ask");
        assertThat(model(session)).isEqualTo("small");
        assertThat(modeOption(session).options().options()).hasSize(2);
    }

    private static String mode(Session session) {
        return modeOption(session).currentValue().value();
    }

    private static SessionConfigOption.Select modeOption(Session session) {
        return (SessionConfigOption.Select)
                session.view().configOption(SessionConfigOptionCategory.MODE).orElseThrow();
    }

    private static String model(Session session) {
        SessionConfigOption option = session.view().configOptions().get(1);
        return option instanceof SessionConfigOption.Select select
                ? select.currentValue().value()
                : "not a choice";
    }

    @Test
    @Tag("SE1-27")
    void listingFetchesPagesAsTheyAreNeededAndKeepsTheFolder() throws Exception {
        ConnectedAgent agent = played.connect(Client.builder("client", "1"), "{\"sessionCapabilities\":{\"list\":{}}}");
        CountDownLatch first = new CountDownLatch(1);
        FutureTask<List<String>> listing = PlayedAgent.start(() -> {
            List<String> ids = new ArrayList<>();
            for (SessionInfo info : agent.listSessions(HERE)) {
                ids.add(info.sessionId().value());
                first.countDown();
            }
            return ids;
        });

        JsonObject one = played.peer.expect("session/list");
        assertThat(text(one))
                .contains("\"cwd\":" + RawJson.string(HERE.toString()))
                .doesNotContain("cursor");
        played.peer.answer(one, "{\"sessions\":[" + info("a") + "," + info("b") + "],\"nextCursor\":\"c1\"}");
        assertThat(first.await(20, TimeUnit.SECONDS)).isTrue();
        JsonObject two = played.peer.expect("session/list");
        assertThat(text(two))
                .contains("\"cwd\":" + RawJson.string(HERE.toString()))
                .contains("\"cursor\":\"c1\"");
        played.peer.answer(two, "{\"sessions\":[],\"nextCursor\":\"c2\"}");
        played.peer.answer(played.peer.expect("session/list"), "{\"sessions\":[" + info("c") + "]}");

        assertThat(listing.get()).containsExactly("a", "b", "c");
    }

    private static String info(String id) {
        return "{\"sessionId\":\"" + id + "\",\"cwd\":\"/work\"}";
    }

    // ---- leaving

    @Test
    @Tag("SE1-15")
    @Tag("REQ-04")
    void detachingTellsTheAgentNothing() throws Exception {
        played.connect(Client.builder("client", "1"), "{\"sessionCapabilities\":{\"close\":{}}}");

        played.open("").detach();
        played.agent().send("_after", null);

        played.peer.expect("_after");
    }

    @Test
    @Tag("SE1-15")
    void closingASessionOfAnAgentThatClosesNoneTellsItNothing() throws Exception {
        Session session = played.open();

        session.close();
        played.agent().send("_after", null);

        played.peer.expect("_after");
        assertThatThrownBy(() -> session.prompt("more")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag("SE1-15")
    @Tag("SE1-16")
    void aSessionIsClosedAtTheAgentThatOffersItHoweverItsScopeEnds() throws Exception {
        played.connect(Client.builder("client", "1"), "{\"sessionCapabilities\":{\"close\":{}}}");
        Session session = played.open("");
        FutureTask<Boolean> scope = PlayedAgent.start(() -> {
            try (session) {
                throw new IllegalStateException("of the program");
            }
        });

        JsonObject close = played.peer.expect("session/close");
        assertThat(text(close)).contains("\"sessionId\":\"s\"");
        played.peer.answer(close, "{}");

        assertThatThrownBy(scope::get).hasRootCauseMessage("of the program");
    }

    @Test
    @Tag("SE1-17")
    void aSessionThatWasLeftTakesNoPromptsAndItsUpdatesAreHeardByTheClient() throws Exception {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        played.connect(
                Client.builder("client", "1").onEvent((session, event) -> heard.add("client " + session.id())), "{}");
        Session session = played.open("");
        session.onEvent((same, event) -> heard.add("session"));

        session.detach();
        played.says("still here");
        played.settle();

        assertThatThrownBy(() -> session.prompt("more"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("session s was closed, detached or deleted here");
        assertThat(heard).containsExactly("client s");
        assertThat(session.view().messages()).isEmpty();
    }
}
