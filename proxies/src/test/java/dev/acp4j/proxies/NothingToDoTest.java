package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.redaction.Redaction;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All ready-made proxies in one chain, none of which has anything to do. */
@Timeout(60)
class NothingToDoTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("RMP-01")
    void everyMessagePassesAsItCame(int version) throws Exception {
        String odd = "\"x\":1.50,\"y\":[1e3,null],\"_meta\":{\"own\":true}";
        try (MessageLog log =
                MessageLog.builder(folder.resolve("log")).everything().open()) {
            Proxy all = log.proxy()
                    .then(SystemInstructions.append("Be brief."))
                    .then(ContextFiles.of("AGENTS.md"))
                    .then(ToolFilter.builder().deny("drop").build())
                    .then(PermissionRules.builder().denyTools("drop").build())
                    .then(RecordedSessions.in(folder.resolve("records")))
                    .then(Watchdog.builder().silence(Duration.ofHours(1)).build())
                    .then(PromptQueue.create())
                    .then(CommandFiles.builder()
                            .folder(folder.resolve("commands"))
                            .build())
                    .then(Hooks.builder()
                            .onTurnEnd(Launch.of("java", "-version"))
                            .build())
                    .then(AddedMcpServers.of())
                    .then(Budget.builder().turns(100).build())
                    .then(SecretPlaceholders.of(Redaction.SECRETS))
                    .then(PathMapper.builder()
                            .map("/here", "/there")
                            .passOutside()
                            .build())
                    .then(VendorDialects.all())
                    .then(ClientTools.create());
            String takes = version == 1
                    ? ",\"agentCapabilities\":{\"loadSession\":true,\"sessionCapabilities\":{\"systemPrompt\":{}}}"
                    : ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{\"systemPrompt\":{}}}";
            try (Between between = new Between(all, version, takes)) {
                String own = "{\"sessionId\":\"s\"," + odd + "}";
                assertThat(between.asked("_own", own, own)).isEqualTo(own);
                between.asked(
                        "session/new",
                        "{\"cwd\":" + json(folder) + ",\"mcpServers\":[]}",
                        "{\"sessionId\":\"s\"," + odd + "}");
                String prompt = "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"own\"," + odd + "}]," + odd + "}";
                assertThat(between.asked("session/prompt", prompt, "{\"stopReason\":\"own\"," + odd + "}"))
                        .isEqualTo(prompt);
                for (String type : new String[] {
                    "\"user_message_chunk\",\"messageId\":\"m\",\"content\":{\"type\":\"text\",\"text\":\"Hi\"," + odd
                            + "}",
                    "\"tool_call\",\"toolCallId\":\"c\",\"title\":\"t\",\"kind\":\"own\"",
                    "\"own\""
                }) {
                    String update = "{\"sessionUpdate\":" + type + "," + odd + "}";
                    between.update(update);
                    assertThat(between.clientGets("session/update"))
                            .isEqualTo("{\"sessionId\":\"s\",\"update\":" + update + "}");
                }
                String about = version == 1
                        ? "\"toolCall\":{\"toolCallId\":\"c\"," + odd + "}"
                        : "\"title\":\"t\",\"subject\":{\"type\":\"own\"," + odd + "}";
                String question = "{\"sessionId\":\"s\"," + about + ",\"options\":[]," + odd + "}";
                between.agent.request(70, "session/request_permission", question);
                var asked = between.client.expect("session/request_permission");
                assertThat(Between.params(asked)).isEqualTo(question);
                between.client.answer(asked, "{\"outcome\":{\"outcome\":\"own\"," + odd + "}}");
                assertThat(Between.text(between.agent.expectResult(70)))
                        .isEqualTo("{\"outcome\":{\"outcome\":\"own\"," + odd + "}}");
            }
        }
    }

    private static String json(Path path) {
        return RawJson.string(path.toString()).toString();
    }
}
