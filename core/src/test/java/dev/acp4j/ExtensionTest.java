package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SetSessionModeResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Methods that the protocol does not have. */
@Timeout(60)
class ExtensionTest {
    private static final Method<RawJson, RawJson> RAW = Method.rawRequest("_nothing", Method.Side.BOTH);
    private static final Method<RawJson, SetSessionModeResponse> TYPED =
            Method.request("_nothing", Method.Side.BOTH, RawJson.CODEC, AgentMethods.SET_MODE.result());

    @Test
    @Tag("REQ-14")
    void aRawCallerSeesANullResultAndATypedOneAnObjectWithoutMembers() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Agent agent = Agent.builder("a", "1")
                .onPrompt(turn -> {})
                .on("_nothing", (peer, params) -> RawJson.NULL)
                .build();

        try (ClientConnection client = agent.connect(pair.left());
                AgentConnection connection = Client.builder("c", "1").connect(pair.right())) {
            assertThat(client.isOpen()).isTrue();
            assertThat(connection.call("_nothing", null)).isEqualTo(RawJson.NULL);
            assertThat(connection.call(RAW, RawJson.EMPTY_OBJECT)).isEqualTo(RawJson.NULL);
            assertThat(connection.call(TYPED, RawJson.EMPTY_OBJECT)).isEqualTo(SetSessionModeResponse.of());
        }
    }
}
