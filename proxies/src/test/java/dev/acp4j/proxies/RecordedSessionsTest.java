package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RecordedSessionsTest {
    private static final String RESUMES = ",\"agentInfo\":{\"name\":\"a\",\"version\":\"1\"},"
            + "\"agentCapabilities\":{\"sessionCapabilities\":{\"resume\":{}},\"own\":1.50}";
    private static final String NEITHER = ",\"agentCapabilities\":{}";
    private static final String LOAD = "{\"sessionId\":\"s\",\"cwd\":\"/work\",\"mcpServers\":[]}";

    @TempDir
    private Path folder;

    private final List<String> notices = new ArrayList<>();

    private Proxy record() {
        return RecordedSessions.builder(folder.resolve("records"))
                .onNotice(notices::add)
                .build();
    }

    private Proxy inNewSessions() {
        return RecordedSessions.builder(folder.resolve("records"))
                .newSessions()
                .onNotice(notices::add)
                .build();
    }

    private static String update(String kind, String members) {
        return "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"" + kind + "\"," + members
                + "},\"_meta\":{\"x\":1.50,\"y\":[1e3,null]}}";
    }

    private static String said(String text) {
        return update("agent_message_chunk", "\"content\":{\"type\":\"text\",\"text\":" + RawJson.string(text) + "}");
    }

    private static final String USER =
            "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"user_message_chunk\",\"content\":";

    /** A turn in which the agent sends these params of updates. */
    private static void turn(Between between, String prompt, String... updates) throws Exception {
        between.client.request(900, "session/prompt", prompt);
        JsonObject there = between.agent.expect("session/prompt");
        for (String each : updates) {
            between.agent.notification("session/update", each);
            assertThat(between.clientGets("session/update")).isEqualTo(each);
        }
        between.agent.answer(there, "{\"stopReason\":\"end_turn\"}");
        between.client.expectResult(900);
    }

    private Path file() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("records"))) {
            return files.filter(file -> file.toString().endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void opened(Between between) throws Exception {
        String server =
                "{\"name\":\"m\",\"command\":\"/m\",\"args\":[],\"env\":[{\"name\":\"KEY\",\"value\":\"canary-1\"}]}";
        between.asked("session/new", "{\"cwd\":\"/work\",\"mcpServers\":[" + server + "]}", "{\"sessionId\":\"s\"}");
    }

    @Test
    @Tag("RMP-19")
    @Tag("RMP-20")
    void whatPassedIsReplayedAsItCameAndThenTheAgentResumes() throws Exception {
        String prompt = "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"Fix it.\",\"own\":1.50},"
                + "{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\"}]}";
        String tool = update("tool_call", "\"toolCallId\":\"c\",\"title\":\"t\",\"status\":\"completed\"");
        String own = update("own", "\"odd\":\"\\u0000\\ud800\",\"big\":123456789012345678901");
        try (Between between = new Between(record(), 1, RESUMES, true)) {
            assertThat(between.initialized)
                    .contains("\"loadSession\":true", "\"list\":{}", "\"delete\":{}", "\"resume\":{}", "\"own\":1.50");
            opened(between);
            turn(between, prompt, said("On it."), tool, own);
        }

        try (Between between = new Between(record(), 1, RESUMES, true)) {
            String list = listed(between, "{}");
            assertThat(list).contains("\"sessionId\":\"s\"", "\"cwd\":\"/work\"", "\"title\":\"Fix it.\"");
            assertThat(listed(between, "{\"cwd\":\"/other\"}")).isEqualTo("{\"sessions\":[]}");

            between.client.request(70, "session/load", LOAD);
            assertThat(between.clientGets("session/update"))
                    .isEqualTo(USER + "{\"type\":\"text\",\"text\":\"Fix it.\",\"own\":1.50}}}");
            assertThat(between.clientGets("session/update"))
                    .isEqualTo(USER + "{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\"}}}");
            for (String each : new String[] {said("On it."), tool, own}) {
                assertThat(between.clientGets("session/update")).isEqualTo(each);
            }
            JsonObject there = between.agent.expect("session/resume");
            assertThat(Between.params(there)).isEqualTo(LOAD);
            between.agent.answer(there, "{\"modes\":null,\"own\":1.50}");
            assertThat(Between.text(between.client.expectResult(70))).isEqualTo("{\"modes\":null,\"own\":1.50}");

            turn(between, Between.prompt("More."), said("Done."));
            assertThat(between.asked("session/close", "{\"sessionId\":\"s\"}", "{}"))
                    .contains("\"s\"");
            assertThat(Files.readString(file())).contains("More.", "Done.");
        }
        assertThat(notices).isEmpty();
        assertThat(Files.readString(file())).doesNotContain("canary-1");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("records"))))
                .isEqualTo("rwx------");
    }

    private static String listed(Between between, String params) throws Exception {
        between.client.request(80, "session/list", params);
        return Between.text(between.client.expectResult(80));
    }

    @Test
    @Tag("RMP-19")
    void whereTheAgentLoadsByItselfNothingIsDone() throws Exception {
        try (Between between = new Between(record(), 1, ",\"agentCapabilities\":{\"loadSession\":true}")) {
            opened(between);
            turn(between, Between.prompt("Hello."), said("Hi."));
            assertThat(between.asked("session/load", LOAD, "{}")).isEqualTo(LOAD);
        }
        String version2 = ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";
        try (Between between = new Between(record(), 2, version2)) {
            opened(between);
            between.asked("session/prompt", Between.prompt("Hello."), "{}");
        }

        assertThat(folder.resolve("records")).doesNotExist();
        assertThat(notices).isEmpty();
    }

    @Test
    @Tag("RMP-20")
    void whatCannotBeKeptIsNotOfferedAndAResumeReplaysNothing() throws Exception {
        Path inTheWay = Files.writeString(folder.resolve("file"), "");
        Proxy nowhere = RecordedSessions.builder(inTheWay.resolve("records"))
                .onNotice(notices::add)
                .build();
        try (Between between = new Between(nowhere, 1, RESUMES)) {
            opened(between);
            assertThat(between.asked("session/resume", LOAD, "{}")).isEqualTo(LOAD);
        }
        try (Between between = new Between(record(), 1, NEITHER)) {
            opened(between);
        }
        assertThat(notices).hasSize(2);
        assertThat(notices.get(0)).startsWith("Sessions are not recorded, so they cannot be loaded later: ");
        assertThat(notices.get(1)).contains("can neither load nor resume");

        try (Between between = new Between(record(), 1, RESUMES, true)) {
            opened(between);
            turn(between, Between.prompt("Hello."), said("Hi."));
        }
        try (Between between = new Between(record(), 1, RESUMES, true)) {
            between.asked("session/resume", LOAD, "{}");
            // The next thing that the client gets is this.
            assertThat(between.asked("_next", "{}", "{}")).isEqualTo("{}");
        }
    }

    @Test
    @Tag("RMP-20")
    void aRecordThatIsShorterThanTheSessionSaysSo() throws Exception {
        try (Between between = new Between(record(), 1, RESUMES, true)) {
            between.asked("session/resume", LOAD, "{}");
            turn(between, Between.prompt("And now?"), said("That."));
        }
        try (Between between = new Between(record(), 1, RESUMES, true)) {
            assertThat(loaded(between, 2)).isEqualTo("{\"_meta\":{\"acp4j.dev/record\":{\"complete\":false}}}");
        }

        assertThat(notices)
                .containsExactly("The record of the session s is shorter than the session: a part is missing.");
    }

    /** Loads the session; returns the result. */
    private static String loaded(Between between, int updates) throws Exception {
        between.client.request(70, "session/load", LOAD);
        for (int i = 0; i < updates; i++) {
            between.clientGets("session/update");
        }
        between.agent.answer(between.agent.expect("session/resume"), "{}");
        return Between.text(between.client.expectResult(70));
    }

    @Test
    @Tag("RMP-20")
    void aTurnThatWasCutOffEndsWithItsToolsAndALineThatWasBegunIsGone() throws Exception {
        try (Between between = new Between(record(), 1, RESUMES, true)) {
            opened(between);
            turn(between, Between.prompt("Hello."), said("Hi."));
        }
        // What a kill leaves: a turn without an end, and half a line.
        String begun = Files.readString(file()).replace("{\"end\":\"end_turn\"}\n", "");
        String call = update("tool_call", "\"toolCallId\":\"c\",\"title\":\"t\",\"status\":\"in_progress\"");
        Files.writeString(file(), begun + call + "\n{\"sessionId\":\"s\",\"upd");

        try (Between between = new Between(record(), 1, RESUMES, true)) {
            between.client.request(70, "session/load", LOAD);
            between.clientGets("session/update");
            assertThat(between.clientGets("session/update")).isEqualTo(said("Hi."));
            assertThat(between.clientGets("session/update")).isEqualTo(call);
            assertThat(between.clientGets("session/update"))
                    .contains("\"tool_call_update\",\"toolCallId\":\"c\",\"status\":\"failed\"");
            between.agent.answer(between.agent.expect("session/resume"), "{}");
            assertThat(Between.text(between.client.expectResult(70))).contains("\"complete\":false");
        }
        assertThat(Files.readAllLines(file()))
                .allSatisfy(line -> assertThat(RawJson.parse(line).value()).isInstanceOf(JsonObject.class));
    }

    @Test
    void whatTheAgentRepeatsOfThePromptIsKeptOnce() throws Exception {
        String echo = update("user_message_chunk", "\"content\":{\"type\":\"text\",\"text\":\"Hello.\"}");
        try (Between between = new Between(record(), 1, RESUMES, true)) {
            opened(between);
            turn(between, Between.prompt("Hello."), echo, said("Hi."));
        }

        assertThat(Files.readString(file())).containsOnlyOnce("Hello.");
    }

    @Test
    void aDeletedSessionIsGoneAndAnIdThatComesAgainBeginsANewRecord() throws Exception {
        try (Between between = new Between(record(), 1, RESUMES, true)) {
            opened(between);
            turn(between, Between.prompt("First."), said("Hi."));
            between.asked("session/close", "{\"sessionId\":\"s\"}", "{}");
            opened(between);
            turn(between, Between.prompt("Second."), said("Hi."));
            assertThat(Files.readString(file())).contains("Second.").doesNotContain("First.");

            between.client.request(81, "session/delete", "{\"sessionId\":\"s\"}");
            between.client.expectResult(81);
            assertThat(listed(between, "{}")).isEqualTo("{\"sessions\":[]}");
            turn(between, Between.prompt("Third."), said("Hi."));
            assertThat(listed(between, "{}")).isEqualTo("{\"sessions\":[]}");
        }
        // Nor is that of the first left.
        try (Stream<Path> files = Files.list(folder.resolve("records"))) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    @Tag("RMP-19")
    void aRecordThatCannotBeReadIsLeftOutOfTheListAndReportedOnce() throws Exception {
        try (Between between = new Between(record(), 1, RESUMES, true)) {
            opened(between);
            turn(between, Between.prompt("First."), said("Hi."));
            Files.createDirectory(folder.resolve("records/x.jsonl"));
            for (int i = 0; i < 2; i++) {
                assertThat(listed(between, "{}")).contains("\"sessionId\":\"s\"");
            }
            assertThat(notices).singleElement().asString().contains("x.jsonl cannot be read");
        }
    }

    @Test
    @Tag("RMP-20")
    void withAnAgentThatCanDoNeitherTheSessionGoesOnInANewOneUnderItsOldId() throws Exception {
        try (Between between = new Between(inNewSessions(), 1, NEITHER, true)) {
            opened(between);
            turn(between, Between.prompt("My name is Ada."), said("Hello, Ada."));
        }
        try (Between between = new Between(inNewSessions(), 1, NEITHER, true)) {
            between.client.request(70, "session/load", LOAD);
            between.clientGets("session/update");
            assertThat(between.clientGets("session/update")).isEqualTo(said("Hello, Ada."));
            JsonObject there = between.agent.expect("session/new");
            assertThat(Between.params(there)).isEqualTo("{\"cwd\":\"/work\",\"mcpServers\":[]}");
            between.agent.answer(there, "{\"sessionId\":\"new\",\"own\":1.50}");
            assertThat(Between.text(between.client.expectResult(70))).isEqualTo("{\"own\":1.50}");

            between.client.request(71, "session/prompt", Between.prompt("Who am I?"));
            there = between.agent.expect("session/prompt");
            assertThat(Between.params(there))
                    .contains("\"sessionId\":\"new\"", "User: My name is Ada.\\n\\nAgent: Hello, Ada.", "Who am I?");
            String marked = Between.text(there.get("params").orElseThrow());
            between.agent.notification(
                    "session/update",
                    said("You said: " + marked.length()).replace("\"sessionId\":\"s\"", "\"sessionId\":\"new\""));
            assertThat(between.clientGets("session/update")).isEqualTo(said("You said: " + marked.length()));
            between.agent.request(
                    72, "session/request_permission", "{\"sessionId\":\"new\",\"toolCall\":{},\"options\":[]}");
            JsonObject question = between.client.expect("session/request_permission");
            assertThat(Between.params(question)).startsWith("{\"sessionId\":\"s\",");
            between.client.answer(question, "{\"outcome\":{\"outcome\":\"cancelled\"}}");
            between.agent.expectResult(72);
            between.client.notification("session/cancel", "{\"sessionId\":\"s\"}");
            assertThat(Between.params(between.agent.expect("session/cancel"))).isEqualTo("{\"sessionId\":\"new\"}");
            between.agent.answer(there, "{\"stopReason\":\"cancelled\"}");
            between.client.expectResult(71);

            between.client.request(73, "session/prompt", Between.prompt("Again."));
            there = between.agent.expect("session/prompt");
            assertThat(Between.params(there)).isEqualTo(Between.prompt("Again.").replace("\"s\"", "\"new\""));
            between.agent.answer(there, "{\"stopReason\":\"end_turn\"}");
            between.client.expectResult(73);

            between.client.request(74, "session/load", LOAD.replace("\"s\"", "\"unknown\""));
            assertThat(Between.text(between.client.expectError(74))).contains("-32002");
        }
        assertThat(Files.readString(file())).contains("Who am I?").doesNotContain("The conversation so far");
    }

    @Test
    void thousandsOfUpdatesAndTheEndOfATurnKeepTheirOrderInANewSession() throws Exception {
        try (Between between = new Between(inNewSessions(), 1, NEITHER, true)) {
            opened(between);
            turn(between, Between.prompt("Hello."), said("Hi."));
        }
        try (Between between = new Between(inNewSessions(), 1, NEITHER, true)) {
            between.client.request(70, "session/load", LOAD);
            between.clientGets("session/update");
            between.clientGets("session/update");
            between.agent.answer(between.agent.expect("session/new"), "{\"sessionId\":\"new\"}");
            between.client.expectResult(70);
            for (int round = 0; round < 200; round++) {
                between.client.request(100 + round, "session/prompt", Between.prompt("Go."));
                JsonObject there = between.agent.expect("session/prompt");
                for (int i = 0; i < 5; i++) {
                    between.agent.notification(
                            "session/update",
                            said(round + "." + i).replace("\"sessionId\":\"s\"", "\"sessionId\":\"new\""));
                }
                between.agent.answer(there, "{\"stopReason\":\"end_turn\"}");
                for (int i = 0; i < 5; i++) {
                    assertThat(between.clientGets("session/update")).isEqualTo(said(round + "." + i));
                }
                between.client.expectResult(100 + round);
            }
        }
    }
}
