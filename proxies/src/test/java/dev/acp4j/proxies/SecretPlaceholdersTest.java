package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.proxy.Proxy;
import dev.acp4j.redaction.Redaction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SecretPlaceholdersTest {
    private static final String SECRET = "hunter2hunter2";
    private static final String VERSION_2 =
            ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";

    /** The members of the protocol with texts that stay as they are toward an agent. */
    private static final String[] NOT_SEARCHED = """
            action capability capabilityV2 currency cursor groupMember idType key lastModified member method mimeType
            mode name names nextCursor operation outcome required sessionUpdate signal sizes state type updatedAt version
            additionalDirectories address args baseUrl command cwd headers oldPath path src uri url value values
            blob data
            defaultValue email error hint label literal message newText object oldText organization pattern raw rawInput
            rawOutput setting
            params result
            """.strip().split("\\s+");

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
                if (version == 2) {
                    between.agent.answer(prompt, answer);
                    between.client.expectResult(70);
                }
                between.update(chunk("A {"));
                assertThat(between.clientGets("session/update")).contains("\"A \"");
                if (version == 2) {
                    between.update("{\"sessionUpdate\":\"state_update\",\"state\":\"idle\"}");
                } else {
                    between.agent.answer(prompt, answer);
                }
                assertThat(between.clientGets("session/update")).contains("\"{\"");
                if (version == 1) {
                    between.client.expectResult(70);
                }
            }
        }
    }

    @Test
    @Tag("RMP-14")
    void aCutPlaceholderWaitsForItsRestWhateverElseIsAnsweredAndWhateverItIsAPartOf() throws Exception {
        String user =
                "{\"sessionUpdate\":\"user_message_chunk\",\"messageId\":\"u\",\"content\":{\"type\":\"text\",\"text\":\"%s\"}}";
        String tool = "{\"sessionUpdate\":\"tool_call_content_chunk\",\"toolCallId\":\"c\",\"content\":"
                + "{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"%s\"}}}";
        try (Between between = between(2)) {
            String placeholder = placeholder(between.asked("session/prompt", Between.prompt(SECRET), "{}"));
            for (String update : new String[] {chunk("%s"), user, tool}) {
                between.update(update.formatted(placeholder.substring(0, 8)));
                between.asked("session/set_config_option", "{\"sessionId\":\"s\"}", "{\"configOptions\":[]}");
                between.update(update.formatted(placeholder.substring(8)));
                assertThat(between.clientGets("session/update")).contains("\"text\":\"" + SECRET + "\"");
            }
        }
    }

    @Test
    @Tag("RMP-14")
    void methodsOfOthersAreSearchedInAllTheirTexts() throws Exception {
        try (Between between = between(1)) {
            String params = between.asked("_x/y", "{\"value\":[\"" + SECRET + "\"]}", "{}");
            assertThat(params).isEqualTo("{\"value\":[\"" + placeholder(params) + "\"]}");
            assertThat(between.answeredByClient("_x/z", "{}", "{\"any\":\"" + SECRET + "\"}"))
                    .isEqualTo("{\"any\":\"" + placeholder(params) + "\"}");
        }
    }

    @Test
    @Tag("RMP-14")
    void nextEditSuggestionsDoNotPass() throws Exception {
        for (int version : new int[] {1, 2}) {
            String capabilities = version == 1
                    ? ",\"agentCapabilities\":{\"loadSession\":true%s}"
                    : VERSION_2.replace("{\"session\":{}}", "{\"session\":{}%s}");
            List<String> notices = new ArrayList<>();
            Proxy proxy = SecretPlaceholders.of(Redaction.SECRETS.and(Map.of("API_TOKEN", SECRET)), notices::add);
            try (Between between =
                    new Between(proxy, version, capabilities.formatted(",\"nes\":{\"context\":{}}"), true)) {
                assertThat(between.initialized)
                        .isEqualTo("{\"protocolVersion\":" + version + capabilities.formatted("") + "}");
                assertThat(notices).singleElement().asString().contains("next edit suggestions");

                between.client.request(
                        70,
                        "nes/suggest",
                        "{\"sessionId\":\"s\",\"context\":{\"editHistory\":[{\"diff\":\"+KEY=" + SECRET + "\"}]}}");
                assertThat(Between.text(between.client.expectError(70)))
                        .contains("-32601", "nes/suggest does not pass the proxy redact");
                between.client.notification("document/didOpen", "{\"sessionId\":\"s\",\"text\":\"" + SECRET + "\"}");
                // The agent gets this one next.
                between.asked("_next", "{}", "{}");
            }
        }
    }

    @Test
    @Tag("RMP-15")
    void whatCannotBeSearchedInTimeDoesNotPass() throws Exception {
        SecretPlaceholders.Search slow = (text, other) -> {
            if (text.equals("slow")) {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return text;
        };
        try (Between between = new Between(SecretPlaceholders.of(slow, sentence -> {}, Duration.ofSeconds(1)), 1, "")) {
            between.client.request(70, "session/prompt", Between.prompt("slow"));
            assertThat(Between.text(between.client.expectError(70))).contains("-32603");
            between.client.notification("_own", "{\"text\":\"slow\"}");
            between.agent.request(71, "fs/read_text_file", "{\"sessionId\":\"s\",\"path\":\"/a\"}");
            between.client.answer(between.client.expect("fs/read_text_file"), "{\"content\":\"slow\"}");
            // The agent gets this next, and nothing of the others.
            assertThat(Between.text(between.agent.expectError(71))).contains("-32603");
        }
    }

    @Test
    @Tag("RMP-15")
    void aMessageWithMoreSecretsThanAreKeptDoesNotPassAndTheErrorSaysWhy() throws Exception {
        String keys = IntStream.rangeClosed(0, 10_000)
                .mapToObj(i -> "ghp_" + "%036d".formatted(i).replace("00", "aZ"))
                .collect(Collectors.joining(" "));
        try (Between between = between(1)) {
            between.client.request(70, "session/prompt", Between.prompt(keys));
            assertThat(Between.text(between.client.expectError(70))).contains("at most 10000 secrets");
            between.asked("_next", "{}", "{}");
        }
    }

    @Test
    @Tag("RMP-15")
    void secretsAreInNoLogBehindTheProxyAndInNoFile(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("log");
        try (MessageLog log = MessageLog.builder(file).everything().open();
                Between between = new Between(
                        SecretPlaceholders.of(Redaction.SECRETS.and(Map.of("API_TOKEN", SECRET)))
                                .then(log.proxy()),
                        1,
                        "")) {
            String placeholder = placeholder(between.prompted("Use " + SECRET + "."));
            between.update(chunk(placeholder));
            assertThat(between.clientGets("session/update")).contains(SECRET);
        }
        assertThat(Files.readString(file)).contains("{{secret-").doesNotContain(SECRET);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    /** A new member of the protocol with a text is one of those that are searched, or a decision here. */
    @Test
    @Tag("RMP-14")
    void noTextOfTheProtocolIsForgotten() throws Exception {
        Pattern component = Pattern.compile("(?:[ (<]String>?|RawJson) (\\w+)[,)]");
        TreeSet<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.list(Path.of("../core/src/main/java/dev/acp4j/schema"))) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                Matcher matcher = component.matcher(Files.readString(file));
                while (matcher.find()) {
                    found.add(matcher.group(1));
                }
            }
        }
        found.removeAll(Set.of("text", "content", "output", "title", "description"));

        assertThat(found).containsExactlyInAnyOrder(NOT_SEARCHED);
    }

    private static String chunk(String text) {
        return "{\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"m\",\"content\":{\"type\":\"text\",\"text\":\""
                + text + "\"}}";
    }
}
