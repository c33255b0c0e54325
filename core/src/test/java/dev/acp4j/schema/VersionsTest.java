package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One record is read and written by a codec for each version. */
final class VersionsTest {
    private static final MessageId MESSAGE = MessageId.of("m");

    @Test
    void memberThatVersionsCallDifferentlyIsOneComponent() {
        AuthMethod method = AuthMethod.Agent.builder(AuthMethodId.of("a"), "A").build();

        RawJson first = RawJson.encode(method, AuthMethodCodec.INSTANCE);
        RawJson second = RawJson.encode(method, AuthMethodCodecV2.INSTANCE);

        assertThat(first).hasToString("{\"id\":\"a\",\"name\":\"A\"}");
        assertThat(second).hasToString("{\"type\":\"agent\",\"methodId\":\"a\",\"name\":\"A\"}");
        assertThat(first.decode(AuthMethodCodec.INSTANCE)).isEqualTo(second.decode(AuthMethodCodecV2.INSTANCE));
    }

    @Test
    void memberOfTheOtherVersionIsKeptAndNeverRefused() {
        RawJson json = RawJson.parse("{\"toolCallId\":\"t\",\"capabilities\":[7]}");

        ToolCallUpdate update = json.decode(ToolCallUpdateCodec.INSTANCE);

        assertThat(update.capabilities()).isEqualTo(Change.keep());
        assertThat(update.rest().names()).containsExactly("capabilities");
        assertThat(RawJson.encode(update, ToolCallUpdateCodec.INSTANCE)).isEqualTo(json);
    }

    @Test
    void whatAVersionLacksIsNotWrittenInIt() {
        ToolCallUpdate cancellable = ToolCallUpdate.builder(ToolCallId.of("t"))
                .capabilities(ToolCallCapabilities.builder().build())
                .build();
        SessionUpdate whole = SessionUpdate.AgentMessage.builder(MESSAGE)
                .content(List.of(ContentBlock.text("hi")))
                .build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> RawJson.encode(cancellable, ToolCallUpdateCodec.INSTANCE))
                .withMessage("version 1 of the protocol has no ToolCallUpdate.capabilities");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RawJson.encode(whole, SessionUpdateCodec.INSTANCE))
                .withMessage("version 1 of the protocol has no AgentMessage");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RawJson.encode(SessionUpdate.Plan.of(List.of()), SessionUpdateCodecV2.INSTANCE))
                .withMessage("version 2 of the protocol has no Plan");
    }

    @Test
    void numberOutsideTheBoundsOfAVersionIsNotWrittenInIt() {
        TerminalExitStatus signed =
                TerminalExitStatus.builder().exitCode(-1073741510L).build();

        assertThat(RawJson.encode(signed, TerminalExitStatusCodecV2.INSTANCE))
                .hasToString("{\"exitCode\":-1073741510}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RawJson.encode(signed, TerminalExitStatusCodec.INSTANCE))
                .withMessage("version 1 of the protocol has TerminalExitStatus.exitCode from 0 to 4294967295, "
                        + "got -1073741510");
    }

    @Test
    void memberMayBeRequiredInOneVersionOnly() {
        SessionUpdate chunk = SessionUpdate.AgentMessageChunk.of(ContentBlock.text("hi"), null);
        RawJson json = RawJson.encode(chunk, SessionUpdateCodec.INSTANCE);

        assertThat(json.decode(SessionUpdateCodec.INSTANCE)).isEqualTo(chunk);
        assertThatThrownBy(() -> json.decode(SessionUpdateCodecV2.INSTANCE))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("messageId");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RawJson.encode(chunk, SessionUpdateCodecV2.INSTANCE))
                .withMessage("version 2 of the protocol requires SessionUpdate.AgentMessageChunk.messageId");
    }

    @Test
    void variantOfTheOtherVersionIsUnknown() {
        RawJson state =
                RawJson.parse("{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"end_turn\"}");

        assertThat(state.decode(SessionUpdateCodec.INSTANCE)).isInstanceOf(SessionUpdate.Unknown.class);
        assertThat(state.decode(SessionUpdateCodecV2.INSTANCE))
                .isEqualTo(StateUpdate.Idle.builder()
                        .stopReason(StopReason.END_TURN)
                        .build());
        assertThat(RawJson.encode(state.decode(SessionUpdateCodecV2.INSTANCE), SessionUpdateCodecV2.INSTANCE))
                .isEqualTo(state);
    }

    @Test
    void initializeCarriesBothVersionsInOneObject() {
        Implementation program = Implementation.builder("p", "1").build();
        InitializeRequest request = InitializeRequest.builder(2)
                .clientCapabilities(ClientCapabilities.builder().terminal(true).build())
                .clientInfo(program)
                .capabilities(ClientCapabilitiesV2.builder()
                        .auth(ClientAuthCapabilities.builder()
                                .terminal(TerminalAuthCapabilities.of())
                                .build())
                        .build())
                .info(program)
                .build();

        RawJson json = RawJson.encode(request, InitializeRequestCodec.INSTANCE);

        assertThat(json)
                .hasToString("{\"protocolVersion\":2,\"clientCapabilities\":{\"terminal\":true},"
                        + "\"clientInfo\":{\"name\":\"p\",\"version\":\"1\"},"
                        + "\"capabilities\":{\"auth\":{\"terminal\":{}}},"
                        + "\"info\":{\"name\":\"p\",\"version\":\"1\"}}");
        assertThat(json.decode(InitializeRequestCodec.INSTANCE)).isEqualTo(request);
    }
}
