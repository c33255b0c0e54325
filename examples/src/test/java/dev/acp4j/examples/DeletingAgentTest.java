package dev.acp4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Session;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.testkit.AcpExtension;
import dev.acp4j.testkit.TestClient;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test of an agent, as docs/testkit.md shows it. */
class DeletingAgentTest {
    @RegisterExtension
    final AcpExtension acp = AcpExtension.agent(
            Agent.builder("deleting", "1.0").onPrompt(AgentRecipes::delete).build());

    @Test
    void deletesAFileThatTheUserGivesUp(Session session, TestClient client, Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("old.txt"), "");
        client.decide(PermissionOptionKind.ALLOW_ONCE);

        session.prompt("old.txt").result();

        assertThat(file).doesNotExist();
        assertThat(client.permissions()).hasSize(1);
    }

    @Test
    void failsTheToolCallWhenTheUserRefuses(Session session, TestClient client, Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("old.txt"), "");
        client.decide(PermissionOptionKind.REJECT_ONCE);

        session.prompt("old.txt").result();

        assertThat(file).exists();
        assertThat(session.view().toolCalls().getFirst().status()).isEqualTo(ToolCallStatus.FAILED);
    }
}
