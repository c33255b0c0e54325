package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a client of another SDK for the JVM gets from our agent: each step waits for the updates that belong to it. */
@Timeout(180)
abstract class SdkClientContract {
    @TempDir
    Path folder;

    /** Returns the main class of the client, which does what {@link dev.acp4j.it.sdk.JavaSdkClient} does. */
    abstract String client();

    @Test
    void aClientDrivesTheTestAgentThroughEachKindOfTurn() throws Exception {
        Path workspace = Files.createDirectory(folder.resolve("workspace")).toRealPath();
        Files.writeString(workspace.resolve("old.txt"), "one two");
        List<String> command = new ArrayList<>(ClientProgram.java(client()));
        command.add(workspace.toString());
        command.addAll(ClientProgram.java("dev.acp4j.cli.Acp"));
        command.add("test-agent");

        Map<String, String> steps =
                ClientProgram.run(command, folder.resolve("output")).steps();

        assertThat(steps.get("initialize")).contains("\"detail\":\"1\"");
        assertThat(steps.get("new")).contains("\"detail\":\"test-1\"");
        assertThat(steps.get("say")).contains("\"END_TURN\"", "\"message 0 ; message 1 ; message 2 \"");
        assertThat(steps.get("plan"))
                .contains("\"END_TURN\"", "plan one pending, two pending", "plan one completed, two completed");
        assertThat(steps.get("tool")).contains("\"END_TURN\"", "tool edit", "tool switch_mode", "diff old -> new");
        assertThat(steps.get("allowed")).contains("\"END_TURN\"", "tool Allowed", "status completed");
        assertThat(steps.get("refused")).contains("\"END_TURN\"", "tool Refused", "status failed");
        assertThat(steps.get("read")).contains("\"message one two\"");
        assertThat(steps.get("write")).contains("\"message written\"");
        assertThat(workspace.resolve("new.txt")).hasContent("three");
        assertThat(steps.get("cancel")).contains("\"CANCELLED\"", "\"message waiting\"");
        assertThat(steps.get("load")).contains("user kinds", "user stream 3");
        assertThat(steps.get("closed")).contains("\"detail\":\"\"");
    }
}
