package dev.acp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureTest {
    private static final Failure FAILURE = Failure.agent(
            "the agent failed in session/prompt: exit code 9",
            "The agent ended with an error and did not say why.",
            "  | FATAL: the moon is in the wrong phase");

    @Test
    void isToldInLinesOfTheWidthOfTheTerminal() {
        assertThat(told(new Look(31, 24, false, false, true))).isEqualTo("""
                acp: the agent failed in
                  session/prompt: exit code 9
                  The agent ended with an
                    error and did not say why.
                    | FATAL: the moon is in
                    the wrong phase
                """);
    }

    @Test
    void isToldInLinesOfItsOwnInAPipe() {
        assertThat(told(Look.PIPE)).isEqualTo("""
                acp: the agent failed in session/prompt: exit code 9
                  The agent ended with an error and did not say why.
                    | FATAL: the moon is in the wrong phase
                """);
    }

    private static String told(Look look) {
        return TerminalText.of(0, FAILURE.lines(look), look.colour()).toString();
    }
}
