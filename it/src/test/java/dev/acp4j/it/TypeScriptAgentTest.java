package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.AgentConnection;
import dev.acp4j.AgentProcess;
import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.testkit.LeakRule;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Our client drives an agent of the official TypeScript SDK. */
@Timeout(300)
@Tag("TST-08")
@ExtendWith(LeakRule.class)
class TypeScriptAgentTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    private static AgentConnection connect(Client.Builder client) throws Exception {
        return client.connect(AgentProcess.of(
                "node", NodePrograms.folder().resolve("agent.mjs").toString()));
    }

    private static Client.Builder client() {
        return Client.builder("acp4j-it", "1");
    }

    @Test
    void allUpdatesOfABurstAreHandledBeforeTheTurnEnds() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        try (AgentConnection agent = connect(client().onEvent((session, event) -> {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            handled.incrementAndGet();
        }))) {
            agent.newSession(HERE).prompt("burst").result();

            assertThat(handled).hasValue(500);
        }
    }

    @Test
    void permissionAndFilesAndCancelAndLoad() throws Exception {
        Client.Builder client = client().onPermission(request -> request.allowOnce())
                .onReadTextFile((session, request) -> "content of " + request.path());
        try (AgentConnection agent = connect(client)) {
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
}
