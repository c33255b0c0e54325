package dev.acp4j.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.TerminalText;
import org.junit.jupiter.api.Test;

class FailureTest {
    private static final Failure FAILURE = Failure.agent(
            "the agent failed in session/prompt: exit code 9",
            "The agent ended with an error and gave no reason.",
            "  | FATAL: the moon is in the wrong phase");

    @Test
    void isToldInLinesOfTheWidthOfTheTerminal() {
        assertThat(told(new Display(31, 24, false, false, true))).isEqualTo("""
                acp: the agent failed in
                  session/prompt: exit code 9
                  The agent ended with an
                    error and gave no reason.
                    | FATAL: the moon is in
                    the wrong phase
                """);
    }

    @Test
    void isToldInLinesOfItsOwnInAPipe() {
        assertThat(told(Display.PIPE)).isEqualTo("""
                acp: the agent failed in session/prompt: exit code 9
                  The agent ended with an error and gave no reason.
                    | FATAL: the moon is in the wrong phase
                """);
    }

    private static String told(Display display) {
        return TerminalText.of(0, FAILURE.lines(display), display.colour()).toString();
    }
}
