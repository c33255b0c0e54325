package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.tap.Poll;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a run ends: before its agent, or by a signal. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class LeavingTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temp;

    /** An agent that goes on with a script when its input has ended. */
    private String[] agent(String then) {
        List<String> command = new ArrayList<>(
                List.of("sh", "-c", "cd \"$1\" || exit; shift; echo $$ >pid; \"$@\"; " + then, "sh", temp.toString()));
        command.addAll(AcpRun.java(ScriptedAgent.class));
        return command.toArray(String[]::new);
    }

    private ProcessHandle shell() throws Exception {
        long pid = Long.parseLong(Files.readString(temp.resolve("pid")).strip());
        return ProcessHandle.of(pid).orElseThrow();
    }

    @Test
    void acpLeavesWhenTheAnswerIsThereAndTheAgentEndsLaterByItself() throws Exception {
        AcpRun run = acp("prompt", "hello")
                .agent(agent("until [ -e go ]; do sleep 0.05; done; : >ended"))
                .run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("hello");
        assertThat(temp.resolve("ended")).doesNotExist();
        Files.createFile(temp.resolve("go"));
        assertThat(Poll.until(() -> Files.exists(temp.resolve("ended")))).isTrue();
    }

    @Test
    void anAgentThatDoesNotEndIsKilledWhenAcpHasLeft() throws Exception {
        AcpRun run = acp("prompt", "hello")
                .agent(agent("trap '' TERM; sleep 1000 & while :; do sleep 0.1; done"))
                .run();
        ProcessHandle shell = shell();
        List<ProcessHandle> children = shell.children().toList();

        assertThat(run.exitCode()).isZero();
        assertThat(children).isNotEmpty();
        assertThat(Poll.until(() -> !shell.isAlive() && children.stream().noneMatch(ProcessHandle::isAlive)))
                .isTrue();
    }

    @Test
    void aRecordedAgentIsWaitedFor() throws Exception {
        AcpRun run = acp("prompt", "--trace", temp.resolve("t.jsonl").toString(), "hello")
                .agent(agent("echo last words >&2; : >ended"))
                .run();

        assertThat(run.exitCode()).isZero();
        assertThat(temp.resolve("ended")).exists();
        assertThat(temp.resolve("t.jsonl")).content().contains("last words");
    }

    @ParameterizedTest
    @CsvSource({"TERM,143", "HUP,129"})
    void aSignalEndsTheEventsWithTheLastOne(String signal, int code) throws Exception {
        Process acp = acp("prompt", "--json", "slow").with().interruptible().start();
        try (BufferedReader out = acp.inputReader()) {
            String line = out.readLine();
            while (!line.contains("This takes long")) {
                line = out.readLine();
            }

            new ProcessBuilder("kill", "-s", signal, Long.toString(acp.pid()))
                    .start()
                    .waitFor();

            String last = line;
            for (String next = line; next != null; next = out.readLine()) {
                last = next;
            }
            assertThat(last)
                    .isEqualTo("{\"type\":\"error\",\"message\":\"ended by SIG" + signal
                            + "\",\"details\":[],\"exitCode\":" + code + "}");
            assertThat(acp.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(acp.exitValue()).isEqualTo(code);
        } finally {
            acp.destroyForcibly();
        }
    }

    @Test
    void aSignalEndsTheFindingsOfDoctorWithASummary() throws Exception {
        Process acp =
                acp("doctor", "--json").agent("sleep", "100").interruptible().start();
        try (BufferedReader out = acp.inputReader()) {
            String line = out.readLine();
            while (!line.contains("\"step\":\"start\"")) {
                line = out.readLine();
            }

            new ProcessBuilder("kill", Long.toString(acp.pid())).start().waitFor();

            assertThat(out.readLine())
                    .startsWith("{\"type\":\"summary\",\"status\":\"interrupted\"")
                    .endsWith(",\"exitCode\":143}");
            assertThat(out.readLine()).isNull();
            assertThat(acp.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(acp.exitValue()).isEqualTo(143);
        } finally {
            acp.destroyForcibly();
        }
    }
}
