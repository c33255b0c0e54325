package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Standard output that cannot take what is written. */
@EnabledOnOs(OS.LINUX)
class LostOutputTest {
    @ParameterizedTest
    @ValueSource(strings = {"prompt hello", "prompt --json hello", "prompt endless", "chat", "--help", "prompt --help"})
    void aFullDiskIsToldAndEndsTheRun(String line) {
        AcpRun.Builder acp = acp(line.split(" ")).input("endless\n").redirected(">/dev/full");

        AcpRun run = (line.contains("--help") ? acp : acp.with()).run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(6);
        assertThat(run.err()).endsWith("acp: standard output cannot be written: No space left on device\n");
        assertThat(run.err()).doesNotContain("cancelled");
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
