package dev.acp4j.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.Version;
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
    void startingAndKillingAgentsOfVersionTwoLeavesNothing() throws Exception {
        expectNothingWrong(new StartAndKill(), Version.V2);
    }

    @Test
    @Tag("FRM-22")
    void manySessionsOnOneConnectionLoseNothing() throws Exception {
        expectNothingWrong(new ManySessions(false));
    }

    @Test
    void manySessionsOnOneConnectionOfVersionTwoLoseNothing() throws Exception {
        expectNothingWrong(new ManySessions(false), Version.V2);
    }

    @Test
    void aSmallHeapAndSlowConsumersLoseNothing() throws Exception {
        expectNothingWrong(Soak.smallHeap());
    }

    @Test
    void whateverBreaksBothEndsEndAndEverybodyIsTold() throws Exception {
        expectNothingWrong(new Chaos());
    }

    @Test
    void whateverBreaksInVersionTwoBothEndsEndAndEverybodyIsTold() throws Exception {
        expectNothingWrong(new Chaos(), Version.V2);
    }

    @Test
    void throughAChainNothingIsLostButWhatWasInsideAComponentThatDies() throws Exception {
        expectNothingWrong(new Chain());
    }

    @Test
    void throughAChainInVersionTwoNothingIsLostButWhatWasInsideAComponentThatDies() throws Exception {
        expectNothingWrong(new Chain(), Version.V2);
    }

    private void expectNothingWrong(Trial trial) throws Exception {
        expectNothingWrong(trial, Version.V1);
    }

    private void expectNothingWrong(Trial trial, Version version) throws Exception {
        Run run = Run.brief(seed, version);

        trial.run(run);

        assertThat(run.faults()).as("seed " + seed + ", " + run.counts()).isEmpty();
    }
}
