package dev.acp4j.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What drafts add to stable messages is read if it is right, and is no reason to refuse a message if it is not. */
final class DraftsTest {
    private static final SessionId SESSION = SessionId.of("s");

    @Test
    void memberOfADraftIsRead() {
        RawJson json = RawJson.parse("{\"stopReason\":\"end_turn\","
                + "\"usage\":{\"totalTokens\":3,\"inputTokens\":2,\"outputTokens\":1}}");

        PromptResponse response = json.decode(PromptResponseCodec.INSTANCE);

        assertThat(response.usage()).isEqualTo(Usage.builder(3, 2, 1).build());
        assertThat(response.rest()).isEqualTo(Rest.NONE);
        assertThat(RawJson.encode(response, PromptResponseCodec.INSTANCE)).isEqualTo(json);
    }

    @Test
    void malformedMemberOfADraftIsUnknownAndWrittenAgain() {
        RawJson json = RawJson.parse("{\"cwd\":\"/w\",\"mcpServers\":[],\"systemPrompt\":\"be brief\"}");

        NewSessionRequest request = json.decode(NewSessionRequestCodec.INSTANCE);

        assertThat(request.systemPrompt()).isNull();
        assertThat(request.rest().get("systemPrompt")).contains(RawJson.string("be brief"));
        assertThat(RawJson.encode(request, NewSessionRequestCodec.INSTANCE)).isEqualTo(json);
    }

    @Test
    void memberThatAProgramSetsReplacesAMalformedOne() {
        NewSessionRequest request = RawJson.parse("{\"cwd\":\"/w\",\"mcpServers\":[],\"systemPrompt\":7}")
                .decode(NewSessionRequestCodec.INSTANCE)
                .toBuilder()
                .systemPrompt(SystemPrompt.of(SystemPromptMode.APPEND, List.of(ContentBlock.text("hi"))))
                .build();

        assertThat(RawJson.encode(request, NewSessionRequestCodec.INSTANCE))
                .hasToString("{\"cwd\":\"/w\",\"mcpServers\":[],"
                        + "\"systemPrompt\":{\"mode\":\"append\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}}");
    }

    @Test
    void malformedVariantOfADraftIsUnknown() {
        RawJson json = RawJson.parse("{\"sessionUpdate\":\"plan_update\",\"entries\":[]}");

        SessionUpdate update = json.decode(SessionUpdateCodec.INSTANCE);

        assertThat(update).isEqualTo(new SessionUpdate.Unknown("plan_update", json));
        assertThat(RawJson.encode(update, SessionUpdateCodec.INSTANCE)).isEqualTo(json);
    }

    @Test
    void draftOfOneVersionIsStrictInTheVersionWhereItIsStable() {
        RawJson json = RawJson.parse("{\"sessionUpdate\":\"plan_update\",\"entries\":[]}");

        assertThatThrownBy(() -> json.decode(SessionUpdateCodecV2.INSTANCE))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("plan");
    }

    @Test
    void methodOfADraftIsAsStrictAsAnyOther() {
        assertThatThrownBy(() -> RawJson.parse("{\"sessionId\":\"s\",\"cwd\":\"/w\",\"systemPrompt\":7}")
                        .decode(AgentMethods.FORK_SESSION.params()))
                .isInstanceOf(JsonException.class)
                .hasMessageStartingWith("systemPrompt: ");
        assertThat(RawJson.encode(SessionStatusRequest.of(SESSION), AgentMethods.SESSION_STATUS.params()))
                .hasToString("{\"sessionId\":\"s\"}");
    }

    @Test
    void stateOfASubagentIsNoUpdateOfItsOwnInVersion1() {
        SessionUpdate update = SubagentUpdate.builder(SESSION)
                .state(StateUpdate.Idle.builder()
                        .stopReason(StopReason.END_TURN)
                        .build())
                .build();

        RawJson json = RawJson.encode(update, SessionUpdateCodec.INSTANCE);

        assertThat(json)
                .hasToString("{\"sessionUpdate\":\"subagent_update\",\"sessionId\":\"s\","
                        + "\"state\":{\"state\":\"idle\",\"stopReason\":\"end_turn\"}}");
        assertThat(json.decode(SessionUpdateCodec.INSTANCE)).isEqualTo(update);
        assertThat(RawJson.parse("{\"sessionUpdate\":\"state_update\",\"state\":\"running\"}")
                        .decode(SessionUpdateCodec.INSTANCE))
                .isInstanceOf(SessionUpdate.Unknown.class);
    }

    @Tag("MCP-12")
    @Test
    void resultOfAnMcpServerMayBeNullAndCountsMoreThanAnErrorBesideIt() {
        RawJson json = RawJson.parse("{\"result\":null}");

        MessageMcpResponse response = json.decode(ClientMethods.MESSAGE_MCP.result());

        assertThat(response).isEqualTo(MessageMcpResponse.Result.of(RawJson.NULL));
        assertThat(RawJson.encode(response, ClientMethods.MESSAGE_MCP.result())).isEqualTo(json);
        MessageMcpResponse both = RawJson.parse("{\"result\":null,\"error\":{\"code\":1,\"message\":\"m\"},\"x\":2}")
                .decode(ClientMethods.MESSAGE_MCP.result());
        assertThat(RawJson.encode(both, ClientMethods.MESSAGE_MCP.result()))
                .isEqualTo(RawJson.parse("{\"result\":null,\"x\":2}"));
        assertThatThrownBy(() -> RawJson.parse("{\"error\":null}").decode(ClientMethods.MESSAGE_MCP.result()))
                .isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> RawJson.parse("{}").decode(ClientMethods.MESSAGE_MCP.result()))
                .hasMessage("expected a member \"result\" or a member \"error\", got none");
    }
}
