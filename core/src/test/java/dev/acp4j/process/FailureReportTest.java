package dev.acp4j.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureReportTest {
    private static final Message.Summary SENT = new Message.Summary(true, "initialize", RequestId.of(0), 218);
    private static final Message.Summary ANSWER = new Message.Summary(false, null, RequestId.of(0), 90);

    private final FailureReport report = FailureReport.of("initialize", "gemini --acp");

    @Test
    @Tag("SEC-07")
    void theWholeReportIsSeveralClearLines() {
        FailureReport full = report.withExit(new ExitStatus(1))
                .withStderr("start\n\u001b[31mError: Cannot find module 'x'\u001b[0m\n")
                .withNoise(List.of("Welcome\u0007"))
                .withFrames(List.of(SENT));

        assertThat(full.toString()).isEqualTo("""
                        agent failed at startup (initialize): gemini --acp: exit code 1
                          likely cause: The command is not an agent, or not in ACP mode: its output is not ACP but "Welcome\ufffd".
                          next step:    Check the argument that turns on ACP (often --acp or acp), and that no start file prints text.
                          last lines of standard error:
                            | start
                            | Error: Cannot find module 'x'
                          standard output that is not ACP:
                            | Welcome\ufffd
                          last messages:
                            --> initialize 0 (218 bytes)""");
    }

    @Test
    void theSummaryIsOneLine() {
        assertThat(report.withProblem("no answer within 60 s").summary())
                .isEqualTo(
                        "agent failed at startup (initialize): gemini --acp: no answer within 60 s. The command is running but has"
                                + " never responded: it is not an agent, not in ACP mode, or waits for something. Run it in a terminal"
                                + " to see whether it asks for a login, an update or the network.");
    }

    @Test
    void theNameOfAFolderIsNoSentence() {
        FailureReport missing = FailureReport.of("starting", "agent")
                .withProblem(
                        "command not found: agent. Looked in: /opt/Acme Inc. Tools. Install agent or give its full path.");

        assertThat(missing.likelyCause()).isEqualTo("Looked in: /opt/Acme Inc. Tools.");
        assertThat(missing.nextStep()).isEqualTo("Install agent or give its full path.");
    }

    @Test
    void aLongCommandIsToldByItsBeginningAndItsEnd() {
        String classPath = "lib/of/an/agent.jar:".repeat(50);

        assertThat(FailureReport.of("initialize", "java -cp " + classPath + " com.example.Agent --acp")
                        .withExit(new ExitStatus(1))
                        .summary())
                .startsWith("agent failed at startup (initialize): java -cp lib/of/an/agent.jar:")
                .contains(" … ", " com.example.Agent --acp: exit code 1. ")
                .hasSizeLessThan(400);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    127 | sh: 1: node: not found                                   | was not found
                    127 |                                                          | was not found
                    126 | sh: 1: ./agent: Permission denied                        | cannot be executed
                    137 |                                                          | killed from outside
                    143 |                                                          | was ended from outside
                    132 |                                                          | built for another processor
                    139 |                                                          | crashed
                    0   |                                                          | ended normally without a response
                    1   | strange things happened                                  | its last line was "strange things happened"
                    1   | Error: You are not logged in, cannot find module 'x'     | its last line was "Error: You are not logged in,
                    1   |                                                          | gave no reason
                    -1073741515 |                                                  | library that the agent needs is missing
                    """)
    void theLikelyCauseIsDerivedFromTheEvidence(int code, String stderr, String cause) {
        FailureReport full = report.withExit(new ExitStatus(code)).withStderr(stderr == null ? "" : stderr);

        assertThat(full.likelyCause()).contains(cause);
        assertThat(full.nextStep()).isNotBlank().endsWith(".");
    }

    @Test
    void aBannerInsteadOfAnAnswerIsToldFromSilence() {
        FailureReport silent = report.withFrames(List.of(SENT));
        FailureReport banner = silent.withNoise(List.of("Welcome to Foo 1.0"));

        assertThat(silent.likelyCause()).contains("has never responded");
        assertThat(banner.likelyCause()).contains("its output is not ACP but \"Welcome to Foo 1.0\"");
        assertThat(banner.withFrames(List.of(SENT, ANSWER)).likelyCause()).contains("no longer responds");
    }

    @Test
    void aVariableThatWasNotHandedOnIsNamed() {
        FailureReport missing = report.withExit(new ExitStatus(1))
                .withStderr("GH_TOKEN not set")
                .withWithheld(List.of("GH_TOKEN"));

        assertThat(missing.likelyCause()).contains("GH_TOKEN").contains("not passed on");
        assertThat(missing.nextStep()).isEqualTo("Pass it on: Launch.inherit(\"GH_TOKEN\").");
    }

    @Test
    void longLinesAndManyLinesAreCut() {
        String text = report.withStderr("x".repeat(10_000) + "\n" + "line\n".repeat(19))
                .toString();

        assertThat(text).contains("| " + "x".repeat(500) + "…\n").hasSizeLessThan(1500);
        assertThat(report.withStderr("line\n".repeat(1000)).toString().lines()).hasSize(24);
    }
}
