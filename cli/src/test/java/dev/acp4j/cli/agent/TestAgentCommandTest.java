package dev.acp4j.cli.agent;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.AuthenticationRequiredException;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Turn;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.schema.Version;
import dev.acp4j.testkit.Misbehaviour;
import dev.acp4j.testkit.TestClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TestAgentCommandTest {
    private static Launch testAgent(String... options) {
        List<String> command = new ArrayList<>(AcpRun.java(Acp.class));
        command.add("test-agent");
        command.addAll(List.of(options));
        return Launch.of(command.get(0), command.subList(1, command.size()));
    }

    @Test
    @Tag("TST-01")
    void aPromptIsObeyedByTheProgram(@TempDir Path folder) throws Exception {
        Path trace = folder.resolve("agent.trace.jsonl");
        TestClient client = TestClient.create();
        try (ConnectedAgent agent = client.builder().connect(testAgent("--trace", trace.toString()))) {
            assertThat(agent.newSession(folder)
                            .prompt("say hello\nask Edit\nwrite /new.txt text")
                            .text())
                    .isEqualTo("helloallowedwritten");
        }

        assertThat(client.text(Path.of("/new.txt"))).contains("text");
        assertThat(Files.readString(trace)).contains("acp test-agent", "session/prompt");
    }

    @Test
    @Tag("TST-01")
    void bothProgramsSpeakVersionTwo(@TempDir Path folder) throws Exception {
        try (ConnectedAgent agent =
                TestClient.create().builder().protocol(Version.V2).connect(testAgent("--protocol", "2"))) {
            assertThat(agent.protocolVersion()).isEqualTo(2);
            assertThat(agent.newSession(folder).prompt("say hello\nask Edit").text())
                    .isEqualTo("helloallowed");
        }
        List<String> args =
                new ArrayList<>(List.of("prompt", "--protocol", "2", "--permissions", "allow", "say hello", "--"));
        args.addAll(AcpRun.java(Acp.class));
        args.addAll(List.of("test-agent", "--protocol", "2"));

        AcpRun run = acp(args.toArray(String[]::new)).run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("hello");
    }

    @Test
    void noSessionOpensBeforeLogin(@TempDir Path folder) throws Exception {
        try (ConnectedAgent agent = TestClient.create().builder().connect(testAgent("--login"))) {
            assertThatThrownBy(() -> agent.newSession(folder)).isInstanceOf(AuthenticationRequiredException.class);
        }
    }

    @Test
    void theCommandLineCanTryAllOfIt() {
        List<String> args = new ArrayList<>(List.of("prompt", "--permissions", "allow", "all", "--"));
        args.addAll(AcpRun.java(Acp.class));
        args.add("test-agent");

        AcpRun run = acp(args.toArray(String[]::new)).run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("hello", "allowed");
    }

    @Test
    void aBadAgentHasAName(@TempDir Path folder) throws Exception {
        try (ConnectedAgent agent = TestClient.create().builder().connect(testAgent("--misbehave", "dies-in-turn"))) {
            Turn turn = agent.newSession(folder).prompt("go");

            assertThatThrownBy(turn::result)
                    .isInstanceOf(ProcessFailedException.class)
                    .hasMessageContaining("session/prompt");
        }
    }

    @Test
    void theNamesOfBadAgentsAreListed() {
        AcpRun run = acp("test-agent", "--misbehaviours").run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines())
                .hasSameSizeAs(Misbehaviour.agents())
                .anySatisfy(line -> assertThat(line).matches("noise +writes .* \\(the client continues\\)"));
    }

    @Test
    void anUnknownNameAndOptionsThatABadAgentDoesNotTakeAreMistakes() {
        AcpRun unknown = acp("test-agent", "--misbehave", "badly").run();
        AcpRun traced = acp("test-agent", "--misbehave", "noise", "--login").run();

        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err())
                .contains("unknown misbehaviour 'badly'; 'acp test-agent --misbehaviours' lists the names");
        assertThat(traced.exitCode()).isEqualTo(2);
        assertThat(traced.err()).contains("cannot be combined with --login or --trace");
    }

    @Test
    void helpSaysWhatItIsFor() {
        AcpRun run = acp("test-agent", "--help").run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Usage: acp test-agent", "--misbehave", "lists them");
    }
}
