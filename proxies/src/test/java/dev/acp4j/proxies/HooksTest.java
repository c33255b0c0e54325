package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.tap.Poll;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class HooksTest {
    @TempDir
    private Path folder;

    private Path project;
    private final BlockingQueue<String> notices = new LinkedBlockingQueue<>();

    @BeforeEach
    void shell() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")));
        project = Files.createDirectories(folder.resolve("project"));
    }

    private Path script(Path in, String text) throws Exception {
        Path file = Files.writeString(in.resolve("hook.sh"), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    private Launch hook(String text) throws Exception {
        return Launch.of(script(folder, text).toString());
    }

    private Hooks.Builder hooks() {
        return Hooks.builder().onNotice(notices::add);
    }

    @Test
    @Tag("RMP-07")
    void aCommandBeforeAPromptGetsItAsJsonInTheFolderOfTheSessionAndMayRefuseIt() throws Exception {
        Launch command = hook(
                "cat > seen.json; grep -q secret seen.json && { echo 'No secrets, please.' >&2; exit 3; }; exit 0");
        try (Between between = new Between(hooks().onPrompt(command).build(), 1, "")) {
            between.opened(project.toString());
            assertThat(between.prompted("Hello.")).isEqualTo(Between.prompt("Hello."));
            RawJson seen = RawJson.parse(Files.readAllBytes(project.resolve("seen.json")));
            assertThat(seen.toString().strip())
                    .isEqualTo("{\"event\":\"prompt\",\"sessionId\":\"s\",\"cwd\":" + RawJson.string(project.toString())
                            + ",\"prompt\":[{\"type\":\"text\",\"text\":\"Hello.\"}]}");

            between.client.request(70, "session/prompt", Between.prompt("My secret."));
            assertThat(Between.text(between.client.expectError(70))).contains("\"No secrets, please.\"");
            assertThat(between.asked("_next", "{}", "{}")).isEqualTo("{}");
        }
    }

    @Test
    @Tag("RMP-07")
    void aCommandThatTakesTooLongIsEndedWithItsDescendantsAndRefuses() throws Exception {
        Launch command = hook("sleep 1000 & echo $! > pid; wait");
        try (Between between = new Between(
                hooks().onPrompt(command).limit(Duration.ofSeconds(2)).build(), 1, "")) {
            between.opened(project.toString());
            between.client.request(70, "session/prompt", Between.prompt("Hello."));
            assertThat(Between.text(between.client.expectError(70))).contains("has not ended within 2.0 s");
            long pid = Long.parseLong(Files.readString(project.resolve("pid")).strip());
            assertThat(Poll.until(() ->
                            !ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)))
                    .isTrue();
        }
        try (Between between =
                new Between(hooks().onPrompt(Launch.of("/no/such/program")).build(), 1, "")) {
            between.opened(project.toString());
            between.client.request(70, "session/prompt", Between.prompt("Hello."));
            assertThat(Between.text(between.client.expectError(70))).contains("cannot be started");
        }
        assertThatThrownBy(() -> Hooks.builder().build()).hasMessageContaining("at least one command");
    }

    @Test
    @Tag("RMP-07")
    void aQuestionThatACommandRefusesIsRejectedForOnce() throws Exception {
        Launch command = hook("grep -q '\"event\":\"question\".*rm -rf' && { echo no >&2; exit 1; }; exit 0");
        String options = "\"options\":[{\"optionId\":\"y\",\"name\":\"Yes\",\"kind\":\"allow_once\"},"
                + "{\"optionId\":\"n\",\"name\":\"No\",\"kind\":\"reject_once\"}]}";
        try (Between between = new Between(hooks().onQuestion(command).build(), 1, "")) {
            between.opened(project.toString());
            assertThat(between.answered(
                            "session/request_permission",
                            "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"c\",\"title\":\"rm -rf /\"},"
                                    + options))
                    .contains("\"optionId\":\"n\"");
            assertThat(notices.take()).isEqualTo("A question of the session s was rejected: no");
            assertThat(between.answeredByClient(
                            "session/request_permission",
                            "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"c\",\"title\":\"ls\"}," + options,
                            "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"y\"}}"))
                    .contains("\"optionId\":\"y\"");
        }
    }

    @Test
    @Tag("RMP-07")
    void updatesNeverWaitAndARefusedCallOfAToolCancelsTheTurn() throws Exception {
        Path fifo = folder.resolve("go");
        new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor();
        Launch command = hook("cat '" + fifo + "' > /dev/null; echo 'not that one' >&2; exit 1");
        try (Between between = new Between(hooks().onToolCall(command).build(), 1, "")) {
            between.opened(project.toString());
            between.client.request(70, "session/prompt", Between.prompt("Hello."));
            JsonObject prompt = between.agent.expect("session/prompt");
            for (int i = 0; i < 100; i++) {
                between.update("{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"" + i + "\"}");
                between.clientGets("session/update");
            }
            Files.writeString(fifo, "go\n");
            between.agent.expect("session/cancel");
            assertThat(notices.take()).endsWith("is cancelled after a call of a tool: not that one");
            between.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            between.client.expectResult(70);
        }
    }

    @Test
    @Tag("RMP-07")
    void aSessionThatWasNotSeenToBeOpenedIsRefused() throws Exception {
        Launch command = hook("exit 0");
        try (Between between = new Between(
                hooks().onPrompt(command)
                        .onQuestion(command)
                        .onToolCall(command)
                        .onTurnEnd(command)
                        .build(),
                1,
                "")) {
            between.opened(project.toString());
            assertThat(between.answered(
                            "session/request_permission",
                            "{\"sessionId\":\"child\",\"toolCall\":{\"toolCallId\":\"c\"},\"options\":"
                                    + "[{\"optionId\":\"n\",\"name\":\"No\",\"kind\":\"reject_once\"}]}"))
                    .contains("\"optionId\":\"n\"");
            assertThat(notices.take()).contains("the session has no folder on this machine");

            String call =
                    "{\"sessionId\":\"child\",\"update\":{\"sessionUpdate\":\"tool_call%s\",\"toolCallId\":\"c\",\"title\":\"t\"}}";
            between.agent.notification("session/update", call.formatted(""));
            between.clientGets("session/update");
            between.agent.notification("session/update", call.formatted("_update"));
            between.clientGets("session/update");
            assertThat(Between.params(between.agent.expect("session/cancel"))).isEqualTo("{\"sessionId\":\"child\"}");
            assertThat(notices.take())
                    .startsWith("The agent was asked to cancel a turn of the session child")
                    .contains("no folder on this machine");
            // It may go on, which is not reported again.
            between.agent.notification("session/update", call.formatted("").replace("\"c\"", "\"d\""));
            between.clientGets("session/update");
            between.agent.expect("session/cancel");

            between.client.request(
                    70, "session/prompt", Between.prompt("Hello.").replace("\"s\"", "\"child\""));
            assertThat(Between.text(between.client.expectError(70))).contains("the session has no folder");
            between.asked("_next", "{}", "{}");
            assertThat(notices).isEmpty();
        }
    }

    @Test
    @Tag("RMP-07")
    void aCallOfAToolBeyondThoseThatWaitCancelsTheTurn() throws Exception {
        Path fifo = folder.resolve("go");
        new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor();
        Launch command = hook("touch started; cat '" + fifo + "' > /dev/null");
        try (Between between = new Between(hooks().onToolCall(command).build(), 1, "")) {
            between.opened(project.toString());
            String call = "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"%d\",\"title\":\"t\"}";
            between.update(call.formatted(0));
            between.clientGets("session/update");
            assertThat(Poll.until(() -> Files.exists(project.resolve("started"))))
                    .isTrue();
            for (int i = 1; i <= 1_002; i++) {
                between.update(call.formatted(i));
                between.clientGets("session/update");
            }
            between.agent.expect("session/cancel");
            between.asked("_next", "{}", "{}");
            assertThat(notices).singleElement().asString().contains("more than 1000 hooks wait");
        }
    }

    @Test
    @Tag("RMP-07")
    void anAgentThatCountsItsCallsAnewInASessionThatIsLoadedAgainHasThemChecked() throws Exception {
        Launch command = hook("cat > /dev/null; echo checked >> '" + folder + "/calls'");
        String call = "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"call_001\",\"title\":\"t\"}";
        String load = "{\"sessionId\":\"s\",\"cwd\":" + RawJson.string(project.toString()) + ",\"mcpServers\":[]}";
        Path calls = folder.resolve("calls");
        try (Between between = new Between(
                hooks().onToolCall(command).build(),
                1,
                ",\"agentCapabilities\":{\"loadSession\":true,\"sessionCapabilities\":{\"close\":{}}}")) {
            between.opened(project.toString());
            for (int checked = 1; checked <= 2; checked++) {
                long length = (long) checked * "checked\n".length();
                between.update(call);
                between.clientGets("session/update");
                assertThat(Poll.until(() -> calls.toFile().length() == length))
                        .as("call " + checked + " is checked")
                        .isTrue();
                between.asked("session/close", "{\"sessionId\":\"s\"}", "{}");
                between.asked("session/load", load, "{}");
            }
        }
        assertThat(notices).isEmpty();
    }

    @Test
    @Tag("RMP-07")
    void thePromptOfASessionThatIsClosedMeanwhileIsAnsweredAsTheAgentDoes() throws Exception {
        Launch command = hook("cat > /dev/null; exit 0");
        try (Between between = new Between(
                hooks().onPrompt(command).build(),
                1,
                ",\"agentCapabilities\":{\"sessionCapabilities\":{\"close\":{}}}")) {
            between.opened(project.toString());
            between.client.request(70, "session/prompt", Between.prompt("Hello."));
            JsonObject prompt = between.agent.expect("session/prompt");
            between.asked("session/close", "{\"sessionId\":\"s\"}", "{}");
            between.agent.answer(prompt, "{\"stopReason\":\"cancelled\"}");
            assertThat(Between.text(between.client.expectResult(70))).isEqualTo("{\"stopReason\":\"cancelled\"}");
        }
    }

    @Test
    @Tag("RMP-07")
    void afterATurnACommandGetsItsEnd() throws Exception {
        Launch command = hook("cat > '" + folder + "/end.json'; echo done >&2; exit 1");
        try (Between between = new Between(hooks().onTurnEnd(command).build(), 1, "")) {
            between.opened(project.toString());
            between.prompted("Hello.");
            assertThat(notices.take()).isEqualTo("After a turn of the session s: done");
            assertThat(Files.readString(folder.resolve("end.json")))
                    .contains("\"event\":\"turn_end\"", "\"result\":{\"stopReason\":\"end_turn\"}");
        }
        String version2 = ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{}}";
        try (Between between = new Between(hooks().onTurnEnd(command).build(), 2, version2)) {
            between.opened(project.toString());
            between.asked("session/prompt", Between.prompt("Hello."), "{}");
            between.update("{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"end_turn\"}");
            between.clientGets("session/update");
            assertThat(notices.take()).isEqualTo("After a turn of the session s: done");
        }
    }

    @Test
    @Tag("RMP-07")
    void aFileOfTheProjectRunsOnlyOnceItIsTrustedAndAgainAfterAChange() throws Exception {
        Path file = script(project, "touch ran; exit 0");
        String contents = Files.readString(file);
        for (Launch command : new Launch[] {Launch.of(file.toString()), Launch.of("/bin/sh", "hook.sh")}) {
            Files.writeString(file, contents);
            Files.deleteIfExists(project.resolve("ran"));
            try (Between between = new Between(hooks().onPrompt(command).build(), 1, "")) {
                between.opened(project.toString());
                between.client.request(70, "session/prompt", Between.prompt("Hello."));
                assertThat(Between.text(between.client.expectError(70))).contains("you have not trusted it");
            }
            assertThat(project.resolve("ran")).doesNotExist();
            Trust trust = (asked, found) -> found.equals(contents);
            try (Between between =
                    new Between(hooks().onPrompt(command).trust(trust).build(), 1, "")) {
                between.opened(project.toString());
                between.prompted("Hello.");
                assertThat(project.resolve("ran")).exists();
                Files.writeString(file, contents + "# changed");
                between.client.request(70, "session/prompt", Between.prompt("Hello."));
                assertThat(Between.text(between.client.expectError(70))).contains("you have not trusted it");
            }
        }
    }
}
