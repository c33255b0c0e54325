package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.redaction.Redaction;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SecretPlaceholdersTest {
    private static final String SECRET = "hunter2hunter2";
    private static final String VERSION_2 =
            ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";

    private static Between between(int version) throws Exception {
        return new Between(
                SecretPlaceholders.of(Redaction.SECRETS.and(Map.of("API_TOKEN", SECRET))),
                version,
                version == 1 ? "" : VERSION_2);
    }

    private static String placeholder(String text) {
        Matcher found = Pattern.compile("\\{\\{secret-\\w+-\\d+}}").matcher(text);
        assertThat(found.find()).as(text).isTrue();
        return found.group();
    }

    @Test
    @Tag("RMP-14")
    void theAgentGetsPlaceholdersAndWhatItWritesHasTheSecrets() throws Exception {
        try (Between between = between(1)) {
            between.opened("/" + SECRET);
            String prompt = between.asked(
                    "session/prompt",
                    "{\"sessionId\":\"s\",\"x\":1.50,\"prompt\":[{\"type\":\"text\",\"text\":\"Use " + SECRET
                            + ".\"},{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///" + SECRET
                            + "\",\"text\":\"token " + SECRET + "\"}}]}",
                    "{\"stopReason\":\"end_turn\"}");
            String placeholder = placeholder(prompt);
            assertThat(prompt)
                    .contains("Use " + placeholder + ".", "token " + placeholder, "file:///" + SECRET, "1.50");

            assertThat(between.answeredByClient(
                            "fs/read_text_file",
                            "{\"sessionId\":\"s\",\"path\":\"/env\"}",
                            "{\"content\":\"A=" + SECRET + "\\nB=x\"}"))
                    .isEqualTo("{\"content\":\"A=" + placeholder + "\\nB=x\"}");
            assertThat(between.answeredByClient(
                            "terminal/output",
                            "{\"sessionId\":\"s\",\"terminalId\":\"t\"}",
                            "{\"output\":\"A=" + SECRET + "\\n\",\"truncated\":false}"))
                    .contains("\"A=" + placeholder + "\\n\"");
            assertThat(between.answeredByClient(
                            "elicitation/create",
                            "{\"mode\":\"form\",\"sessionId\":\"s\",\"message\":\"Key?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}",
                            "{\"action\":\"accept\",\"content\":{\"key\":\"" + SECRET + "\"}}"))
                    .contains("{\"key\":\"" + placeholder + "\"}");

            between.agent.request(
                    70,
                    "fs/write_text_file",
                    "{\"sessionId\":\"s\",\"path\":\"/env\",\"content\":\"A=" + placeholder + "\"}");
            var write = between.client.expect("fs/write_text_file");
            assertThat(Between.params(write)).contains("\"A=" + SECRET + "\"");
            between.client.answer(write, "{}");
            between.agent.expectResult(70);
            between.agent.request(
                    71,
                    "terminal/create",
                    "{\"sessionId\":\"s\",\"command\":\"login\",\"args\":[\"-p\",\"" + placeholder + "\"]}");
            assertThat(Between.params(between.client.expect("terminal/create")))
                    .contains("[\"-p\",\"" + SECRET + "\"]");
        }
        try (Between other = between(1)) {
            other.update(
                    "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"{{secret-00000000-0}}\"}}");
            assertThat(other.clientGets("session/update")).contains("{{secret-00000000-0}}");
        }
    }

    @Test
    @Tag("RMP-14")
    @Tag("RMP-15")
    void whatMcpServersAnswerAndReportHasPlaceholdersAtAnyDepth() throws Exception {
        String message = "{\"serverId\":\"m\",\"requestId\":\"r\",\"method\":\"tools/call\",\"params\":%s}";
        try (Between between = between(2)) {
            String answer = between.answeredByClient(
                    "mcp/message",
                    message.formatted("{\"name\":\"env\"}"),
                    "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"A=S\"},{\"type\":\"image\",\"data\":\"S\"}],"
                                    .replace("S", SECRET)
                            + "\"structuredContent\":{\"env\":[{\"data\":\"S\",\"n\":1.50}]},\"contents\":[{\"uri\":\"S\"}]}}"
                                    .replace("S", SECRET));
            String placeholder = placeholder(answer);
            assertThat(answer)
                    .contains(
                            "\"text\":\"A=" + placeholder + "\"",
                            "{\"env\":[{\"data\":\"" + placeholder + "\",\"n\":1.50}]}",
                            "\"data\":\"" + SECRET + "\"",
                            "\"uri\":\"" + SECRET + "\"");
            assertThat(between.answeredByClient(
                            "mcp/message",
                            message.formatted("{}"),
                            "{\"error\":{\"code\":-1,\"message\":\"S?\",\"data\":{\"data\":[\"S\"]}}}"
                                    .replace("S", SECRET)))
                    .isEqualTo("{\"error\":{\"code\":-1,\"message\":\"S?\",\"data\":{\"data\":[\"S\"]}}}"
                            .replace("S", placeholder));
            between.client.notification(
                    "mcp/message",
                    "{\"serverId\":\"m\",\"requestId\":\"r\",\"method\":\"notifications/progress\",\"params\":"
                            + "{\"progressToken\":\"S\",\"message\":\"S\",\"data\":\"S\"}}".replace("S", SECRET));
            assertThat(Between.params(between.agent.expect("mcp/message")))
                    .contains("{\"progressToken\":\"" + SECRET
                            + "\",\"message\":\"P\",\"data\":\"P\"}".replace("P", placeholder));

            between.agent.request(
                    70,
                    "mcp/message",
                    message.formatted("{\"arguments\":{\"deep\":[{\"key\":\"" + placeholder + "\"}]}}"));
            var call = between.client.expect("mcp/message");
            assertThat(Between.params(call)).contains("{\"deep\":[{\"key\":\"" + SECRET + "\"}]}");
            between.client.send(
                    "{\"jsonrpc\":\"2.0\",\"id\":" + Between.text(call.get("id").orElseThrow())
                            + ",\"error\":{\"code\":-32000,\"message\":\"no such key: " + SECRET + "\"}}");
            assertThat(Between.text(between.agent.expectError(70))).contains("no such key: " + placeholder);
        }
    }

    @Test
    @Tag("RMP-14")
    void placeholdersThatAreCutIntoChunksAreFoundAndNothingIsHeldToTheEnd() throws Exception {
        for (int version : new int[] {1, 2}) {
            try (Between between = between(version)) {
                String answer = version == 1 ? "{\"stopReason\":\"end_turn\"}" : "{}";
                String text = "It is " + placeholder(between.asked("session/prompt", Between.prompt(SECRET), answer))
                        + ", {{or}} {{secret";
                for (int length : new int[] {1, 10}) {
                    for (int from = 0; from < text.length(); from += length) {
                        between.update(chunk(text.substring(from, Math.min(text.length(), from + length))));
                    }
                    between.update("{\"sessionUpdate\":\"own\"}");
                    StringBuilder shown = new StringBuilder();
                    String update = between.clientGets("session/update");
                    for (; !update.contains("\"own\""); update = between.clientGets("session/update")) {
                        shown.append(update.replaceAll(".*\"text\":\"([^\"]*)\".*", "$1"));
                    }
                    assertThat(shown).asString().isEqualTo("It is " + SECRET + ", {{or}} {{secret");
                }

                between.client.request(70, "session/prompt", Between.prompt("More."));
                var prompt = between.agent.expect("session/prompt");
                between.update(chunk("A {"));
                assertThat(between.clientGets("session/update")).contains("\"A \"");
                between.agent.answer(prompt, answer);
                assertThat(between.clientGets("session/update")).contains("\"{\"");
                between.client.expectResult(70);
            }
        }
    }

    private static String chunk(String text) {
        return "{\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"m\",\"content\":{\"type\":\"text\",\"text\":\""
                + text + "\"}}";
    }
}
