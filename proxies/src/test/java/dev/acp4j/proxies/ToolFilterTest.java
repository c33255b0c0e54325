package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ToolFilterTest {
    private static final String OPTIONS =
            "\"options\":[{\"optionId\":\"always\",\"name\":\"\",\"kind\":\"reject_always\"},"
                    + "{\"optionId\":\"yes\",\"name\":\"\",\"kind\":\"allow_once\"},"
                    + "{\"optionId\":\"no\",\"name\":\"\",\"kind\":\"reject_once\"}]";
    private static final String NO = "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"no\"}}";
    private static final String YES = "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"yes\"}}";

    private final List<String> notices = new ArrayList<>();

    private Between between(ToolFilter.Builder builder, int version) throws Exception {
        return new Between(
                builder.onNotice(notices::add).build(),
                version,
                version == 1 ? "" : ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{}");
    }

    private static String question(String call) {
        return "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"c\"" + call + "}," + OPTIONS + "}";
    }

    private static String mcp(String method, String params) {
        return "{\"serverId\":\"m\",\"requestId\":\"r\",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    @Test
    @Tag("RMP-08")
    @Tag("RMP-09")
    void toolsOfMcpServersAreTakenOutOfTheListAndRefused() throws Exception {
        String list =
                "{\"tools\":[{\"name\":\"drop\"},{\"name\":\"Drop\",\"x\":1.50},{\"name\":\"drop_\"}],\"ttlMs\":1}";
        try (Between between = between(ToolFilter.builder().deny("drop"), 1)) {
            assertThat(between.answeredByClient("mcp/message", mcp("tools/list", "{}"), "{\"result\":" + list + "}"))
                    .isEqualTo(
                            "{\"result\":{\"tools\":[{\"name\":\"Drop\",\"x\":1.50},{\"name\":\"drop_\"}],\"ttlMs\":1}}");
            assertThat(between.answered("mcp/message", mcp("tools/call", "{\"name\":\"drop\"}")))
                    .isEqualTo("{\"error\":{\"code\":-32602,\"message\":\"the tool drop is not allowed here\"}}");
            assertThat(between.answered("mcp/message", mcp("tools/call", "{}"))).contains("\"error\":{\"code\":-32602");
            assertThat(between.answeredByClient(
                            "mcp/message", mcp("tools/call", "{\"name\":\"Drop\"}"), "{\"result\":{}}"))
                    .isEqualTo("{\"result\":{}}");
        }
        assertThat(notices).singleElement().asString().contains("can be seen, but not stopped");
    }

    @Test
    @Tag("RMP-09")
    void aListThatCannotBeReadGoesNoFurther() throws Exception {
        try (Between between = between(ToolFilter.builder().deny("drop"), 1)) {
            between.agent.request(80, "mcp/message", mcp("tools/list", "{}"));
            between.client.answer(between.client.expect("mcp/message"), "{\"result\":{\"tools\":{\"name\":\"drop\"}}}");

            assertThat(Between.text(between.agent.expectError(80)))
                    .contains("-32603")
                    .doesNotContain("drop");
        }
    }

    @Test
    @Tag("RMP-09")
    @Tag("RMP-08")
    void questionsForForbiddenToolsAreRejectedOnce() throws Exception {
        try (Between between = between(ToolFilter.builder().deny("drop"), 1)) {
            assertThat(between.answered("session/request_permission", question(",\"name\":\"drop\"")))
                    .isEqualTo(NO);
            assertThat(between.answered("session/request_permission", question(",\"title\":\"look\"")))
                    .isEqualTo(NO);
            between.update(
                    "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"drop\",\"name\":\"look\"}");
            between.clientGets("session/update");
            assertThat(between.answeredByClient("session/request_permission", question(",\"title\":\"drop\""), YES))
                    .isEqualTo(YES);
        }
    }

    @Test
    void whatIsAllowedLeavesNoRoomForToolsWithoutAName() throws Exception {
        try (Between between =
                between(ToolFilter.builder().allow("look", "drop").deny("drop"), 2)) {
            String form =
                    "{\"sessionId\":\"s\",\"title\":\"May I?\",\"subject\":{\"type\":\"tool_call\",\"toolCall\":{\"toolCallId\":\"%s\"%s}},"
                            + OPTIONS + "}";
            assertThat(between.answered("session/request_permission", form.formatted("a", "")))
                    .isEqualTo(NO);
            assertThat(between.answered("session/request_permission", form.formatted("b", ",\"name\":\"drop\"")))
                    .isEqualTo(NO);
            assertThat(between.answeredByClient(
                            "session/request_permission", form.formatted("c", ",\"name\":\"look\""), YES))
                    .isEqualTo(YES);
            String without = "{\"sessionId\":\"s\",\"title\":\"May I?\"%s," + OPTIONS + "}";
            String command = ",\"subject\":{\"type\":\"command\",\"command\":\"rm\",\"cwd\":\"/\"}";
            for (String subject : List.of("", command, ",\"subject\":{\"type\":\"own\"}")) {
                assertThat(between.answered("session/request_permission", without.formatted(subject)))
                        .as(subject)
                        .isEqualTo(NO);
            }
        }
    }

    @Test
    @Tag("RMP-08")
    void aForbiddenToolAtWorkIsReportedAndCancelledIfSet() throws Exception {
        String call = "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"x\",\"name\":\"drop\"}";
        try (Between between = between(ToolFilter.builder().deny("drop").cancel(), 1)) {
            between.update(call);
            between.update(call);
            assertThat(Between.params(between.agent.expect("session/cancel"))).isEqualTo("{\"sessionId\":\"s\"}");
            between.clientGets("session/update");
            between.clientGets("session/update");
            assertThat(between.asked("_next", "{}", "{}")).isEqualTo("{}");
        }
        assertThat(notices).hasSize(2).last().asString().contains("uses the tool drop");
        notices.clear();

        try (Between between = between(ToolFilter.builder().deny("drop"), 1)) {
            between.update(call);
            between.clientGets("session/update");
            assertThat(between.asked("_next", "{}", "{}")).isEqualTo("{}");
        }
        assertThat(notices).hasSize(2).last().asString().contains("uses the tool drop");
    }

    @Test
    void aToolThatWasRejectedAndIsUsedAllTheSameIsCancelled() throws Exception {
        String call = "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"status\":\"%s\"}";
        try (Between between = between(ToolFilter.builder().deny("drop").cancel(), 1)) {
            assertThat(between.answered("session/request_permission", question(",\"name\":\"drop\"")))
                    .isEqualTo(NO);
            between.update(call.formatted("failed"));
            between.clientGets("session/update");
            assertThat(between.asked("_next", "{}", "{}")).isEqualTo("{}");
            assertThat(notices).hasSize(1);

            between.update(call.formatted("in_progress"));
            assertThat(Between.params(between.agent.expect("session/cancel"))).isEqualTo("{\"sessionId\":\"s\"}");
        }
        assertThat(notices).hasSize(2).last().asString().contains("uses the tool drop");
    }

    @Test
    void aToolThatOnlyTheQuestionHasNamedIsKnownByTheCallThatFollows() throws Exception {
        try (Between between = between(ToolFilter.builder().deny("drop").cancel(), 1)) {
            assertThat(between.answered("session/request_permission", question(",\"name\":\"drop\"")))
                    .isEqualTo(NO);

            between.update("{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"x\"}");

            assertThat(Between.params(between.agent.expect("session/cancel"))).isEqualTo("{\"sessionId\":\"s\"}");
        }
        assertThat(notices).hasSize(2).last().asString().contains("uses the tool drop");
    }
}
