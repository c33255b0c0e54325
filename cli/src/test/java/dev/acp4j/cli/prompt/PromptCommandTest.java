package dev.acp4j.cli.prompt;

import static dev.acp4j.cli.AcpRun.acp;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromptCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void theAnswerGoesToStandardOutputAndTheRestToStandardError() {
        AcpRun run = acp("prompt", "hello world").with().run();

        assertThat(run.out()).isEqualTo("You said: **hello world**\n");
        assertThat(run.err()).contains("✓ Read notes.txt  read").contains("Somebody says something.");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void imagesAndOtherContentAreSaved() throws Exception {
        Path saved = folder.resolve("new/content");

        AcpRun run = acp("prompt", "--quiet", "--save-content", saved.toString(), "pictures")
                .with()
                .run();
        AcpRun again = acp("prompt", "--save-content", saved.toString(), "pictures")
                .with()
                .run();
        AcpRun hint = acp("prompt", "--quiet", "pictures").with().run();

        String picture = "[image image/png, 3 bytes, changed 2026-11-02: " + saved + "/image-2.png]\n";
        assertThat(run.out())
                .isEqualTo(
                        picture + picture + "[file:///tmp/odd, 3 bytes; not saved: the agent's data is not Base64]\n");
        assertThat(run.exitCode()).isEqualTo(6);
        assertThat(again.err()).contains("[audio audio/wav, 2 bytes: " + saved + "/audio-2.wav]");
        assertThat(saved.toFile().list())
                .containsExactlyInAnyOrder("image-2.png", "audio-1.wav", "audio-2.wav", "image-3.png");
        assertThat(saved.resolve("image-2.png")).hasBinaryContent(new byte[] {1, 2, 3});
        assertThat(saved.resolve("audio-1.wav")).hasBinaryContent(new byte[] {4, 5});
        assertThat(hint.out())
                .contains("[image image/png, 3 bytes, changed 2026-11-02; --save-content FOLDER saves it]");
        assertThat(acp("prompt", "--json", "--save-content", "x", "hello")
                        .with()
                        .run()
                        .err())
                .isEqualTo("acp: --save-content cannot be combined with --json, whose events have the content\n");
    }

    @Test
    void thereAreNoEscapesInAPipe() {
        AcpRun run = acp("prompt", "plan").with().env("TERM", "xterm-256color").run();

        assertThat(run.out() + run.err()).doesNotContain("\u001b");
    }

    @Test
    void quietShowsTheAnswerOnly() {
        AcpRun run = acp("prompt", "--quiet", "hello").with().run();

        assertThat(run.out()).isEqualTo("You said: **hello**\n");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void theAnswerIsWhatTheAgentSaidWithABlankLineWhereItDidSomethingElse() {
        assertThat(acp("prompt", "--quiet", "parts").with().run().out())
                .isEqualTo("One sentence.\n\tTabbed.\n\nAnother.\n");
    }

    @Test
    void aToolCallThatGoesOnInTheMiddleOfASentenceDoesNotPartTheAnswer() {
        assertThat(acp("prompt", "--quiet", "meanwhile").with().run().out()).isEqualTo("One sentence.\n");
    }

    @Test
    void aTurnThatEndsForAReasonNobodyKnowsIsAFailure() {
        List<String> testAgent = new ArrayList<>(AcpRun.java(Acp.class));
        testAgent.addAll(List.of("test-agent", "--protocol", "2"));

        // Only version 2 has such reasons.
        AcpRun run = acp("prompt", "--protocol", "2", "say hello\nstop _odd")
                .agent(testAgent.toArray(String[]::new))
                .run();

        assertThat(run.out()).contains("hello");
        assertThat(run.exitCode()).as(run.err()).isOne();
        assertThat(run.err()).contains("_odd");
    }

    @ParameterizedTest
    @CsvSource({"hello,0", "refuse,3", "tokens,4", "requests,4", "cancel,130", "error,1", "die,1"})
    void theExitCodeTellsHowTheTurnEnded(String prompt, int code) {
        AcpRun run = acp("prompt", prompt).with().run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(code);
        assertThat(run.err()).doesNotContain("\tat ").doesNotContain("Exception");
    }

    @Test
    void anErrorOfTheAgentIsToldWithItsCodeAndData() {
        AcpRun run = acp("prompt", "error").with().run();

        assertThat(run.err())
                .contains("acp: the agent responded to session/prompt with an error: out of cheese (-32050)")
                .contains("{\"cheese\":0}");
    }

    @Test
    void anAgentThatDiesIsToldWithItsExitAndItsLastWords() {
        AcpRun run = acp("prompt", "die").with().run();

        assertThat(run.err()).contains("exit code 9").contains("| FATAL: out of luck");
    }

    @ParameterizedTest
    @CsvSource({
        "allow,0,'Chosen: Yes, just once'",
        "deny,0,Chosen: No",
        "fail,5,Cancelled.",
        "'',5,Cancelled.",
    })
    @Tag("CBK-01")
    @Tag("CBK-02")
    void permissionsAreAnsweredAsTheOptionSays(String how, int code, String answer) {
        AcpRun run = how.isEmpty()
                ? acp("prompt", "permission").with().run()
                : acp("prompt", "--permissions", how, "permission").with().run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(code);
        if (code == 0) {
            assertThat(run.out()).isEqualTo(answer + "\n");
        } else {
            assertThat(run.err())
                    .contains("but the run is unattended: Delete everything")
                    .contains("--permissions allow");
        }
    }

    @Test
    void askingNeedsATerminal() {
        AcpRun run = acp("prompt", "--permissions", "ask", "permission").with().run();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("acp: --permissions ask needs a terminal; use allow, deny or fail\n");
    }

    @Test
    void jsonIsOneObjectALine() {
        AcpRun run =
                acp("prompt", "--json", "--permissions", "allow", "edit").with().run();

        List<JsonObject> objects = run.lines().stream()
                .map(line -> (JsonObject) RawJson.parse(line).value())
                .toList();
        assertThat(objects)
                .map(PromptCommandTest::type)
                .startsWith("session")
                .contains("tool_call", "permission", "message")
                .endsWith("result");
        assertThat(run.lines()).last().isEqualTo("{\"type\":\"result\",\"stopReason\":\"end_turn\",\"exitCode\":0}");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void jsonBeginsWithTheSessionAlthoughTheAgentSpokeBefore() {
        AcpRun run = acp("prompt", "--json", "hi", "--", "sh", "-c", """
                answer() { read -r line; id=${line#*'"id":'}; echo '{"jsonrpc":"2.0","id":'"${id%%,*}"',"result":'"$1}"; }
                answer '{"protocolVersion":1}'
                echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":
                    {"sessionUpdate":"session_info_update","title":"early"}}}' | tr -d '\\n'
                echo
                answer '{"sessionId":"s"}'
                answer '{"stopReason":"end_turn"}'
                """).run();

        assertThat(run.lines()).as(run.err()).hasSize(3);
        assertThat(run.lines().get(0)).startsWith("{\"type\":\"session\",");
        assertThat(run.lines().get(1)).contains("early");
    }

    @Test
    void jsonEndsWithAnErrorWhenTheAgentDies() {
        AcpRun run = acp("prompt", "--json", "die").with().run();

        assertThat(run.lines())
                .allSatisfy(line -> assertThat(RawJson.parse(line).value()).isInstanceOf(JsonObject.class));
        assertThat(run.lines())
                .last()
                .asString()
                .startsWith("{\"type\":\"error\",\"message\":")
                .endsWith("\"exitCode\":1}");
    }

    @Test
    void ctrlCCancels() throws Exception {
        Process process = acp("prompt", "slow").with().interruptible().start();
        try (var out = process.inputReader()) {
            char[] begun = new char["This takes long…".length()];
            assertThat(out.read(begun)).isPositive();

            new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                    .start()
                    .waitFor();

            assertThat(process.waitFor()).isEqualTo(130);
        }
    }

    @Test
    void standardInputIsReadForADash() {
        AcpRun run = acp("prompt", "-").with().input("from a pipe").run();

        assertThat(run.out()).isEqualTo("You said: **from a pipe**\n");
    }

    @Test
    void theAgentWorksInTheFolderGiven() throws IOException {
        Path work = Files.createDirectory(folder.resolve("a folder"));

        AcpRun run = acp("prompt", "--json", "--cwd", "a folder", "hi")
                .with()
                .in(folder)
                .run();

        assertThat(run.lines().get(0)).contains("\"cwd\":\"" + work.toRealPath() + "\"");
    }

    @Test
    void theAgentMayUseFilesInTheFolderAndNoOthers() {
        AcpRun run = acp("prompt", "--permissions", "allow", "--cwd", folder.toString(), "files")
                .with()
                .run();

        assertThat(folder.resolve("notes.txt")).hasContent("from the agent");
        assertThat(run.out()).contains("Wrote: from the agent").contains("Refused: ");
    }

    @ParameterizedTest
    @CsvSource({"deny", "fail", "''"})
    void whereNobodyPermitsAnythingAnAgentMayOnlyRead(String how) {
        AcpRun.Builder acp = how.isEmpty()
                ? acp("prompt", "-v", "--cwd", folder.toString(), "unasked")
                : acp("prompt", "-v", "--permissions", how, "--cwd", folder.toString(), "unasked");

        AcpRun run = acp.with().run();

        assertThat(run.out())
                .isEqualTo(
                        "read true, write false, terminal false: Method not found: fs/write_text_file, Method not found: terminal/create\n");
        assertThat(run.err()).contains("not offered to the agent: writing files, running commands");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void theOutputOfATerminalIsShownAfterItsRelease() throws IOException {
        AcpRun run = acp("prompt", "--permissions", "allow", "--cwd", folder.toString(), "terminal")
                .with()
                .run();

        assertThat(run.err()).contains("  │ one\n  │ two\n  │ " + folder.toRealPath());
        assertThat(run.out()).isEqualTo("Ended with 3.\n");
    }

    @Test
    void theOutputOfACommandThatTheAgentRunsByItselfIsShown() throws IOException {
        Files.createFile(folder.resolve("seen"));
        String cwd = folder.toString();

        AcpRun run = acp("prompt", "--cwd", cwd, "own").with().run();
        AcpRun json = acp("prompt", "--json", "--cwd", cwd, "own").with().run();

        assertThat(run.err()).contains("  │ one\n  │ two\n");
        assertThat(run.out()).isEqualTo("Ended with 3.\n");
        List<JsonObject> terminal = json.lines().stream()
                .map(line -> (JsonObject) RawJson.parse(line).value())
                .filter(object -> type(object).equals("terminal"))
                .toList();
        assertThat(terminal.stream()
                        .map(event -> event.text("output").orElse(""))
                        .collect(joining()))
                .isEqualTo("one\ntwo\n");
        assertThat(terminal.getLast().get("exitStatus")).asString().contains("3");
    }

    @Test
    void aFolderThatIsNotThereIsAMistake() {
        AcpRun run = acp("prompt", "--cwd", folder.resolve("nothing").toString(), "hi")
                .with()
                .run();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("acp: there is no folder " + folder.resolve("nothing") + "\n");
    }

    @Test
    void anAgentThatIsNotThereIsTold() {
        AcpRun run = acp("prompt", "hi", "--", "no-such-agent", "--acp").run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines().toList())
                .first()
                .isEqualTo("acp: cannot start no-such-agent --acp: command not found: no-such-agent");
    }

    @Test
    void aBannerDoesNoHarm() {
        AcpRun run = acp("prompt", "hi").with("banner").run();

        assertThat(run.out()).isEqualTo("You said: **hi**\n");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void whatNeverAnswersIsLeftAfterTheStartTimeout() {
        AcpRun run = acp("prompt", "--start-timeout", "1s", "hi").with("silent").run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("no answer within 1 s");
    }

    @Test
    void whatDiesAtTheStartIsToldWithItsLastWords() {
        AcpRun run = acp("prompt", "hi").with("dies").run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("exit code 3").contains("| FATAL: the moon is in the wrong phase");
    }

    @Test
    void whatIsNoAgentIsToldWithWhatItSaid() {
        AcpRun run = acp("prompt", "hi").with("chatter").run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("I am no agent at all.");
    }

    @Test
    void whatBreaksTheProtocolIsShownWhenAskedFor() {
        assertThat(acp("prompt", "-v", "hi").with("banner").run().err())
                .contains("protocol: noise: Welcome to the agent!\n")
                .doesNotContain("Problem[");
    }

    @Test
    void standardErrorOfTheAgentIsShownWhenAskedFor() {
        assertThat(acp("prompt", "hi").with("noisy").run().err()).doesNotContain("debug: ready");
        assertThat(acp("prompt", "-v", "hi").with("noisy").run().err()).contains("agent: debug: ready");
    }

    @Test
    void anAgentThatWantsALoginIsTold() {
        AcpRun run = acp("prompt", "hi").with("locked").run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("requires a login first").contains("  browser   Sign in with a browser");
    }

    @Test
    void logsInAsTold() {
        assertThat(acp("prompt", "--login", "browser", "hi")
                        .with("locked")
                        .run()
                        .exitCode())
                .isZero();
        assertThat(acp("prompt", "--login", "fax", "hi").with("locked").run().err())
                .isEqualTo("acp: the agent does not offer the login method fax; it offers: browser\n");
    }

    private static String type(JsonObject object) {
        return object.get("type").map(type -> ((JsonString) type).value()).orElse("");
    }
}
