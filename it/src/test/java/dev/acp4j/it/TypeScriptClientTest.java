package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client of the official TypeScript SDK drives {@code acp agent}. */
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

        Map<String, String> steps = drive(workspace);

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

    private Map<String, String> drive(Path workspace) throws Exception {
        List<String> command = new ArrayList<>();
        command.add("node");
        command.add(NodePrograms.folder().resolve("client.mjs").toString());
        command.add(workspace.toString());
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.acp4j.cli.Acp", "agent"));
        Path output = folder.resolve("output");
        Process client = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = client.waitFor(120, TimeUnit.SECONDS);
        client.descendants().forEach(ProcessHandle::destroyForcibly);
        client.destroyForcibly();
        String printed = Files.readString(output);
        assertThat(ended && client.exitValue() == 0)
                .as("the client ended well; it printed:%n%s", printed)
                .isTrue();
        Map<String, String> steps = new LinkedHashMap<>();
        for (String line : printed.lines().filter(text -> text.startsWith("{")).toList()) {
            JsonObject step = (JsonObject) RawJson.parse(line).value();
            steps.put(RawJson.of(step.get("step").orElseThrow()).toString().replace("\"", ""), line);
        }
        return steps;
    }
}
