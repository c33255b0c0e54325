package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code --timeout} does in each phase of a run. */
class TimeoutTest {
    @Test
    void aTurnThatTakesTooLongIsCancelled() {
        AcpRun run = acp("prompt", "--timeout", "3s", "slow").with().run();

        assertThat(run.exitCode()).isEqualTo(124);
        assertThat(run.out()).startsWith("This takes long…");
        assertThat(run.err()).contains("acp: the turn was cancelled: it did not end within 3 s");
    }

    @Test
    void anAgentThatDoesNotStopIsLeft() {
        AcpRun run = acp("prompt", "--timeout", "2s", "stubborn").with().run();

        assertThat(run.exitCode()).isEqualTo(124);
    }

    @Test
    void anAgentThatNeverAnswersIsToldWithWhatItSaid() {
        AcpRun run = acp("prompt", "--timeout", "2s", "hi").with("mute").run();

        assertThat(run.exitCode()).isEqualTo(124);
        assertThat(run.err())
                .contains("acp: the agent failed at startup (initialize): ")
                .contains("no answer within 2 s")
                .contains("The command is not an agent")
                .contains("  | loading the model")
                .contains("  | Welcome!");
    }

    @Test
    void anAgentThatOpensNoSessionIsTold() {
        AcpRun run = acp("prompt", "--timeout", "3s", "hi").with("shy").run();

        assertThat(run.exitCode()).isEqualTo(124);
        assertThat(run.err()).startsWith("acp: the agent did not open a session within 3 s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--quiet", "--json"})
    void standardInputThatDoesNotEndCountsToo(String how) throws Exception {
        Process acp = acp("prompt", how, "--timeout", "1s", "-").with().start();
        try {
            assertThat(acp.waitFor(30, TimeUnit.SECONDS)).isTrue();

            assertThat(acp.errorReader().readLine()).isEqualTo("acp: standard input did not end within 1 s");
            assertThat(acp.inputReader().readLine())
                    .isEqualTo(
                            how.equals("--json")
                                    ? "{\"type\":\"error\",\"message\":\"standard input did not end within 1 s\","
                                            + "\"details\":[],\"exitCode\":124}"
                                    : null);
            assertThat(acp.exitValue()).isEqualTo(124);
        } finally {
            acp.destroyForcibly();
        }
    }
}
