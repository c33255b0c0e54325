package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Standard output that cannot take what is written. */
@EnabledOnOs(OS.LINUX)
class LostOutputTest {
    private static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"prompt hello", "prompt --json hello", "prompt endless", "chat", "--help", "prompt --help"})
    void aFullDiskIsToldAndEndsTheRun(String line) {
        AcpRun.Builder acp = acp(line.split(" ")).input("endless\n").redirected(">/dev/full");

        AcpRun run = (line.contains("--help") ? acp : acp.with()).run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(6);
        assertThat(run.err()).endsWith("acp: standard output cannot be written: No space left on device\n");
        assertThat(run.err()).doesNotContain("cancelled");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "agent",
                "agent --trace DIR/t.jsonl",
                "test-agent",
                "test-agent --misbehave noise",
                "test-agent --misbehaviours",
                "doctor",
                "doctor --json",
                "trace show TRACE",
                "trace show --raw TRACE",
                "trace show --json TRACE",
                "trace show --html - TRACE",
                "trace show --html DIR/page.html TRACE",
                "trace -q -o DIR/relayed.jsonl -- echo {}"
            })
    void noCommandEndsWellWhenItsOutputIsLost(String line) throws Exception {
        Path trace = Files.writeString(folder.resolve("sample.jsonl"), TraceSamples.CHAIN);
        String[] args = line.replace("TRACE", trace.toString())
                .replace("DIR", folder.toString())
                .split(" ");

        for (String lost : List.of(">/dev/full", "1</dev/null")) {
            AcpRun run = acp(args).input(INITIALIZE).redirected(lost).run();

            assertThat(run.exitCode()).as(run.err()).isEqualTo(6);
            assertThat(run.err().lines().filter(text -> !text.startsWith("NOTE")))
                    .containsExactly("acp: standard output cannot be written: "
                            + (lost.contains("full") ? "No space left on device" : "Bad file descriptor"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "agent --trace DIR/t.jsonl", "test-agent"})
    void anAgentWhoseClientStaysButCannotBeAnsweredEndsAtOnce(String line) throws Exception {
        Process agent = acp(line.replace("DIR", folder.toString()).split(" "))
                .redirected(">/dev/full")
                .start();
        try (var in = agent.outputWriter()) {
            in.write(INITIALIZE);
            in.flush();

            assertThat(agent.waitFor(30, TimeUnit.SECONDS)).isTrue();

            assertThat(agent.exitValue()).isEqualTo(6);
            assertThat(agent.errorReader().lines())
                    .containsExactly("acp: standard output cannot be written: No space left on device");
        } finally {
            agent.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "agent --trace DIR/t.jsonl", "test-agent"})
    void anAgentWhoseClientHasGoneEndsInSilence(String line) throws Exception {
        Process agent = acp(line.replace("DIR", folder.toString()).split(" ")).start();
        try (var in = agent.outputWriter()) {
            agent.inputReader().close();
            in.write(INITIALIZE);
            in.flush();

            assertThat(agent.waitFor(30, TimeUnit.SECONDS)).isTrue();

            assertThat(agent.errorReader().lines()).isEmpty();
            assertThat(agent.exitValue()).isZero();
        } finally {
            agent.destroyForcibly();
        }
    }

    @Test
    void aMissingStandardOutputIsTold() {
        // This is what the launcher gives to a JVM when there is none.
        AcpRun run = acp("prompt", "hello").with().redirected("1</dev/null").run();

        assertThat(run.exitCode()).isEqualTo(6);
        assertThat(run.err()).endsWith("acp: standard output cannot be written: Bad file descriptor\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"prompt endless", "prompt --json endless", "chat"})
    void aReaderThatHasGoneEndsTheRunInSilence(String line) throws Exception {
        Process acp = acp(line.split(" ")).with().start();
        try (var in = acp.outputWriter()) {
            in.write("endless\n");
            in.flush();
            BufferedReader out = acp.inputReader();
            assertThat(out.read()).isPositive();

            out.close();

            assertThat(acp.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(acp.errorReader().lines()).noneMatch(text -> text.startsWith("acp:"));
            assertThat(acp.exitValue()).isEqualTo(141);
        } finally {
            acp.descendants().forEach(ProcessHandle::destroyForcibly);
            acp.destroyForcibly();
        }
    }
}
