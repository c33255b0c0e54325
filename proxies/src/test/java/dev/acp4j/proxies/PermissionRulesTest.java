package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.ToolKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PermissionRulesTest {
    private static final String ASK = "session/request_permission";
    private static final String ALWAYS = "{\"optionId\":\"always\",\"name\":\"\",\"kind\":\"allow_always\"}";
    private static final String NEVER = "{\"optionId\":\"never\",\"name\":\"\",\"kind\":\"reject_always\"}";
    private static final String ONCE = "{\"optionId\":\"once\",\"name\":\"\",\"kind\":\"allow_once\"}";
    private static final String NO = "{\"optionId\":\"no\",\"name\":\"\",\"kind\":\"reject_once\"}";
    private static final String ALL = ALWAYS + "," + NEVER + "," + ONCE + "," + NO;

    private final List<String> decisions = new ArrayList<>();

    private Proxy rules() {
        return PermissionRules.builder()
                .allow(ToolKind.READ, ToolKind.EXECUTE)
                .deny(ToolKind.DELETE)
                .allowTools("grep")
                .denyTools("cat")
                .onDecision(decision -> decisions.add(decision.toString()))
                .build();
    }

    private static String question(String call, String options) {
        return "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"c\",\"title\":\"t\"" + call + "},\"options\":["
                + options + "]}";
    }

    private static String selected(String option) {
        return "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" + option + "\"}}";
    }

    @Test
    @Tag("RMP-10")
    void rulesChooseTheOptionForOnceAndTellTheClient() throws Exception {
        try (Between between = new Between(rules(), 1, "")) {
            assertThat(between.answered(ASK, question(",\"kind\":\"read\"", ALL)))
                    .isEqualTo(selected("once"));
            assertThat(between.clientGets("session/update"))
                    .contains("\"toolCallId\":\"c\"", "\"acp4j.dev/permission\":\"allowed by the rule for kind read\"");
            assertThat(between.answered(ASK, question(",\"kind\":\"delete\",\"name\":\"grep\"", ALL)))
                    .isEqualTo(selected("no"));
            between.clientGets("session/update");
            assertThat(between.answered(ASK, question(",\"kind\":\"read\",\"name\":\"cat\"", ALL)))
                    .isEqualTo(selected("no"));
            between.clientGets("session/update");
        }
        assertThat(decisions)
                .containsExactly(
                        "allowed by the rule for kind read",
                        "denied by the rule for kind delete",
                        "denied by the rule for tool cat");
    }

    @Test
    @Tag("RMP-10")
    void whatNoRuleIsForTheClientDecides() throws Exception {
        try (Between between = new Between(rules(), 1, "")) {
            for (String call : List.of("", ",\"kind\":\"edit\"", ",\"kind\":\"read_all\"", ",\"name\":\"Grep\"")) {
                String question = question(call, ALL).replace("\"c\"", "\"" + call.length() + "\"");
                assertThat(between.answeredByClient(ASK, question, selected("never")))
                        .isEqualTo(selected("never"));
            }
        }
        assertThat(decisions).isEmpty();
    }

    @Test
    @Tag("RMP-10")
    void anOptionForAlwaysIsNeverChosen() throws Exception {
        String twice = ONCE + "," + NO.replace("\"no\"", "\"once\"");
        try (Between between = new Between(rules(), 1, "")) {
            assertThat(between.answeredByClient(
                            ASK, question(",\"kind\":\"read\"", ALWAYS + "," + NEVER), selected("always")))
                    .isEqualTo(selected("always"));
            assertThat(between.answeredByClient(ASK, question(",\"kind\":\"read\"", twice), selected("once")))
                    .isEqualTo(selected("once"));
            assertThat(between.answered(ASK, question(",\"kind\":\"delete\"", ALWAYS + "," + NEVER)))
                    .isEqualTo("{\"outcome\":{\"outcome\":\"cancelled\"}}");
        }
        assertThatThrownBy(() -> PermissionRules.builder().allow(ToolKind.of("reed")))
                .hasMessageContaining("got reed; there are read, ");
        assertThatThrownBy(() -> PermissionRules.builder().allow(ToolKind.OTHER))
                .hasMessageContaining("got other");
        assertThatThrownBy(() -> PermissionRules.builder().deny(ToolKind.of("delte")))
                .hasMessageContaining("got delte; there are read, ");
    }

    @Test
    @Tag("RMP-10")
    void aQuestionThatCannotBeReadIsRefused() throws Exception {
        try (Between between = new Between(rules(), 1, "")) {
            between.agent.request(80, ASK, "{\"sessionId\":\"s\",\"toolCall\":7,\"options\":[]}");

            assertThat(Between.text(between.agent.expectError(80))).contains("-32602");
        }
    }

    @Test
    @Tag("RMP-10")
    void subjectsOfVersion2AreJudgedWithWhatIsKnownOfTheirCall() throws Exception {
        String form = "{\"sessionId\":\"s\",\"title\":\"May I?\"%s,\"options\":[" + ALL + "]}";
        String command = ",\"subject\":{\"type\":\"command\",\"command\":\"ls\",\"cwd\":\"/\",\"toolCallId\":\"%s\"}";
        try (Between between =
                new Between(rules(), 2, ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{}")) {
            between.update("{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"name\":\"cat\"}");
            between.clientGets("session/update");
            assertThat(between.answered(ASK, form.formatted(command.formatted("c"))))
                    .isEqualTo(selected("no"));
            assertThat(between.clientGets("session/update"))
                    .contains("\"toolCallId\":\"c\"", "denied by the rule for tool cat");
            for (String kind : List.of("delete", "edit", "read")) {
                between.update(
                        "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"k\",\"kind\":\"" + kind + "\"}");
                between.clientGets("session/update");
                String question = form.formatted(command.formatted("k"));
                if (kind.equals("edit")) {
                    assertThat(between.answeredByClient(ASK, question, selected("never")))
                            .isEqualTo(selected("never"));
                } else {
                    assertThat(between.answered(ASK, question))
                            .isEqualTo(selected(kind.equals("delete") ? "no" : "once"));
                    assertThat(between.clientGets("session/update"))
                            .contains(
                                    kind.equals("delete") ? "rule for kind delete" : "rule for kind read and execute");
                }
            }
            assertThat(between.answered(ASK, form.formatted(command.formatted("d"))))
                    .isEqualTo(selected("once"));
            assertThat(between.clientGets("session/update"))
                    .contains("\"toolCallId\":\"d\"", "allowed by the rule for kind execute");
            String alone = ",\"subject\":{\"type\":\"command\",\"command\":\"ls\",\"cwd\":\"/\"}";
            assertThat(between.answered(ASK, form.formatted(alone))).isEqualTo(selected("once"));
            assertThat(
                            between.answered(
                                    ASK,
                                    form.formatted(
                                            ",\"subject\":{\"type\":\"tool_call\",\"toolCall\":{\"toolCallId\":\"e\",\"kind\":\"read\"}}")))
                    .isEqualTo(selected("once"));
            assertThat(between.clientGets("session/update")).contains("kind read");
            assertThat(between.answeredByClient(ASK, form.formatted(""), selected("no")))
                    .isEqualTo(selected("no"));
        }
    }
}
