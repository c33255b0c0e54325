package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.http.Http;
import dev.acp4j.http.RunningServer;
import dev.acp4j.it.ForeignAgent.Way;
import dev.acp4j.schema.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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
                        "client.mjs",
                        NodePrograms.SDK,
                        workspace,
                        folder.resolve("output"),
                        "dev.acp4j.cli.Acp",
                        "agent")
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

    /** Runs a client that calls everything, and checks that it did and what both sides sent. */
    private ClientProgram everything(String script, String entryPoint, Version version, Way way) throws Exception {
        Path workspace = Files.createDirectory(folder.resolve("workspace")).toRealPath();

        ClientProgram client = way == Way.STDIO
                ? ClientProgram.run(
                        script, entryPoint, workspace, folder.resolve("output"), EveryMethodAgent.class.getName())
                : remotely(script, entryPoint, workspace, way);

        OfficialSchema schema = WireLog.schema(version);
        WireLog wire = new WireLog(client.wire());
        assertThat(wire.faults(schema)).isEmpty();
        assertThat(wire.updates()).as("%s", client).containsAll(schema.updates(false));
        assertThat(client.methods("-->")).as("%s", client).containsAll(schema.methodsFrom("client"));
        assertThat(client.methods("<--")).as("%s", client).containsAll(schema.methodsFrom("agent"));
        return client;
    }

    /** Runs a client over HTTP or a WebSocket against our server. */
    private ClientProgram remotely(String script, String entryPoint, Path workspace, Way way) throws Exception {
        try (RunningServer server = Http.on(0).drainTime(Duration.ZERO).start(EveryMethodAgent.create()::connect)) {
            String address = server.uri().toString();
            return ClientProgram.run(
                    List.of(
                            "node",
                            NodePrograms.folder().resolve(script).toString(),
                            entryPoint,
                            workspace.toString(),
                            way == Way.EVENTS ? address : address.replace("http:", "ws:"),
                            server.token().orElseThrow()),
                    folder.resolve("output"));
        }
    }

    static List<Object[]> ways() {
        return TypeScriptAgentTest.ways();
    }

    static List<Object[]> waysOfVersionTwo() {
        return TypeScriptAgentTest.waysOfVersionTwo();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aTypeScriptClientCallsEveryMethodAndOffersEveryCallback(String entryPoint, Way way) throws Exception {
        Map<String, String> steps =
                everything("every-client.mjs", entryPoint, Version.V1, way).steps();
        Path workspace = folder.resolve("workspace");

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

    @ParameterizedTest
    @MethodSource("waysOfVersionTwo")
    void aTypeScriptClientOfVersionTwoCallsEveryMethodAndOffersEveryCallback(String entryPoint, Way way)
            throws Exception {
        ClientProgram client = everything("every-client-v2.mjs", entryPoint, Version.V2, way);

        Map<String, String> steps = client.steps();
        assertThat(steps.get("initialize")).contains("\"protocolVersion\":2");
        assertThat(steps.get("refused")).contains("-32000");
        assertThat(steps.get("new")).contains("\"currentValue\":\"ask\"", "\"currentValue\":\"low\"");
        assertThat(steps.get("permission"))
                .contains("\"stopReason\":\"end_turn\"", "\"status\":\"completed\"", "requires_action");
        assertThat(steps.get("form")).contains("hello Ada");
        assertThat(steps.get("completed")).contains("login-1");
        assertThat(steps.get("url")).contains("logged in");
        assertThat(steps.get("updates")).contains("\"stopReason\":\"end_turn\"", "diff --git", "\"data\":\"YnVpbHQK\"");
        assertThat(steps.get("fail"))
                .contains("\"stopReason\":\"error\",\"error\":{\"code\":-32000,\"message\":\"broken\"}");
        assertThat(steps.get("cancel-call")).contains("\"status\":\"cancelled\"", "\"stopReason\":\"end_turn\"");
        assertThat(steps.get("cancel-terminal")).contains("SIGTERM", "\"stopReason\":\"end_turn\"");
        assertThat(steps.get("withdrawn")).contains("-32800");
        assertThat(steps.get("asking")).contains("\"stopReason\":\"cancelled\"");
        assertThat(client.methods("<--")).contains("$/cancel_request");
        assertThat(steps.get("option")).contains("\"currentValue\":\"high\"", "\"currentValue\":\"code\"");
        assertThat(steps.get("list")).contains("sessionId");
        assertThat(steps.get("replayed")).contains("said before", "\"state\":\"idle\"");
        assertThat(steps.get("resumed"))
                .contains("\"state\":\"idle\"", "currentValue")
                .doesNotContain("said before");
        assertThat(steps.get("deleted")).contains("\"sessions\":[]");
        assertThat(steps.get("logged out")).contains("-32000");
        assertThat(steps.get("exit")).contains("\"code\":0");
    }
}
