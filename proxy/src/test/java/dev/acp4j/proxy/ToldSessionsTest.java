package dev.acp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Message;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a component that is started again learns of the sessions that are open. */
@Timeout(120)
class ToldSessionsTest {
    private static final String FORK = "{\"sessionId\":\"s\",\"cwd\":\"/\",\"x\":1.50}";

    @Test
    @Tag("CON-15")
    void aComponentThatIsStartedAgainKeepsSomethingForTheOpenSessions() throws Exception {
        isTold(ProxyProgramTest.program("remembering"));
    }

    @Test
    @Tag("CON-15")
    void theProxiesOfAChainThatIsStartedAgainAreToldToo() throws Exception {
        isTold(ProxyProgramTest.program(NestedChainTest.class, "1", "remembering"));
    }

    private static void isTold(Launch launch) throws Exception {
        Component keeper = Component.of("keeper", launch).onDeath(Component.OnDeath.RESTART);
        try (ChainOfPeers chain = ChainOfPeers.of(keeper)) {
            chain.openSession("s");
            chain.openSession("closed");
            chain.client.request("1", "session/fork", FORK);
            chain.agent.answer(chain.agent.receive(), "{\"sessionId\":\"f\"}");
            assertThat(chain.client.receive().id()).hasToString("1");
            chain.client.request("2", "session/close", "{\"sessionId\":\"closed\"}");
            chain.agent.answer(chain.agent.receive(), "{}");
            assertThat(chain.client.receive().id()).hasToString("2");

            long pid = chain.chain.status().get(0).pid().orElseThrow();
            assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
            chain.awaitNotice("started again");

            chain.client.request("3", "_origin", "{\"sessionId\":\"s\"}");
            assertThat(chain.client.receive().result()).hasToString("\"session/new s\"");
            chain.client.request("4", "_origin", "{\"sessionId\":\"f\"}");
            assertThat(chain.client.receive().result()).hasToString("\"session/fork f of s\"");
            chain.client.request("5", "_origin", "{\"sessionId\":\"closed\"}");
            Message unknown = chain.agent.receive();
            assertThat(unknown.method()).isEqualTo("_origin");
        }
    }

    @Test
    @Tag("CON-15")
    void onlyAConductorListsSessions() throws Exception {
        try (ChainOfPeers chain = ChainOfPeers.of(Component.of("keeper", ProxyProgramTest.program("remembering")))) {
            chain.client.request("1", ToldSessions.METHOD, "{\"sessions\":[]}");
            assertThat(chain.client.receive().error()).asString().contains("-32601");
        }
    }

    @Test
    void askingLeavesAnAnswerAsItWas() {
        for (String answer : new String[] {
            "{\"protocolVersion\":1, \"x\":[ ]}",
            "{\"x\":1.50,\"_meta\":{\"own\":[ ]}}",
            "{\"_meta\":{\"own\":1e3},\"x\":1}"
        }) {
            RawJson asking = ToldSessions.ask(RawJson.parse(answer));

            assertThat(ToldSessions.isAsked(asking)).isTrue();
            assertThat(ToldSessions.withoutAsking(asking)).hasToString(answer);
            assertThat(ToldSessions.isAsked(RawJson.parse(answer))).isFalse();
        }
    }
}
