package dev.acp4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.proxy.testkit.TestedProxy;
import org.junit.jupiter.api.Test;

class BriefProxyTest {
    @Test
    void addsASentenceToEachPrompt() throws Exception {
        try (TestedProxy tested = TestedProxy.of(BriefProxy.BRIEF)) {
            tested.initialize(1);

            String prompt = tested.asked(
                    "session/prompt", "{\"sessionId\":\"s\",\"prompt\":[]}", "{\"stopReason\":\"end_turn\"}");

            assertThat(prompt).contains("Be brief.");
        }
    }
}
