package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.UnsupportedException;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands that an agent runs in one line, as real processes of the client. */
@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class RunTest {
    @TempDir
    Path root;

    private interface Body {
        void run(ConnectedAgent agent) throws Exception;
    }

    private void with(Agent.PromptHandler handler, boolean terminals, Body body) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Client.Builder client = Client.builder("client", "1");
        try (ConnectedClient served =
                        Agent.builder("runner", "1").onPrompt(handler).build().connect(pair.left());
                ConnectedAgent agent = (terminals ? Workspace.offerTo(client) : client).connect(pair.right())) {
            body.run(agent);
            assertThat(served.isOpen()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"0, COMPLETED", "3, FAILED"})
    void theToolCallOfACommandEndsAsTheCommandDoes(long exit, String status) throws Exception {
        with(
                turn -> {
                    var ended = turn.run("sh", "-c", "pwd; exit " + exit);
                    turn.message(ended.exitCode() + " " + ended.output());
                },
                true,
                agent -> {
                    Session session = agent.newSession(root.toRealPath());

                    assertThat(session.prompt("go").text()).isEqualTo(exit + " " + root.toRealPath() + "\n");
                    Entry.ToolCall call = session.view().toolCalls().getFirst();
                    assertThat(call.title()).isEqualTo("sh -c pwd; exit " + exit);
                    assertThat(call.status()).isEqualTo(ToolCallStatus.of(status.toLowerCase(Locale.ROOT)));
                    assertThat(call.content()).singleElement().isInstanceOf(ToolCallContent.Terminal.class);
                });
    }

    @Test
    void aClientWithoutTerminalsIsNotAskedAndTheToolCallFails() throws Exception {
        with(
                turn -> {
                    try {
                        turn.run("true");
                    } catch (UnsupportedException e) {
                        turn.message(String.valueOf(e.getMessage()));
                    }
                },
                false,
                agent -> {
                    Session session = agent.newSession(root.toRealPath());

                    assertThat(session.prompt("go").text()).contains("terminals");
                    assertThat(session.view().toolCalls().getFirst().status()).isEqualTo(ToolCallStatus.FAILED);
                });
    }
}
