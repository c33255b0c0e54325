package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Conversations that go on in another process. */
@Timeout(180)
class ContinueTest {
    @TempDir
    Path temp;

    private Path work;
    private Path kept;
    private Path state;

    @BeforeEach
    void makeFolders() throws Exception {
        work = Files.createDirectory(temp.resolve("work")).toRealPath();
        kept = Files.createDirectory(temp.resolve("kept"));
        state = temp.resolve("state");
        Files.writeString(work.resolve("a.txt"), "alpha\n");
    }

    private AcpRun.Builder run(String... args) {
        return acp(args).env("XDG_STATE_HOME", state.toString()).in(work);
    }

    /** Talks to an agent that keeps its sessions and offers some things. */
    private AcpRun.Builder keeping(String offers, String... args) {
        return run(args).agent(command(offers).toArray(String[]::new));
    }

    private List<String> command(String offers) {
        List<String> command = new ArrayList<>(AcpRun.java(KeepingAgent.class));
        command.add(kept.toString());
        command.addAll(List.of(offers.split(" ")));
        return command;
    }

    private Path remembered() {
        return state.resolve("acp/sessions.jsonl");
    }

    @Test
    void theNewestListedSessionIsContinued() {
        keeping("list resume", "prompt", "one").run();
        keeping("list resume", "prompt", "two").run();

        AcpRun run = keeping("list resume", "prompt", "--continue", "three").run();

        assertThat(run.out()).startsWith("Prompt 2 with fast");
        assertThat(run.exitCode()).isZero();
        assertThat(remembered()).doesNotExist();
    }

    @Test
    void aSessionOfAnAgentThatListsNoneIsRememberedForItsFolderAndItsAgent() throws Exception {
        keeping("load", "prompt", "one").run();
        Path other = Files.createDirectory(temp.resolve("other"));

        assertThat(keeping("load", "prompt", "--continue", "two").run().out()).startsWith("Prompt 2");
        AcpRun elsewhere =
                keeping("load", "prompt", "--continue", "three").in(other).run();
        assertThat(elsewhere.out()).startsWith("Prompt 1");
        assertThat(elsewhere.err()).contains("There is no earlier session in this folder. This is a new one.");
        assertThat(keeping("load dirs", "prompt", "--continue", "four").run().out())
                .startsWith("Prompt 1");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(remembered())))
                .isEqualTo("rw-------");
    }

    @Test
    void whatTheAgentReplaysIsShownInAChatAndNoPartOfAnAnswer() {
        keeping("load", "prompt", "one").run();

        AcpRun chat = keeping("load", "chat", "--continue").input("two\n").run();
        AcpRun json = keeping("load", "prompt", "--json", "--continue", "three").run();
        AcpRun plain = keeping("load", "prompt", "--continue", "four").run();

        assertThat(chat.out()).containsSubsequence("› one", "An answer to one", "› two", "Prompt 2");
        assertThat(json.out()).contains("\"type\":\"session\"", "Prompt 3").doesNotContain("An answer to");
        assertThat(plain.out()).startsWith("Prompt 4").doesNotContain("An answer to");
        assertThat(plain.err()).doesNotContain("An answer to");
    }

    @Test
    void aChatSaysThatAResumedConversationIsNotReplayed() {
        keeping("resume list", "prompt", "one").run();

        AcpRun chat =
                keeping("resume list", "chat", "--continue").input("two\n").run();

        assertThat(chat.out()).containsSubsequence("The earlier conversation goes on", "Prompt 2");
    }

    @Test
    void whatTheUserHadSetIsPutBack() {
        keeping("list resume models", "prompt", "--model", "OPUS", "--config", "Web search=true", "one")
                .run();

        AcpRun run =
                keeping("list resume models", "prompt", "--continue", "two").run();
        AcpRun chosen = keeping("list resume models", "prompt", "--continue", "--model", "deep", "three")
                .run();
        AcpRun later =
                keeping("list resume models", "prompt", "--continue", "four").run();

        assertThat(run.out()).startsWith("Prompt 2 with opus-4 and web");
        assertThat(chosen.out()).startsWith("Prompt 3 with deep and web");
        assertThat(later.out()).startsWith("Prompt 4 with deep and web");
    }

    @Test
    void whatCannotBePutBackOnceIsPutBackTheNextTime() throws Exception {
        keeping("list resume models", "prompt", "--model", "deep", "--config", "web=true", "one")
                .run();
        Path noModels = Files.createFile(temp.resolve("no-models"));

        AcpRun without =
                keeping("list resume models", "prompt", "--continue", "two").run();
        Files.delete(noModels);
        AcpRun with =
                keeping("list resume models", "prompt", "--continue", "three").run();

        assertThat(without.out()).startsWith("Prompt 2 with fast and web");
        assertThat(without.err()).contains("What you had set, model=deep, could not be set again: the models are out");
        assertThat(with.out()).startsWith("Prompt 3 with deep and web");
    }

    @Test
    void aNewSessionWithAWrongSettingIsNotLeftAtTheAgent() throws Exception {
        assertThat(sent("list resume delete models", "--model", "gpt"))
                .contains("session/new", "session/delete")
                .doesNotContain("session/prompt");
        assertThat(sent("close", "--mode", "plan")).contains("session/new", "session/close");
        keeping("list resume delete models", "prompt", "one").run();
        assertThat(sent("list resume delete models", "--continue", "--model", "gpt"))
                .contains("session/resume")
                .doesNotContain("session/delete");
    }

    /** Returns the trace of a prompt whose options are wrong. */
    private String sent(String offers, String... options) throws Exception {
        Path trace = temp.resolve("trace.jsonl");
        Files.deleteIfExists(trace);
        List<String> args = new ArrayList<>(List.of("prompt", "--trace", trace.toString()));
        args.addAll(List.of(options));
        args.add("x");
        assertThat(keeping(offers, args.toArray(String[]::new)).run().exitCode())
                .isIn(2, 8);
        return Files.readString(trace);
    }

    @Test
    void whatTheUserSetsInAChatIsPutBack() {
        keeping("load models", "chat").input("one\n:config model deep\n").run();

        AcpRun run = keeping("load models", "prompt", "--continue", "two").run();

        assertThat(run.out()).startsWith("Prompt 2 with deep");
    }

    @Test
    void aSessionThatTheAgentHasForgottenIsReplacedByANewOne() throws Exception {
        keeping("load models", "prompt", "--model", "deep", "one").run();
        try (Stream<Path> files = Files.list(kept)) {
            Files.delete(files.findFirst().orElseThrow());
        }

        AcpRun run = keeping("load models", "prompt", "--continue", "two").run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith("Prompt 1 with deep");
        assertThat(run.err()
                        .lines()
                        .filter(line -> line.contains("cannot be continued"))
                        .toList())
                .singleElement()
                .asString()
                .contains("Session not found", "This is a new one.");
    }

    @Test
    void anAgentThatCanNeitherResumeNorLoadBeginsANewSession() {
        keeping("list", "prompt", "one").run();

        AcpRun run = keeping("list", "prompt", "--continue", "two").run();

        assertThat(run.out()).startsWith("Prompt 1");
        assertThat(run.err()).contains("can neither resume nor load sessions");
    }

    @Test
    void aSessionIsResumedByTheBeginningOfItsId() throws Exception {
        keeping("list resume", "prompt", "one").run();
        keeping("list resume", "prompt", "two").run();
        Path other = Files.createDirectory(temp.resolve("other"));

        assertThat(keeping("list resume", "prompt", "--resume", "kept-1", "three")
                        .run()
                        .out())
                .startsWith("Prompt 2");
        AcpRun several =
                keeping("list resume", "prompt", "--resume", "kept", "x").run();
        assertThat(several.exitCode()).isEqualTo(2);
        assertThat(several.err())
                .contains("several sessions begin with kept", "kept-1-kept (one)", "kept-2-kept (two)");
        AcpRun none = keeping("list resume", "prompt", "x", "--resume").run();
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("--resume needs the id of a session", "kept-1-kept (one)");
        AcpRun elsewhere = keeping("list resume", "prompt", "--resume", "kept-1", "x")
                .in(other)
                .run();
        assertThat(elsewhere.exitCode()).isEqualTo(2);
        assertThat(elsewhere.err()).contains("belongs to another folder; continue it with --cwd " + work);
        assertThat(keeping("list resume", "prompt", "--resume", "k", "--continue", "x")
                        .run()
                        .err())
                .contains("--continue and --resume cannot be combined");
    }

    @Test
    void aPersonChoosesASession() throws Exception {
        keeping("list resume", "prompt", "one").run();
        keeping("list resume", "prompt", "two").run();
        List<String> args = new ArrayList<>(List.of("chat", "--cwd", work.toString(), "--resume", "--"));
        args.addAll(command("list resume"));

        try (TerminalRun terminal = TerminalRun.alone(temp, args.toArray(String[]::new))) {
            terminal.await("Earlier sessions in this folder:")
                    .await("  1  ")
                    .await("two")
                    .await("  2  ")
                    .await("one");
            terminal.await("Which one? (1-2; Enter for a new one)").press("2\r");
            terminal.await("The earlier conversation goes on").press("three\r").await("Prompt 2");
            terminal.press("\u0004");
            assertThat(terminal.end()).isZero();
        }
    }

    @Test
    void whatTheAgentDoesNotOfferIsNamedWithWhatItOffers() {
        AcpRun model = keeping("models", "prompt", "--model", "gpt", "x").run();
        AcpRun models = keeping("list", "prompt", "--model", "gpt", "x").run();
        AcpRun option =
                keeping("models", "prompt", "--config", "colour=red", "x").run();
        AcpRun value = keeping("models", "prompt", "--config", "web=maybe", "x").run();
        AcpRun form = keeping("models", "prompt", "--config", "web", "x").run();

        assertThat(model.exitCode()).isEqualTo(2);
        assertThat(model.err()).isEqualTo("acp: there is no model gpt; the models are fast, opus-4, deep\n");
        assertThat(models.exitCode()).isEqualTo(8);
        assertThat(models.err()).isEqualTo("acp: this agent offers no models\n");
        assertThat(option.err()).isEqualTo("acp: there is no option colour; the options are model, web\n");
        assertThat(value.err()).isEqualTo("acp: the option web has no value maybe; its values are true, false\n");
        assertThat(form.err()).isEqualTo("acp: expected --config NAME=VALUE, got --config web\n");
    }

    @Test
    void furtherFoldersAreGivenToAnAgentThatTakesThem() throws Exception {
        Path more = Files.createDirectory(temp.resolve("more")).toRealPath();

        AcpRun run = keeping("dirs", "prompt", "--add-dir", "../more", "--add-dir", more.toString(), "x")
                .run();
        AcpRun not = keeping("list", "prompt", "--add-dir", "../more", "x").run();
        AcpRun missing = keeping("dirs", "prompt", "--add-dir", "nowhere", "x").run();

        assertThat(run.out()).contains("in [" + work + ", " + more + "]");
        assertThat(not.exitCode()).isEqualTo(8);
        assertThat(not.err())
                .isEqualTo("acp: the agent does not offer additional directories "
                        + "(the capability sessionCapabilities.additionalDirectories)\n");
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).contains("there is no folder " + work.resolve("nowhere"));
    }

    @Test
    @Tag("MCX-29")
    void mcpServersAreGivenToAnAgentThatTakesThem() throws Exception {
        Path file = Files.writeString(
                temp.resolve("servers.json"), "{\"mcpServers\":{\"broken\":{\"command\":\"/bin/false\"}}}");

        AcpRun run = run("prompt", "--mcp", "other=/bin/false x", "--mcp-config", file.toString(), "/tools")
                .run();
        AcpRun not = keeping("list", "prompt", "--no-bridge", "--mcp", "web=http://127.0.0.1:1/mcp", "x")
                .run();
        AcpRun wrong = keeping("list", "prompt", "--mcp", "web", "x").run();
        AcpRun missing =
                keeping("list", "prompt", "--mcp-config", "nowhere.json", "x").run();

        assertThat(run.out()).contains("broken", "other", "is not connected", "exit code 1");
        assertThat(not.exitCode()).isEqualTo(8);
        assertThat(not.err())
                .isEqualTo("acp: the agent does not offer MCP servers over HTTP, which the server \"web\" needs\n");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("expected NAME=COMMAND or NAME=URL");
        assertThat(missing.err()).contains("there is no file nowhere.json");
    }

    @Test
    void theOfflineAgentGoesOnAfterBothProcessesWereKilledInATurn() throws Exception {
        run("prompt", "where is alpha?").run();
        Process killed = run("prompt", "--continue", "--permissions", "allow", "/run echo begun; sleep 600")
                .start();
        try (BufferedReader err = killed.errorReader()) {
            String line;
            while ((line = err.readLine()) != null && !line.contains("sleep 600")) {
                // Until the command is announced.
            }
        }
        List<ProcessHandle> all = killed.descendants().toList();
        killed.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
        killed.waitFor();
        for (ProcessHandle each : all) {
            each.onExit().get();
        }

        AcpRun sessions = run("sessions", "--json").run();
        AcpRun next = run("prompt", "--continue", "where is alpha?").run();
        AcpRun shown = run("sessions", "show", "session").run();

        assertThat(sessions.lines()).hasSize(1);
        assertThat(sessions.out()).contains("\"title\":\"where is alpha?\"");
        assertThat(next.out()).contains("a.txt:1");
        assertThat(next.err()).doesNotContain("This is a new one");
        assertThat(shown.out())
                .containsSubsequence(
                        "› where is alpha?", "a.txt:1", "› /run echo begun", "› where is alpha?", "a.txt:1");
    }
}
