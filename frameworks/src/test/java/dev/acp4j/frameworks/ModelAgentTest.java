package dev.acp4j.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Session;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.testkit.AcpExtension;
import dev.acp4j.testkit.TestClient;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class ModelAgentTest {
    private final ScriptedModel model = new ScriptedModel();

    @RegisterExtension
    final AcpExtension acp = AcpExtension.agent(ModelAgent.create(model));

    @Test
    void theTextOfTheModelIsStreamed(Session session) throws Exception {
        assertThat(session.prompt("hello").text()).isEqualTo("You said: hello");
        assertThat(session.prompt("and again").text()).isEqualTo("You said: and again");
    }

    @Test
    void aToolOfTheModelIsAToolCallThatAsks(Session session, TestClient client, Path folder) throws Exception {
        client.decide(PermissionOptionKind.ALLOW_ONCE, PermissionOptionKind.REJECT_ONCE);

        assertThat(session.prompt("write note.txt hello").text()).isEqualTo("Written.");
        assertThat(session.prompt("write other.txt hello").text()).isEqualTo("The user does not allow this.");

        assertThat(client.text(folder.resolve("note.txt"))).contains("hello");
        assertThat(client.text(folder.resolve("other.txt"))).isEmpty();
        assertThat(session.view().toolCalls())
                .extracting(call -> call.status())
                .containsExactly(ToolCallStatus.COMPLETED, ToolCallStatus.FAILED);
    }

    @Test
    void cancellingTheTurnCancelsTheModel(Session session) throws Exception {
        try (var turn = session.prompt("think")) {
            assertThat(turn.iterator().hasNext()).isTrue();
            turn.cancel();

            assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        }
        model.awaitEnd();
        assertThat(session.prompt("hello").text()).isEqualTo("You said: hello");
    }

    @Test
    void theClientSeesWhyTheModelFailed(Session session) throws Exception {
        try (var turn = session.prompt("fail")) {
            assertThatThrownBy(turn::result).isInstanceOf(RpcError.class).hasMessageContaining("the key is wrong");
        }
    }
}
