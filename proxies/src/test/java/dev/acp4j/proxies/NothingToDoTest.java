package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.lsp.LanguageServer;
import dev.acp4j.lsp.LanguageTools;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.redaction.Redaction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
    @Tag("RMP-02")
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
                    .then(SkillFiles.builder().folder(folder.resolve("skills")).build())
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

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("RMP-02")
    void whatCanStartProgramsStartsNoneBeforeItIsAsked(int version) throws Exception {
        Launch touches = Launch.of("touch", folder.resolve("started").toString());
        List<String> notices = new CopyOnWriteArrayList<>();
        try (AgentTools ask = AgentTools.builder()
                        .agent("other", touches)
                        .onNotice(notices::add)
                        .open();
                SideBySide both = SideBySide.builder()
                        .agent("other", touches)
                        .onNotice(notices::add)
                        .open();
                LanguageTools lsp = LanguageTools.builder()
                        .server(LanguageServer.of("python", touches))
                        .onNotice(notices::add)
                        .build()) {
            Proxy all = ask.proxy().then(both.proxy()).then(lsp.proxy());
            // One that connects no MCP servers, in version 2.
            String takes = version == 1
                    ? ""
                    : ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";
            try (Between between = new Between(all, version, takes)) {
                String opened = between.opened(folder.toString());
                if (version == 1) {
                    assertThat(opened).contains("\"name\":\"agents\"");
                } else {
                    assertThat(opened).isEqualTo("{\"cwd\":" + json(folder) + ",\"mcpServers\":[]}");
                }
                String update = "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"t\",\"x\":1.50}";
                between.update(update);
                assertThat(between.clientGets("session/update")).contains(update);
                String about = version == 1
                        ? "\"toolCall\":{\"toolCallId\":\"c\"}"
                        : "\"title\":\"t\",\"subject\":{\"type\":\"own\"}";
                String answer = "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"o\"}}";
                assertThat(between.answeredByClient(
                                "session/request_permission",
                                "{\"sessionId\":\"s\"," + about + ",\"options\":[]}",
                                answer))
                        .isEqualTo(answer);
                assertThat(between.asked("_own", "{\"sessionId\":\"s\",\"x\":1.50}", "{}"))
                        .isEqualTo("{\"sessionId\":\"s\",\"x\":1.50}");
            }
        }
        assertThat(folder.resolve("started")).doesNotExist();
        assertThat(notices).hasSize(version == 1 ? 0 : 2);
    }

    private static String json(Path path) {
        return RawJson.string(path.toString()).toString();
    }
}
