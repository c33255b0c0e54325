package dev.acp4j.cli.conduct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.KeepingAgent;
import dev.acp4j.mcp.McpBridge;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.ComponentLimits;
import dev.acp4j.proxy.Deadlines;
import dev.acp4j.proxy.RunningChain;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.RpcError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A chain that starts its agent again, which is a program. */
@Timeout(120)
class RestartedAgentTest {
    @TempDir
    private Path folder;

    private final LinkedBlockingQueue<String> stderr = new LinkedBlockingQueue<>();

    private Launch conductor(String offer) throws Exception {
        List<String> agent =
                new ArrayList<>(List.of("sh", "-c", "echo $$ >>'" + folder.resolve("pids") + "'; exec \"$@\"", "sh"));
        agent.addAll(AcpRun.java(KeepingAgent.class));
        agent.add(Files.createDirectories(folder.resolve("sessions")).toString());
        agent.add(offer);
        return conductor("queue:", "agent=restart,fail", agent);
    }

    private Launch conductor(String proxy, String policy, List<String> agent) {
        List<String> command = new ArrayList<>(AcpRun.java(Acp.class));
        command.addAll(List.of("conduct", "-p", proxy, "--on-death", policy, "--"));
        command.addAll(agent);
        return Launch.of(command.getFirst(), command.subList(1, command.size())).onStderr(stderr::add);
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent=restart,fail", "agent=fail"})
    @Tag("RMP-12")
    void anAgentThatHangsIsHandedToItsPolicy(String policy) throws Exception {
        List<String> program = new ArrayList<>(AcpRun.java(ConductedProgram.class));
        program.addAll(List.of("hangs-once", folder.resolve("hangs").toString()));
        try (ConnectedAgent agent =
                Client.builder("test", "1").connect(conductor("watchdog:turn=1s settle=1s", policy, program))) {
            Session session = agent.newSession(folder);
            assertThatThrownBy(session.prompt("one")::result).hasMessageContaining("has not ended its turn");

            String report = stderr.take();
            while (!report.contains("started again")) {
                report = stderr.take();
            }
            if (policy.contains("restart")) {
                assertThat(report).contains("hangs: a turn does not end after it was cancelled");
                assertThat(session.prompt("two").text()).isEqualTo("two");
            } else {
                assertThat(report).startsWith("acp: watchdog: The agent is not started again");
            }
        }
    }

    @Test
    @Tag("RMP-12")
    void anAgentThatHasEndedAndIsToBeStartedAgainIsNotSaidToNeedAnotherPolicy() throws Exception {
        List<String> reports = Collections.synchronizedList(new ArrayList<>());
        ChainFile chain = new ChainFile(
                List.of(),
                Launch.of("cat"),
                Deadlines.NONE,
                ComponentLimits.NONE,
                List.of(Component.OnDeath.RESTART),
                true);
        try (LineQueue err = new LineQueue(stderr::add);
                McpBridge bridge = new McpBridge()) {
            ChainParts parts = new ChainParts(err, reports::add, null, bridge, opened -> {});
            try (RunningChain running =
                    parts.conductor(chain).build().start(MemoryTransport.pair().left())) {
                parts.runIn(running);
                running.close(Duration.ZERO);
                parts.agentHangs("watchdog");
            }
        }
        assertThat(reports)
                .contains("watchdog: The agent is not ended for that: it is being started already, or has ended.");
    }

    private void killAgent() throws Exception {
        long pid = Long.parseLong(Files.readAllLines(folder.resolve("pids")).getLast());
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"load", "resume"})
    @Tag("CON-18")
    void anAgentThatIsKilledIsStartedAgainWithItsSessions(String offer) throws Exception {
        try (ConnectedAgent agent = Client.builder("test", "1").connect(conductor(offer))) {
            Session session = agent.newSession(folder);
            assertThat(session.prompt("one").text()).startsWith("Prompt 1");
            Turn lost = session.prompt("wait");
            assertThat(lost.iterator().next().toString()).contains("Prompt 2");
            killAgent();
            assertThatThrownBy(lost::result).isInstanceOf(RpcError.class);

            assertThat(session.prompt("three").text()).startsWith("Prompt 3");
            // What a load repeats is not shown again.
            assertThat(session.view().messages())
                    .extracting(Entry.Message::text)
                    .noneMatch(text -> text.contains("An answer to"));
        }
        assertThat(Files.readAllLines(folder.resolve("pids"))).hasSize(2);
    }
}
