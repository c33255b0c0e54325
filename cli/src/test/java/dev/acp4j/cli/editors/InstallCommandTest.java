package dev.acp4j.cli.editors;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.ScriptedAgent;
import dev.acp4j.cli.TerminalRun;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands as processes of their own, with a made-up home folder. */
@EnabledOnOs(OS.LINUX)
class InstallCommandTest {
    @TempDir
    private Path folder;

    private Path home;

    @BeforeEach
    void makeHome() throws IOException {
        home = Files.createDirectories(folder.resolve("home"));
    }

    private AcpRun.Builder in(String... args) {
        return acp(args)
                .env("HOME", home.toString())
                .env("XDG_CONFIG_HOME", "")
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .in(folder);
    }

    private Path settings(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private Path zed() throws IOException {
        return settings(".config/zed/settings.json", "{}\n");
    }

    private static List<AgentEntry> entries(String editor, Path file) throws Exception {
        return InstallerTest.format(editor).agents(Files.readString(file)).stream()
                .map(AgentsText.Listed::entry)
                .toList();
    }

    private static List<JsonObject> objects(AcpRun run) {
        return run.lines().stream()
                .map(line -> (JsonObject) JsonValue.parse(line))
                .toList();
    }

    private Desktop desktop() {
        return new Desktop(Desktop.Kind.LINUX, home, folder, Map.of(), List::of);
    }

    @Test
    @Tag("EDT-01")
    @Tag("EDT-09")
    @Tag("EDT-23")
    void ourAgentIsPutIntoAllEditorsThatAreFoundAndStartsThere() throws Exception {
        Map<String, Path> files = Map.of(
                "zed", zed(),
                "jetbrains", settings(".jetbrains/acp.json", ""),
                "vscode", settings(".config/Code/User/settings.json", "{ // mine\n}\n"),
                "acpx", settings(".acpx/config.json", "{}"),
                "neovim", settings(".config/nvim/lua/acp4j.lua", ""),
                "emacs", settings(".emacs.d/acp4j.el", ""));

        AcpRun run = in("install-into", "--all", "--yes").run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("Zed: has 'acp4j' now").contains("To undo: acp uninstall-from zed");
        for (Map.Entry<String, Path> each : files.entrySet()) {
            assertThat(entries(each.getKey(), each.getValue())).singleElement().satisfies(entry -> {
                assertThat(entry.command()).startsWith("/");
                assertThat(DesktopStart.failure(entry, desktop())).isNull();
            });
        }
        assertThat(in("uninstall-from", "--all", "--yes").run().exitCode()).isZero();
        assertThat(files.get("zed")).content().isEqualTo("{}\n");
        assertThat(files.get("vscode")).content().isEqualTo("{ // mine\n}\n");
    }

    @Test
    @Tag("EDT-23")
    void oneEditorThatFailsDoesNotStopTheOthers() throws IOException {
        Path broken = settings(".config/Code/User/settings.json", "{ broken");
        Path zed = zed();

        AcpRun run =
                in("install-into", "--all", "--yes", "--no-check", "--json").run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(objects(run))
                .extracting(object -> object.text("editor").orElse("") + " "
                        + object.text("status").orElse(""))
                .containsExactly("zed written", "vscode refused");
        assertThat(zed).content().contains("acp4j");
        assertThat(broken).content().isEqualTo("{ broken");
    }

    @Test
    @Tag("EDT-09")
    void anAgentThatDoesNotStartThereIsNotWritten() throws Exception {
        Path tools = Files.createDirectories(folder.resolve("tools"));
        script(tools.resolve("helper"), "exec \"$@\"");
        Path agent = script(
                tools.resolve("my-agent"),
                "exec helper '" + String.join("' '", AcpRun.java(ScriptedAgent.class)) + "'");
        String path = tools + ":" + System.getenv("PATH");
        Path file = zed();

        AcpRun refused = in("install-into", "zed", "--yes")
                .env("PATH", path)
                .agent("my-agent")
                .run();
        AcpRun helped = in("install-into", "zed", "--yes", "--env", "PATH=" + path)
                .env("PATH", path)
                .agent("my-agent")
                .run();

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err())
                .contains("exit code 127")
                .contains("started as an editor does", "--env \"PATH=$PATH\"");
        assertThat(helped.exitCode()).as(helped.err()).isZero();
        assertThat(entries("zed", file))
                .containsExactly(new AgentEntry("my-agent", agent.toString(), List.of(), Map.of("PATH", path)));
    }

    private static Path script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @ParameterizedTest
    @Tag("EDT-01")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "install-into|the editor is missing; --list lists them",
                "install-into zet|unknown editor 'zet'; the editors are zed, ",
                "install-into zed|there is nobody here to ask: --yes writes, --dry-run shows the change, --print the text",
                "install-into zed --all --yes|--all and an editor cannot be combined",
                "install-into zed --yes --vault x|--vault is for Obsidian",
                "install-into zed --yes --workspace|--workspace is for VS Code and its kin",
                "install-into zed --yes --env KEY|expected --env NAME=VALUE, got --env KEY: values are not taken",
                "install-into zed --yes --agent x -- y|--agent and a command after -- cannot be combined",
                "install-into zed --yes -- npx x|'npx' says nothing about the agent: give it a name with --name",
                "install-into zed gemini|unexpected argument 'gemini'; the command of an agent goes after --",
                "install-into obsidian --yes|no vault has the plugin Agent Client; choose one with --vault",
                "uninstall-from zed|there is nobody here to ask: --yes writes, --dry-run shows the change",
            })
    void aWrongCommandLineGetsOneClearLine(String args, String message) throws IOException {
        script(Files.createDirectories(folder.resolve("bin")).resolve("npx"), "true");

        AcpRun run = in(args.split(" "))
                .env("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"))
                .run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("acp: " + message);
        assertThat(home).isEmptyDirectory();
    }

    @Test
    @Tag("EDT-01")
    void theListSaysWhatIsThere() throws IOException {
        settings(".config/zed/settings.json", "{\"agent_servers\": {\"mine\": {\"command\": \"x\"}}}");
        settings(".jetbrains/acp.json", "[]");

        AcpRun run = in("install-into", "--list").run();
        AcpRun json = in("install-into", "--list", "--json").run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out().replaceAll("\\s+", " "))
                .contains("zed Zed: " + home + "/.config/zed/settings.json, edited; has 'mine'")
                .contains("cannot be read: line 1, column 1: expected an object")
                .contains("vscode VS Code: not found")
                .contains("toad Toad: settings of its own, printed");
        assertThat(objects(json))
                .hasSize(Editors.ALL.size())
                .first()
                .satisfies(zed -> assertThat(zed.toString())
                        .isEqualTo(
                                "{\"type\":\"editor\",\"editor\":\"zed\",\"title\":\"Zed\",\"found\":true,\"how\":\"edited\",\"file\":\""
                                        + home + "/.config/zed/settings.json\",\"agents\":[\"mine\"]}"));
    }

    @Test
    @Tag("EDT-06")
    void aDryRunPrintsTheChangeAsADiffThatGitApplies() throws Exception {
        Path file = settings(".config/Code/User/settings.json", "{\n    \"a\": 1 // one\n}");
        String before = Files.readString(file);

        AcpRun run = in("install-into", "vscode", "--dry-run", "--name", "Mine", "--", "/bin/sh", "agent.sh")
                .run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo("""
                --- %1$s
                +++ %1$s
                @@ -1,3 +1,9 @@
                 {
                -    "a": 1 // one
                +    "a": 1, // one
                +    "acp.agents": {
                +        "Mine": {
                +            "command": "/bin/sh",
                +            "args": ["agent.sh"]
                +        }
                +    }
                 }
                \\ No newline at end of file
                """.formatted(file));
        assertThat(file).content().isEqualTo(before);
        assertThat(folder.resolve("state")).doesNotExist();
        Path patch = Files.writeString(
                folder.resolve("change.patch"),
                run.out().replace("--- " + file, "--- a/settings.json").replace("+++ " + file, "+++ b/settings.json"));
        Process git = new ProcessBuilder("git", "apply", patch.toString())
                .directory(home.resolve(".config/Code/User").toFile())
                .inheritIO()
                .start();
        assertThat(git.waitFor()).isZero();
        assertThat(entries("vscode", file)).extracting(AgentEntry::name).containsExactly("Mine");
        assertThat(Files.readString(file)).doesNotEndWith("\n");
    }

    @Test
    @Tag("EDT-06")
    void atATerminalTheChangeIsShownBeforeAsking() throws Exception {
        Path file = zed();
        Map<String, String> environment = Map.of("HOME", home.toString(), "XDG_CONFIG_HOME", "");

        try (TerminalRun terminal = TerminalRun.alone(folder, environment, "install-into", "zed", "--no-check")) {
            terminal.await("\"agent_servers\"").await("Write this to ").press("\r");
            assertThat(terminal.end()).isEqualTo(1);
        }
        assertThat(file).content().isEqualTo("{}\n");
        try (TerminalRun terminal = TerminalRun.alone(folder, environment, "install-into", "zed", "--no-check")) {
            terminal.await("Write this to ").press("y\r").await("has 'acp4j' now");
            assertThat(terminal.end()).isZero();
        }
        assertThat(entries("zed", file)).hasSize(1);
    }

    @Test
    @Tag("EDT-18")
    void theLineForToadRunsInAShell() throws Exception {
        Path tools = Files.createDirectories(folder.resolve("tools"));
        script(tools.resolve("toad"), "printf '%s\\n' \"$1\" \"$3\" \"$4\" \"$5\"; exec sh -c \"$2\"");
        Path agent = script(folder.resolve("my agent's"), "printf '%s\\n' \"$A\" \"$@\"");

        AcpRun run = in("install-into", "toad", "--env", "A=b c", "--name", "Ünï 'x'", "--print")
                .agent(agent.toString(), "", "$HOME \"q\"")
                .run();

        assertThat(run.exitCode()).isZero();
        ProcessBuilder shell = new ProcessBuilder("sh", "-c", run.out()).redirectErrorStream(true);
        shell.environment().put("PATH", tools + ":" + System.getenv("PATH"));
        Process process = shell.start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("acp\n.\n-t\nÜnï 'x'\nb c\n\n$HOME \"q\"\n");
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @Tag("EDT-18")
    void othersArePrintedWithTheRealPaths() {
        assertThat(in("install-into", "qtcreator", "--name", "Mine", "--print")
                        .agent("/bin/sh", "x y")
                        .run()
                        .out())
                .contains("Name:        Mine\n", "Executable:  /bin/sh\n", "Arguments:   'x y'\n");
        assertThat(in("install-into", "browser", "--name", "Mine", "--print")
                        .agent("/bin/sh", "x y")
                        .run()
                        .out())
                .contains(" serve --origin http://localhost:2718 -- /bin/sh 'x y'\n");
        assertThat(home).isEmptyDirectory();
    }

    @Test
    @Tag("EDT-19")
    void aTurnThroughTheTracedEntryLeavesATrace() throws Exception {
        Path file = zed();

        in("install-into", "zed", "--yes", "--no-check", "--trace", "--name", "Scripted")
                .with()
                .run();

        List<AgentEntry> entries = entries("zed", file);
        assertThat(entries).extracting(AgentEntry::name).containsExactly("Scripted", "Scripted, traced");
        AcpRun turn = in("prompt", "hello", "--env", "XDG_STATE_HOME")
                .agent(entries.get(1).words().toArray(String[]::new))
                .run();
        assertThat(turn.exitCode()).as(turn.err()).isZero();
        try (Stream<Path> traces = Files.walk(folder.resolve("state/acp/traces"))) {
            assertThat(traces.filter(Files::isRegularFile))
                    .singleElement()
                    .satisfies(trace -> assertThat(trace)
                            .content()
                            .contains("session/prompt")
                            .contains("hello"));
        }
    }

    @Test
    @Tag("EDT-20")
    void anAgentOfTheRegistryIsRunByItsId() {
        AcpRun run = in("install-into", "jetbrains", "--print", "--agent", "claude-acp@1.2.3")
                .run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonObject agent = (JsonObject) JsonValue.parse("{" + run.out() + "}");
        assertThat(agent.toString()).contains("\"claude-acp\":{").contains("\"run\",\"claude-acp@1.2.3\"]");
    }

    @Test
    @Tag("EDT-21")
    void noKeyGetsIntoAFileByItself() throws Exception {
        Path file = zed();

        AcpRun run = in("install-into", "zed", "--yes", "--no-check")
                .env("ANTHROPIC_API_KEY", "sk-ant-secret-4711")
                .run();
        AcpRun asked = in(
                        "install-into",
                        "zed",
                        "--yes",
                        "--no-check",
                        "--env",
                        "MY_API_KEY=sk-ant-other-4711",
                        "--env",
                        "MODE=x")
                .run();

        assertThat(run.err()).doesNotContain("Warning");
        assertThat(asked.err())
                .contains("Warning: MY_API_KEY looks like a secret, and is written to the file as it is.")
                .doesNotContain("MODE");
        assertThat(file).content().doesNotContain("sk-ant-secret").contains("\"MY_API_KEY\": \"sk-ant-other-4711\"");
    }

    @Test
    @Tag("EDT-22")
    void theDoctorExaminesWhateverAgentsEditorsHave() throws IOException {
        List<String> java = new ArrayList<>(AcpRun.java(ScriptedAgent.class));
        AgentEntry well = new AgentEntry("Well", java.getFirst(), java.subList(1, java.size()), Map.of());
        Path tools = Files.createDirectories(folder.resolve("tools"));
        Path tool = script(tools.resolve("only-in-my-shell"), "true");
        settings(".config/zed/settings.json", """
                {
                  "agent_servers": {
                    "Well": %s,
                    "claude-acp": { "type": "registry" },
                    "gemini": {},
                    "Missing": { "type": "custom", "command": "no-such-agent" },
                    "Mine": { "type": "custom", "command": "only-in-my-shell" },
                    "Silent": { "type": "custom", "command": "/bin/true", "args": ["--experimental-acp"] },
                    "Silent": { "type": "custom", "command": "/bin/true" },
                  }
                }
                """.formatted(new AgentMembers("a", false, false)
                .pasted(List.of(well))
                .replaceFirst("(?s).*?\"Well\": ", "")
                .replaceFirst("(?s)}\\s*$", "")));
        settings(".jetbrains/acp.json", "{\"agent_servers\": {\n x }}");

        AcpRun run = in("doctor", "editors")
                .env("PATH", tools + ":" + System.getenv("PATH"))
                .run();
        AcpRun json = in("doctor", "editors", "--json").run();

        assertThat(run.exitCode()).as(run.out()).isEqualTo(7);
        assertThat(run.out().replaceAll("\\s+", " "))
                .contains("It has no \"type\": \"custom\", which newer versions write.")
                .contains("acp install-into zed --name Well -- ")
                .contains("installed by the editor itself, and not started here")
                .contains("It names an agent of an older Zed by its id")
                .contains("no-such-agent")
                .contains("Install it, and write its full path as the command")
                .contains("Write its full path as the command: " + tool)
                .contains("--experimental-acp is the older form of --acp")
                .contains("the name is there twice, and the last one counts")
                .contains("the agent ended with exit code 0")
                .contains("cannot be read: line 2, column 2: expected a name in quotes")
                .contains("acp install-into jetbrains --print");
        assertThat(json.exitCode()).isEqualTo(7);
        assertThat(objects(json))
                .extracting(object -> object.text("status").orElse(""))
                .contains("ok", "warning", "problem");
    }

    @Test
    @Tag("EDT-22")
    void editorsThatAreWellHaveNoProblems() throws Exception {
        zed();
        assertThat(in("install-into", "zed", "--yes").with().run().err()).contains("give it a name");
        in("install-into", "zed", "--yes", "--no-check", "--name", "Scripted")
                .with()
                .run();

        AcpRun run = in("doctor", "editors").run();

        assertThat(run.exitCode()).as(run.out()).isZero();
        assertThat(run.out())
                .contains("Scripted: Zed, ")
                .contains("✓ initialize")
                .contains("no problems found");
    }
}
