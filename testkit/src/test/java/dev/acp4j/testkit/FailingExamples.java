package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests that fail, each for its reason: run by {@link AcpExtensionTest}, not by themselves. */
class FailingExamples {
    private static @Nullable Process left;

    @RegisterExtension
    final AcpExtension acp = AcpExtension.agent(TestAgent.create());

    static void endWhatWasLeft() {
        if (left != null) {
            left.destroyForcibly();
        }
    }

    @Test
    void fails(Session session) throws Exception {
        assertThat(session.prompt("say hello").text()).isEqualTo("good bye");
    }

    @Test
    void takesBothEnds(ScriptedPeer peer, ConnectedAgent agent) {
        assertThat(peer).isNotEqualTo(agent);
    }

    @Test
    void leavesAProcess(Wire wire) throws Exception {
        left = new ProcessBuilder("sleep", "1000").start();
        assertThat(wire.messages()).isEmpty();
    }
}
