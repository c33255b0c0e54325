package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SystemInstructionsTest {
    private static final String ACCEPTS = ",\"agentCapabilities\":{\"sessionCapabilities\":{\"systemPrompt\":{}}}";
    private static final String REPLACES =
            ",\"agentCapabilities\":{\"sessionCapabilities\":{\"systemPrompt\":{\"mode\":{\"override\":{}}}}}";
    private static final String VERSION_2 =
            ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{";

    private final List<String> notices = new ArrayList<>();

    private Proxy proxy(boolean override) {
        SystemInstructions.Builder builder =
                SystemInstructions.builder("Be brief.").onNotice(notices::add);
        return override ? builder.override().build() : builder.build();
    }

    @Test
    @Tag("RMP-05")
    void anAgentThatTakesSystemPromptsGetsThemBeforeThoseOfTheClient() throws Exception {
        try (Between between = new Between(proxy(false), 1, ACCEPTS)) {
            assertThat(between.opened("/"))
                    .contains(
                            "\"systemPrompt\":{\"mode\":\"append\",\"content\":[{\"type\":\"text\",\"text\":\"Be brief.\"}]}");
            String both = between.asked(
                    "session/resume",
                    "{\"sessionId\":\"t\",\"cwd\":\"/\",\"systemPrompt\":{\"mode\":\"append\",\"x\":1.50,\"content\":[{\"type\":\"text\",\"text\":\"Be kind.\"}]}}",
                    "{}");
            assertThat(both).containsSubsequence("Be brief.", "Be kind.").contains("\"x\":1.50");
            assertThat(between.asked("session/fork", "{\"sessionId\":\"t\",\"cwd\":\"/\"}", "{\"sessionId\":\"u\"}"))
                    .isEqualTo("{\"sessionId\":\"t\",\"cwd\":\"/\"}");
            assertThat(between.prompted("Hello.")).isEqualTo(Between.prompt("Hello."));
        }
        assertThat(notices).isEmpty();
    }

    @Test
    @Tag("RMP-05")
    void theAgentsOwnAreReplacedOnlyIfItOffersThat() throws Exception {
        try (Between between = new Between(proxy(true), 1, REPLACES)) {
            assertThat(between.opened("/")).contains("\"mode\":\"override\"");
        }
        assertThat(notices).isEmpty();

        try (Between between = new Between(proxy(true), 1, ACCEPTS)) {
            assertThat(between.opened("/")).contains("\"mode\":\"append\"");
        }
        assertThat(notices).singleElement().asString().contains("cannot be replaced");
    }

    @Test
    @Tag("RMP-05")
    void anotherAgentGetsThemInTheFirstPromptAndReplaysHideThem() throws Exception {
        try (Between between = new Between(proxy(true), 1, "")) {
            assertThat(between.opened("/")).doesNotContain("systemPrompt");
            String first = between.prompted("Hello.");
            assertThat(first).containsSubsequence("Be brief.", "{\"type\":\"text\",\"text\":\"Hello.\"}");
            assertThat(between.prompted("Again.")).isEqualTo(Between.prompt("Again."));

            between.asked("session/fork", "{\"sessionId\":\"s\",\"cwd\":\"/\"}", "{\"sessionId\":\"u\"}");
            String ofFork = Between.prompt("Fork.").replace("\"s\"", "\"u\"");
            assertThat(between.asked("session/prompt", ofFork, "{\"stopReason\":\"end_turn\"}"))
                    .contains("Be brief.");

            between.client.request(70, "session/load", "{\"sessionId\":\"t\",\"cwd\":\"/\",\"mcpServers\":[]}");
            var load = between.agent.expect("session/load");
            String marked = new Inserted("system-prompt").text("instructions", "Be brief.");
            between.agent.notification("session/update", said("t", marked));
            between.agent.notification("session/update", said("t", marked + "Hello."));
            between.agent.answer(load, "{}");
            assertThat(between.clientGets("session/update")).isEqualTo(said("t", "Hello."));
            between.client.expectResult(70);
            String prompt = Between.prompt("More.").replace("\"s\"", "\"t\"");
            assertThat(between.asked("session/prompt", prompt, "{\"stopReason\":\"end_turn\"}"))
                    .isEqualTo(prompt);
        }
        assertThat(notices)
                .singleElement()
                .asString()
                .contains("takes no system prompt")
                .contains("replace none");
    }

    private static String said(String session, String text) {
        return "{\"sessionId\":\"" + session
                + "\",\"update\":{\"sessionUpdate\":\"user_message_chunk\",\"content\":{\"type\":\"text\",\"text\":"
                + RawJson.string(text) + "}}}";
    }

    @Test
    void aPromptThatFailsIsNotTheFirst() throws Exception {
        try (Between between = new Between(proxy(false), 1, "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Hello."));
            String id = Between.text(
                    between.agent.expect("session/prompt").get("id").orElseThrow());
            between.agent.send(
                    "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":-32000,\"message\":\"log in\"}}");
            between.client.expectError(70);

            assertThat(between.prompted("Hello.")).contains("Be brief.");
        }
    }

    @Test
    void bothWaysHoldInVersion2() throws Exception {
        try (Between between = new Between(proxy(false), 2, VERSION_2 + "\"systemPrompt\":{}}}")) {
            assertThat(between.opened("/")).contains("\"systemPrompt\":{\"mode\":\"append\"");
        }
        try (Between between = new Between(proxy(false), 2, VERSION_2 + "}}")) {
            between.opened("/");
            assertThat(between.asked("session/prompt", Between.prompt("Hello."), "{}"))
                    .contains("Be brief.");
            String marked = new Inserted("system-prompt").text("instructions", "Be brief.");
            between.update(
                    "{\"sessionUpdate\":\"user_message\",\"messageId\":\"m\",\"content\":[{\"type\":\"text\",\"text\":"
                            + RawJson.string(marked) + "},{\"type\":\"text\",\"text\":\"Hello.\"}]}");
            assertThat(between.clientGets("session/update"))
                    .contains("\"content\":[{\"type\":\"text\",\"text\":\"Hello.\"}]");
        }
    }

    @Test
    @Tag("RMP-05")
    void aReplayThatCutsTheMarksAnywhereShowsNoPieceOfThem() throws Exception {
        String marked = new Inserted("system-prompt").text("instructions", "Be brief.");
        String all = "<b>" + marked + "Hello <inserted";
        for (int length : new int[] {1, 7, 40}) {
            try (Between between = new Between(proxy(false), 1, "")) {
                between.client.request(70, "session/load", "{\"sessionId\":\"s\",\"cwd\":\"/\",\"mcpServers\":[]}");
                var load = between.agent.expect("session/load");
                for (int from = 0; from < all.length(); from += length) {
                    between.replay(all.substring(from, Math.min(all.length(), from + length)));
                }
                between.update("{\"sessionUpdate\":\"own\"}");
                // One that was cut off by the agent, and one that the replay ends with.
                between.replay(marked.substring(0, marked.length() - 20));
                between.replay("And <in");
                between.agent.answer(load, "{}");

                StringBuilder shown = new StringBuilder();
                String update = between.clientGets("session/update");
                for (; !update.contains("\"own\""); update = between.clientGets("session/update")) {
                    shown.append(textOf(update));
                }
                assertThat(shown).asString().isEqualTo("<b>Hello <inserted");
                assertThat(textOf(between.clientGets("session/update"))).isEqualTo("And <in");
                between.client.expectResult(70);
                assertThat(between.prompted("More.")).isEqualTo(Between.prompt("More."));
            }
        }
    }

    private static String textOf(String update) {
        JsonObject said = (JsonObject) RawJson.parse(update).value();
        JsonObject chunk = (JsonObject) said.get("update").orElseThrow();
        return ((JsonObject) chunk.get("content").orElseThrow()).text("text").orElseThrow();
    }

    @Test
    void aPromptThatWasCancelledBeforeItWasSentIsNotTheFirst() throws Exception {
        CountDownLatch holds = new CountDownLatch(1);
        AtomicBoolean isFirst = new AtomicBoolean(true);
        Proxy holding = Proxy.builder("holding", "1")
                .onPrompt((prompt, hop) -> {
                    if (isFirst.getAndSet(false)) {
                        holds.countDown();
                        new CountDownLatch(1).await();
                    }
                    return hop.forward();
                })
                .build();
        try (Between between = new Between(proxy(false).then(holding), 1, "")) {
            between.opened("/");
            between.client.request(70, "session/prompt", Between.prompt("Hello."));
            holds.await();
            between.client.notification("session/cancel", "{\"sessionId\":\"s\"}");
            assertThat(Between.text(between.client.expectResult(70))).contains("cancelled");

            assertThat(between.prompted("Hello.")).contains("Be brief.");
        }
    }
}
