package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Agents that are killed. One has a child that takes seconds to end: what happened is told before that. */
@EnabledOnOs(OS.LINUX)
class KilledAgentTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path state;

    @Test
    void aPromptSaysSoAtOnceWhileATerminalRuns() throws Exception {
        Process acp = acp("prompt", "--permissions", "allow", "watch with a child")
                .with()
                .start();
        try {
            assertThat(acp.inputReader().readLine()).isEqualTo("Watching.");
            ProcessHandle agent = AcpRun.agent(acp);
            ProcessHandle child = child(agent);

            agent.destroyForcibly();

            BufferedReader err = acp.errorReader();
            assertThat(err.readLine())
                    .startsWith("acp: the agent failed in a turn (session/prompt)")
                    .contains("137 (SIGKILL)");
            assertThat(child.isAlive()).isTrue();
            assertThat(acp.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(acp.exitValue()).isEqualTo(1);
        } finally {
            acp.descendants().forEach(ProcessHandle::destroyForcibly);
            acp.destroyForcibly();
        }
    }

    @Test
    void aPromptSaysSoAtOnceWhileAPermissionIsAsked() throws Exception {
        aQuestionIsWithdrawn("prompt", "permission with a child");
    }

    @Test
    void aChatSaysSoAtOnceWhileAPermissionIsAsked() throws Exception {
        aQuestionIsWithdrawn("chat");
    }

    @Test
    void anIdleChatSaysSoAtOnceAndKeepsWhatWasTyped() throws Exception {
        try (TerminalRun run = TerminalRun.start(state, "chat")) {
            run.await("[ask] › ").press("half a mess").await("half a mess");

            run.agent().destroyForcibly();

            run.await("acp: the agent failed in the pause between turns").await("(SIGKILL)");
            assertThat(run.end()).isEqualTo(1);
            String all = run.all();
            assertThat(all.substring(all.indexOf("acp: the agent failed")).lines())
                    .allMatch(line -> line.length() < 80);
        }
        assertThat(state.resolve("acp/history")).content().contains("half a mess");
    }

    @Test
    void anIdleChatWithoutATerminalSaysSoAtOnce() throws Exception {
        Process acp = acp("chat").with().start();
        try (BufferedReader out = acp.inputReader()) {
            assertThat(out.readLine()).startsWith("Scripted agent 1.0");

            AcpRun.agent(acp).destroyForcibly();

            assertThat(acp.errorReader().readLine()).startsWith("acp: the agent failed in the pause between turns");
            assertThat(acp.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(acp.exitValue()).isEqualTo(1);
        } finally {
            acp.destroyForcibly();
        }
    }

    private void aQuestionIsWithdrawn(String... command) throws Exception {
        try (TerminalRun run = TerminalRun.start(state, command)) {
            if (command[0].equals("chat")) {
                run.await("[ask] › ").press("permission with a child\r");
            }
            run.await("Which one?");
            ProcessHandle agent = run.agent();
            ProcessHandle child = child(agent);

            agent.destroyForcibly();

            run.await("acp: the agent failed in a turn (session/prompt)");
            assertThat(child.isAlive()).isTrue();
            assertThat(run.end()).isEqualTo(1);
        }
    }

    private static ProcessHandle child(ProcessHandle agent) {
        return agent.children().findFirst().orElseThrow();
    }
}
