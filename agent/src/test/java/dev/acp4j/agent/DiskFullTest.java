package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The agent as a process that the operating system lets write 4 KiB a file: to it, the disk is full after that. */
@Timeout(120)
class DiskFullTest {
    private static final String LONG = "a line with a color\n".repeat(400);

    @TempDir
    Path folder;

    private static ConnectedAgent agentWithoutRoom() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Launch launch = Launch.of("sh")
                .withArguments("-c", "ulimit -f 8 && exec \"$@\"", "sh", java, "-XX:-UsePerfData")
                .withArguments("-cp", System.getProperty("java.class.path"), StartTest.Main.class.getName());
        return Client.builder("editor", "1")
                .onPermission(PermissionQuestion::allowOnce)
                .connect(launch);
    }

    private List<String> names() throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aReplacementThatDoesNotFitLeavesTheFileAsItWas() throws Exception {
        TestWorkspace workspace =
                new TestWorkspace(folder).file("long.txt", LONG).file("short.txt", "one color\n");
        try (ConnectedAgent agent = agentWithoutRoom()) {
            Session session = agent.newSession(folder);

            String said = session.prompt("/replace color colour").text();

            assertThat(workspace.text("long.txt")).isEqualTo(LONG);
            assertThat(workspace.text("short.txt")).isEqualTo("one colour\n");
            assertThat(said).contains("Replaced 1 place").contains("long.txt").contains("File too large");
            assertThat(names()).containsExactly("long.txt", "short.txt");
        }
    }

    @Test
    void aFixThatDoesNotFitLeavesTheFileAsItWas() throws Exception {
        TestWorkspace workspace = new TestWorkspace(folder).file("long.txt", LONG);
        try (ConnectedAgent agent = agentWithoutRoom()) {
            Session session = agent.newSession(folder);

            String said = session.prompt("/fix color -> colour").text();

            assertThat(workspace.text("long.txt")).isEqualTo(LONG);
            assertThat(said).contains("File too large").contains("Left as they were");
            assertThat(Editor.calls(session, ToolKind.EDIT))
                    .singleElement()
                    .satisfies(call -> assertThat(call.status()).isEqualTo(ToolCallStatus.FAILED));
            assertThat(names()).containsExactly("long.txt");
        }
    }

    @Test
    void aChangedFileKeepsItsPermissions() throws Exception {
        TestWorkspace workspace = new TestWorkspace(folder).file("run.sh", "echo color\n");
        Files.setPosixFilePermissions(workspace.path("run.sh"), PosixFilePermissions.fromString("rwxrwxr-x"));
        try (ConnectedAgent agent = agentWithoutRoom()) {
            agent.newSession(folder).prompt("/replace color colour").text();

            assertThat(workspace.text("run.sh")).isEqualTo("echo colour\n");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(workspace.path("run.sh"))))
                    .isEqualTo("rwxrwxr-x");
            assertThat(names()).containsExactly("run.sh");
        }
    }
}
