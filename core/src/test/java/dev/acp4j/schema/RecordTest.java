package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RequestId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What records check, copy and offer by themselves. */
final class RecordTest {
    private static final SessionId SESSION = SessionId.of("s");

    @Test
    @SuppressWarnings("NullAway") // that is the test
    void requiredComponentMustBeThere() {
        assertThatNullPointerException()
                .isThrownBy(() -> PromptRequest.of(null, "hi"))
                .withMessage("sessionId is null");
    }

    @Test
    void listsAreCopied() {
        List<ContentBlock> prompt = new ArrayList<>(List.of(ContentBlock.text("hi")));
        PromptRequest request = PromptRequest.of(SESSION, prompt);

        prompt.clear();

        assertThat(request.prompt()).hasSize(1).isUnmodifiable();
    }

    @Test
    void listsInChangesAreCopied() {
        List<ToolCallContent> content = new ArrayList<>(List.of(ToolCallContent.text("hi")));
        ToolCallUpdate update =
                ToolCallUpdate.builder(ToolCallId.of("t")).content(content).build();

        content.clear();

        assertThat(update.content().applyTo(List.of(), List.of())).hasSize(1).isUnmodifiable();
    }

    @Test
    void outputOfATerminalIsBytes() {
        byte[] half = {(byte) 0xC3};
        TerminalOutputChunk chunk = TerminalOutputChunk.of(TerminalId.of("t"), half);

        assertThat(chunk.data()).isEqualTo("ww==");
        assertThat(chunk.bytes()).isEqualTo(half);
        assertThat(TerminalOutput.of(half).bytes()).isEqualTo(half);
    }

    @Test
    void fieldsOfAFormKeepTheirOrder() {
        String json = "{\"type\":\"object\",\"properties\":{\"z\":{\"type\":\"boolean\"},\"a\":{\"type\":\"string\"},"
                + "\"m\":{\"type\":\"integer\"}}}";

        ElicitationSchema schema = RawJson.parse(json).decode(ElicitationSchemaCodec.INSTANCE);

        assertThat(schema.properties().keySet()).containsExactly("z", "a", "m");
        assertThat(RawJson.encode(schema, ElicitationSchemaCodec.INSTANCE)).hasToString(json);
    }

    @Test
    void lineBeyondItsRangeIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ToolCallLocation.of("/a", -1))
                .withMessage("line: expected a number from 0 to 4294967295, got -1");
        assertThatIllegalArgumentException().isThrownBy(() -> ToolCallLocation.of("/a", 0x1_0000_0000L));
    }

    @Test
    void negativeTokensAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> UsageUpdate.builder(-1, 0).build());
    }

    @Test
    void endlessCostIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cost.of(Double.POSITIVE_INFINITY, "USD"))
                .withMessage("amount: expected a finite number, got Infinity");
    }

    @Test
    void noticeWithoutATitleIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Notice.builder(NoticeSeverity.INFO, "").build())
                .withMessageContaining("title");
        assertThatThrownBy(() ->
                        RawJson.parse("{\"severity\":\"info\",\"title\":\"\"}").decode(NoticeCodec.INSTANCE))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("title");
    }

    @Test
    void exitCodesOfWindowsBecomeUnsigned() {
        assertThat(TerminalExitStatus.exited(0xC0000005).exitCode()).isEqualTo(0xC0000005L);
        assertThat(WaitForTerminalExitResponse.of(TerminalExitStatus.killed("SIGKILL"))
                        .exitStatus())
                .isEqualTo(TerminalExitStatus.killed("SIGKILL"));
    }

    @Test
    @Tag("SCH-13")
    void timesAreTextThatCanBeRead() {
        SessionInfo info = SessionInfo.builder(SESSION, "/w")
                .updatedAt("2025-10-29T14:22:15+02:00")
                .build();

        assertThat(info.updatedInstant()).contains(Instant.parse("2025-10-29T12:22:15Z"));
        assertThat(info.toBuilder().updatedAt("yesterday").build().updatedInstant())
                .isEmpty();
        assertThat(SessionInfo.builder(SESSION, "/w").build().updatedInstant()).isEmpty();
    }

    @Test
    @Tag("CBK-07")
    void elicitationBelongsToExactlyOneThing() {
        ElicitationSchema schema = ElicitationSchema.builder().build();
        ElicitationScope toolCall = ElicitationScope.toolCall(SESSION, ToolCallId.of("t"));
        ElicitationScope request = ElicitationScope.request(RequestId.of(7));

        assertThat(CreateElicitationRequest.form(toolCall, "?", schema).scope()).isEqualTo(toolCall);
        assertThat(CreateElicitationRequest.form(request, "?", schema).scope()).isEqualTo(request);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> CreateElicitationRequest.Form.builder("?", schema).build())
                .withMessageContaining("sessionId");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CreateElicitationRequest.Form.builder("?", schema)
                        .sessionId(SESSION)
                        .requestId(RequestId.of(7))
                        .build());
    }

    @Test
    @Tag("CBK-07")
    void elicitationThatBelongsToNothingIsAnErrorOfTheMessage() {
        RawJson json =
                RawJson.parse("{\"mode\":\"url\",\"message\":\"?\",\"elicitationId\":\"e\",\"url\":\"https://a\"}");

        assertThatThrownBy(() -> json.decode(CreateElicitationRequestCodec.INSTANCE))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("sessionId");
    }

    @Test
    @Tag("SCH-17")
    void variantWithoutATypeMayNameItAndIsWrittenWithoutIt() {
        AuthMethod named = RawJson.parse("{\"type\":\"agent\",\"id\":\"a\",\"name\":\"A\"}")
                .decode(AuthMethodCodec.INSTANCE);
        AuthMethod unnamed = RawJson.parse("{\"id\":\"a\",\"name\":\"A\"}").decode(AuthMethodCodec.INSTANCE);

        assertThat(named).isEqualTo(unnamed).isInstanceOf(AuthMethod.Agent.class);
        assertThat(RawJson.encode(named, AuthMethodCodec.INSTANCE)).hasToString("{\"id\":\"a\",\"name\":\"A\"}");
    }

    @Test
    @Tag("CBK-03")
    void unknownOutcomeIsKeptAndIsNoSelection() {
        RawJson json = RawJson.parse("{\"outcome\":\"approved\",\"optionId\":\"allow\"}");

        RequestPermissionOutcome outcome = json.decode(RequestPermissionOutcomeCodec.INSTANCE);

        assertThat(outcome).isInstanceOf(RequestPermissionOutcome.Unknown.class);
        assertThat(RawJson.encode(outcome, RequestPermissionOutcomeCodec.INSTANCE))
                .isEqualTo(json);
    }

    @Test
    void toolCallLeavesOutWhatIsTheDefault() {
        ToolCall call = ToolCall.builder(ToolCallId.of("t"), "Read").build();

        assertThat(call.kind()).isEqualTo(ToolKind.OTHER);
        assertThat(call.status()).isEqualTo(ToolCallStatus.PENDING);
        assertThat(RawJson.encode((SessionUpdate) call, SessionUpdateCodec.INSTANCE))
                .hasToString("{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t\",\"title\":\"Read\"}");
    }
}
