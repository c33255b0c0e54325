package dev.acp4j.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The short forms; {@code bin/soak} runs the long ones. A failure names the seed. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class SoakTest {
    private final long seed = System.nanoTime() % 1_000_000;

    @Test
    @Tag("PRC-15")
    @Tag("PRC-16")
    void startingAndKillingAgentsLeavesNothing() throws Exception {
        expectNothingWrong(new StartAndKill());
    }

    @Test
    @Tag("FRM-22")
    void manySessionsOnOneConnectionLoseNothing() throws Exception {
        expectNothingWrong(new ManySessions(false));
    }

    @Test
    void aSmallHeapAndSlowConsumersLoseNothing() throws Exception {
        expectNothingWrong(new SmallHeap());
    }

    @Test
    void whateverBreaksBothEndsEndAndEverybodyIsTold() throws Exception {
        expectNothingWrong(new Chaos());
    }

    private void expectNothingWrong(Trial trial) throws Exception {
        Run run = Run.brief(seed);

        trial.run(run);

        assertThat(run.faults()).as("seed " + seed + ", " + run.counts()).isEmpty();
    }
}
