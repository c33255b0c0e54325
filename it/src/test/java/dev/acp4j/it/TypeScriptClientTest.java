package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of the official TypeScript SDK drive {@code acp agent}, and an agent that answers every method. */
@Timeout(300)
@Tag("TST-08")
class TypeScriptClientTest {
    @TempDir
    Path folder;

    @Test
    void aTypeScriptClientDrivesTheAgentThroughASession() throws Exception {
        Path workspace = Files.createDirectory(folder.resolve("workspace")).toRealPath();
        Files.writeString(
                workspace.resolve("Http.java"),
                "class Http {\n  // The retry logic: three attempts, then give up.\n  void retry() {}\n}\n");

        Map<String, String> steps = ClientProgram.run(
                        "client.mjs", workspace, folder.resolve("output"), "dev.acp4j.cli.Acp", "agent")
                .steps();

        assertThat(steps.get("initialize")).contains("\"version\":1", "\"loadSession\":true");
        assertThat(steps.get("ask")).contains("\"stopReason\":\"end_turn\"", "Http.java");
        assertThat(steps.get("replace"))
                .contains("\"stopReason\":\"end_turn\"", "\"permissions\":1", "allow_once", "\"completed\"");
        assertThat(Files.readString(workspace.resolve("Http.java"))).contains("void again() {}");
        assertThat(steps.get("cancel")).contains("\"stopReason\":\"cancelled\"");
        assertThat(steps.get("list")).contains("true");
        assertThat(steps.get("read-only")).contains("\"permissions\":0");
        assertThat(steps.get("load")).doesNotContain("\"user\":0").doesNotContain("\"agent\":0");
        assertThat(steps.get("closed")).contains("-32002");
        assertThat(steps.get("exit")).contains("\"code\":0");
    }

    @Test
    void aTypeScriptClientCallsEveryMethodAndOffersEveryCallback() throws Exception {
        Path workspace = Files.createDirectory(folder.resolve("workspace")).toRealPath();

        ClientProgram client = ClientProgram.run(
                "every-client.mjs", workspace, folder.resolve("output"), EveryMethodAgent.class.getName());

        assertThat(client.methods("-->"))
                .as("%s", client)
                .containsAll(AgentMethods.all().stream().map(Method::name).toList());
        assertThat(client.methods("<--"))
                .as("%s", client)
                .containsAll(ClientMethods.all().stream().map(Method::name).toList());
        Map<String, String> steps = client.steps();
        assertThat(steps.get("refused")).contains("-32000");
        assertThat(steps.get("new")).contains("\"currentModeId\":\"ask\"", "\"currentValue\":\"low\"");
        assertThat(steps.get("permission")).contains("\"end_turn\"", "\"status\":\"completed\"");
        assertThat(steps.get("form")).contains("hello Ada");
        assertThat(steps.get("completed")).contains("login-1");
        assertThat(steps.get("url")).contains("logged in");
        assertThat(steps.get("files")).contains("\"two\"");
        assertThat(workspace.resolve("written.txt")).hasContent("one\ntwo\nthree\n");
        assertThat(steps.get("terminal")).contains("hello 0");
        assertThat(steps.get("kill")).contains("\"killed\"");
        assertThat(steps.get("released")).contains("\"left\":0");
        assertThat(steps.get("wait")).contains("\"stopReason\":\"cancelled\"");
        assertThat(steps.get("option")).contains("high");
        assertThat(steps.get("list")).contains("sessionId");
        assertThat(steps.get("load")).contains("said before");
        assertThat(steps.get("resume")).contains("currentModeId").doesNotContain("said before");
        assertThat(steps.get("deleted")).contains("\"sessions\":[]");
        assertThat(steps.get("logged out")).contains("-32000");
        assertThat(steps.get("exit")).contains("\"code\":0");
    }
}
