package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.AgentSession;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.CompactionId;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.ToolKind;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an agent's sessions put on the wire; the client is played by hand. */
@Timeout(60)
@ExtendWith(LeakRule.class)
class AgentSessionsTest {
    private static final String CWD = "\"cwd\":" + RawJson.string(PlayedAgent.HERE.toString());

    private final Transports ends = Transports.joined();
    private final ScriptedPeer client = new ScriptedPeer(ends.client());
    private final CompletableFuture<AgentSession> opened = new CompletableFuture<>();
    private final BlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
    private @Nullable ConnectedClient served;

    @RegisterExtension
    final AfterTestExecutionCallback closing = context -> {
        context.getExecutionException()
                .ifPresent(e -> e.addSuppressed(new AssertionError("the wire:\n" + client.wire())));
        client.close();
        if (served != null) {
            served.close();
        }
        ends.close();
    };

    private void serve(Agent.Builder agent) throws Exception {
        serve(agent, "{}");
    }

    /** Serves an agent to a client with these capabilities, and opens session {@code s}. */
    private void serve(Agent.Builder agent, String capabilities) throws Exception {
        served = agent.sessionIds(() -> SessionId.of("s"))
                .onProblem(problems::add)
                .onNewSession(opened::complete)
                .build()
                .connect(ends.agent());
        client.request(1, "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":" + capabilities + "}");
        client.expectResult(1);
        client.request(2, "session/new", "{" + CWD + ",\"mcpServers\":[]}");
        client.expectResult(2);
    }

    private static Agent.Builder agent() {
        return Agent.builder("agent", "1").onPrompt(turn -> {});
    }

    private void prompts(long id, String text) throws Exception {
        client.request(
                id,
                "session/prompt",
                "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}");
    }

    private void expectMessage(String text) throws Exception {
        assertThat(RawJson.of(client.expect("session/update")).toString()).contains("\"text\":\"" + text + "\"");
    }

    private static Meta large() {
        return Meta.of("large", RawJson.string("x".repeat(8_000_000)));
    }

    private static String text(JsonObject message) {
        return RawJson.of(message).toString();
    }

    @Test
    @Tag("SE1-19")
    void twoPromptsAtOnceAreTwoTurnsOneAfterTheOtherOnTheWireToo() throws Exception {
        serve(agent().onPrompt(turn -> {
            turn.message(turn.text());
            // An answer that takes its time to be written: the next turn must not begin before.
            turn.responseMeta(large());
        }));

        prompts(3, "one");
        prompts(4, "two");

        expectMessage("one");
        client.expectResult(3);
        expectMessage("two");
        client.expectResult(4);
    }

    @Test
    @Tag("SE1-28")
    @Tag("SE1-30")
    @Tag("CAN-23")
    void closingCancelsTheTurnThenComeItsLastWordsThenItsAnswerAndThenNothing() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        serve(agent().onCloseSession(session -> {}).onPrompt(turn -> {
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                turn.session().message("last words");
                turn.responseMeta(large());
            }
        }));
        prompts(3, "go");
        running.await();

        client.request(4, "session/close", "{\"sessionId\":\"s\"}");

        expectMessage("last words");
        assertThat(client.expectResult(3).toString()).contains("cancelled");
        client.expectResult(4);
        assertThatThrownBy(() -> opened.get().message("too late")).hasMessage("session s is closed");
        prompts(5, "more");
        assertThat(text(client.expectError(5))).contains("-32002");
    }

    @Test
    @Tag("SE1-29")
    void deletingASessionThatRunsCancelsItFirst() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        List<String> order = new CopyOnWriteArrayList<>();
        serve(agent().onDeleteSession((from, id) -> order.add("deleted " + id)).onPrompt(turn -> {
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                order.add("cancelled " + turn.isCancelled());
            }
        }));
        prompts(3, "go");
        running.await();

        client.request(4, "session/delete", "{\"sessionId\":\"s\"}");

        assertThat(client.expectResult(3).toString()).contains("cancelled");
        client.expectResult(4);
        assertThat(order).containsExactly("cancelled true", "deleted s");
    }

    @Test
    @Tag("SE1-30")
    void theIdOfASessionThatIsOpenIsNotGivenToAnother() throws Exception {
        serve(agent().onPrompt(turn -> turn.message("still the first")));

        client.request(3, "session/new", "{" + CWD + ",\"mcpServers\":[]}");

        assertThat(text(client.expectError(3))).contains("-32603");
        assertThat(problems.take().detail()).contains("sessionIds gave the id of a session that is open: s");
        prompts(4, "go");
        expectMessage("still the first");
        client.expectResult(4);
    }

    @ParameterizedTest
    @Tag("SE1-32")
    @ValueSource(strings = {"src", "", "./x", "../up", "\\u0000"})
    void aFolderThatIsNotAbsoluteIsRefused(String cwd) throws Exception {
        serve(agent().onLoadSession(session -> {}).supports(Feature.ADDITIONAL_DIRECTORIES));

        client.request(3, "session/new", "{\"cwd\":\"" + cwd + "\",\"mcpServers\":[]}");
        assertThat(text(client.expectError(3))).contains("-32602").contains("params.cwd");
        client.request(4, "session/load", "{\"sessionId\":\"t\",\"cwd\":\"" + cwd + "\",\"mcpServers\":[]}");
        assertThat(text(client.expectError(4))).contains("-32602").contains("params.cwd");
        client.request(5, "session/new", "{" + CWD + ",\"mcpServers\":[],\"additionalDirectories\":[\"" + cwd + "\"]}");
        assertThat(text(client.expectError(5))).contains("-32602").contains("params.additionalDirectories[0]");
    }

    @Test
    @Tag("SE1-24")
    void noticesAndCompactionsAreSentToClientsThatShowThem() throws Exception {
        CompactionUpdate compaction = CompactionUpdate.builder(CompactionId.of("c"), CompactionStatus.COMPLETED)
                .build();
        serve(
                agent().onPrompt(turn -> {
                    turn.notice(NoticeSeverity.INFO, "Note", null);
                    turn.compaction(compaction);
                    turn.message("done");
                }),
                "{\"session\":{\"notices\":{},\"compaction\":{}}}");

        prompts(3, "go");

        assertThat(text(client.expect("session/update"))).contains("\"notice\"");
        assertThat(text(client.expect("session/update"))).contains("\"compaction_update\"");
        expectMessage("done");
    }

    @ParameterizedTest
    @Tag("SE1-24")
    @ValueSource(strings = {"{}", "{\"session\":null}", "{\"session\":{}}", "{\"session\":{\"notices\":null}}"})
    void noticesAndCompactionsAreNotSentToOthers(String capabilities) throws Exception {
        CompactionUpdate compaction = CompactionUpdate.builder(CompactionId.of("c"), CompactionStatus.COMPLETED)
                .build();
        serve(
                agent().onPrompt(turn -> {
                    turn.notice(NoticeSeverity.INFO, "Note", null);
                    turn.compaction(compaction);
                    turn.message("done");
                }),
                capabilities);

        prompts(3, "go");

        expectMessage("done");
    }

    @Test
    @Tag("SE1-26")
    void aTurnSendsUpdatesOfItsSessionAndStopsAsCancelledByItself() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        serve(agent().onPrompt(turn -> {
            turn.thought("hm");
            turn.toolCall("look", ToolKind.READ).start();
            turn.mode(SessionModeId.of("code"));
            turn.title("A title");
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // The thread is no longer interrupted, but the turn is still cancelled.
                turn.checkCancelled();
            }
        }));
        prompts(3, "go");
        running.await();

        client.notification("session/cancel", "{\"sessionId\":\"s\"}");

        for (String kind : List.of(
                "agent_thought_chunk", "tool_call", "tool_call_update", "current_mode_update", "session_info_update")) {
            assertThat(text(client.expect("session/update"))).contains("\"sessionUpdate\":\"" + kind + "\"");
        }
        assertThat(client.expectResult(3).toString()).contains("cancelled");
        opened.get().message("between turns");
        expectMessage("between turns");
    }
}
