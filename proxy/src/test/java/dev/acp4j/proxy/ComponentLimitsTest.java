package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Message;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one component may take of the others. */
@Timeout(120)
class ComponentLimitsTest {
    private static final int PER_SECOND = 1000;

    private static Component component(String name, ComponentLimits limits) {
        return Component.of(name, ProxyProgramTest.program(name)).limits(limits);
    }

    @Test
    @Tag("CON-28")
    void aMessageThatIsTooLargeForAComponentIsAnsweredWithItsName() throws Exception {
        String large = "{\"text\":\"" + "x".repeat(20_000) + "\"}";
        try (ChainOfPeers chain =
                ChainOfPeers.of(component("nothing", ComponentLimits.NONE.withMessageBytes(10_000)))) {
            chain.client.request("1", "_large", large);
            assertThat(chain.client.receive().error())
                    .asString()
                    .contains("the component nothing got no request")
                    .contains("allowed are 10000");
            chain.agent.request("2", "_large", large);
            assertThat(chain.agent.receive().error()).asString().contains("the component nothing got no request");

            chain.client.request("3", "_small", "{}");
            assertThat(chain.agent.receive().method()).isEqualTo("_small");
        }
    }

    @Test
    @Tag("CON-28")
    void oneRequestTooManyForAComponentIsAnsweredWithItsName() throws Exception {
        try (ChainOfPeers chain = ChainOfPeers.of(component("nothing", ComponentLimits.NONE.withRequests(2)))) {
            chain.client.request("1", "_hold", "{}");
            Message first = chain.agent.receive();
            chain.client.request("2", "_hold", "{}");
            Message second = chain.agent.receive();
            chain.client.request("3", "_hold", "{}");
            Message refused = chain.client.receive();
            assertThat(refused.id()).hasToString("3");
            assertThat(refused.error())
                    .asString()
                    .contains("the component nothing got no request: too many requests in flight: 2");

            chain.agent.answer(first, "{}");
            assertThat(chain.client.receive().id()).hasToString("1");
            chain.client.request("4", "_hold", "{}");
            assertThat(chain.agent.receive().method()).isEqualTo("_hold");
            chain.agent.answer(second, "{}");
            assertThat(chain.client.receive().id()).hasToString("2");
        }
    }

    @Test
    @Tag("CON-28")
    void oneRequestTooManyForTheAgentIsAnsweredWithItsName() throws Exception {
        try (ChainOfPeers chain = ChainOfPeers.withAgentLimits(ComponentLimits.NONE.withRequests(1))) {
            chain.client.request("1", "_hold", "{}");
            Message first = chain.agent.receive();
            chain.client.request("2", "_hold", "{}");

            assertThat(chain.client.receive().error())
                    .asString()
                    .contains("the agent got no request: too many requests in flight: 1");
            chain.agent.answer(first, "{}");
            assertThat(chain.client.receive().id()).hasToString("1");
        }
    }

    @Test
    @Tag("CON-28")
    void aComponentThatFloodsIsSlowedDownAndStarvesNeitherSessionsNorCancellations() throws Exception {
        long begin = System.nanoTime();
        Component flooding = StandIn.component("flooding", "flooding")
                .limits(ComponentLimits.NONE.withMessagesPerSecond(PER_SECOND));
        try (ChainOfPeers chain = ChainOfPeers.of(component("nothing", ComponentLimits.NONE), flooding)) {
            chain.client.notify("_flood", "{}");
            assertThat(chain.agent.receive().method()).isEqualTo("_flood");
            int noise = 0;
            for (int i = 0; i < 3; i++) {
                chain.client.request("1", "session/prompt", "{\"sessionId\":\"other\",\"prompt\":[]}");
                Message prompt = chain.agent.receive();
                chain.client.notify("$/cancel_request", "{\"requestId\":1}");
                assertThat(chain.agent.receive().params()).hasToString("{\"requestId\":" + prompt.id() + "}");
                chain.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
                Message heard = chain.client.receive();
                while (heard.method().equals("_noise")) {
                    noise++;
                    heard = chain.client.receive();
                }
                assertThat(heard.id()).hasToString("1");
            }
            chain.awaitNotice("the component flooding is slowed down: it sends more than 1000 messages a second");
            assertThat(noise).isGreaterThan(StandIn.NOISE);
            double seconds = (System.nanoTime() - begin) / 1e9;
            assertThat((double) noise).isLessThanOrEqualTo(PER_SECOND + PER_SECOND * seconds + 1);
        }
    }
}
