package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.LogoutRequest;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.ReadTextFileRequest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SetSessionModeResponse;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
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

        try (ConnectedClient client = agent.connect(pair.left());
                ConnectedAgent connection = Client.builder("c", "1").connect(pair.right())) {
            assertThat(client.isOpen()).isTrue();
            assertThat(connection.call("_nothing", null)).isEqualTo(RawJson.NULL);
            assertThat(connection.call(RAW, RawJson.EMPTY_OBJECT)).isEqualTo(RawJson.NULL);
            assertThat(connection.call(TYPED, RawJson.EMPTY_OBJECT)).isEqualTo(SetSessionModeResponse.of());
        }
    }

    @Test
    @Tag("REQ-15")
    void whatThisSideHandlesItselfIsNotSent() throws Exception {
        AtomicReference<@Nullable Throwable> ofAgent = new AtomicReference<>();
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Agent agent = Agent.builder("a", "1")
                .onPrompt(turn -> {})
                .on("_wrong", (client, params) -> {
                    ofAgent.set(catchThrowable(() -> client.call(AgentMethods.LOGOUT, LogoutRequest.of())));
                    return RawJson.NULL;
                })
                .build();

        try (ConnectedClient client = agent.connect(pair.left());
                ConnectedAgent connection = Client.builder("c", "1").connect(pair.right())) {
            assertThat(client.isOpen()).isTrue();
            assertThatThrownBy(() -> connection.call(
                            ClientMethods.READ_TEXT_FILE,
                            ReadTextFileRequest.builder(SessionId.of("s"), "/a").build()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("fs/read_text_file is not for the agent");
            connection.call("_wrong", null);
        }

        assertThat(ofAgent.get())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("logout is not for the client");
    }
}
