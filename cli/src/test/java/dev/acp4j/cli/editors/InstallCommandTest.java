package dev.acp4j.cli.editors;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.ScriptedAgent;
import dev.acp4j.cli.TerminalRun;
import dev.acp4j.cli.agents.AgentShelf;
import dev.acp4j.cli.conduct.ConductedProgram;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
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
                "install-into zed --yes gemini -- y|the name gemini and a command after -- cannot be combined",
                "install-into zed --yes Gemini|not the name of an agent: Gemini",
                "install-into zed gemini x|unexpected argument 'x'; the command of an agent goes after --",
                "install-into zed --yes -p x --chain y|-p and --chain cannot be combined: add the proxy to the file",
                "install-into zed --yes -p contest=|-p contest=: no command in: ",
                "install-into zed --yes --chain no.yaml|the chain cannot be read: there is no ",
                "install-into obsidian --yes|no vault has the plugin Agent Client; choose one with --vault",
                "uninstall-from zed x --name y|the name of an agent and --name cannot be combined",
                "doctor editors --mcp|'acp doctor editors' takes --timeout and --json only",
                "doctor editors -- y|'acp doctor editors' takes --timeout and --json only",
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
                .contains("vscode VS Code: not found; its file would be " + home)
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
    @Tag("EDT-01")
    @Tag("EDT-11")
    void anEditorThatIsThereTwiceIsListedTwiceAndLeavesBoth() throws IOException {
        Path zed = zed();
        Path flatpak = settings(".var/app/dev.zed.Zed/config/zed/settings.json", "{}\n");
        String[] args = {"install-into", "zed", "--yes", "--no-check", "--file"};
        List.of(zed, flatpak)
                .forEach(file -> ok(in(Stream.concat(Stream.of(args), Stream.of(file.toString()))
                        .toArray(String[]::new))));

        AcpRun list = in("install-into", "--list").run();
        AcpRun gone = in("uninstall-from", "zed", "--yes").run();

        assertThat(list.out().replaceAll("\\s+", " "))
                .contains("zed Zed: " + zed + ", edited; has 'acp4j'")
                .contains("zed Zed: " + flatpak + ", edited; has 'acp4j'");
        assertThat(gone.exitCode()).as(gone.out()).isZero();
        assertThat(zed).content().isEqualTo("{}\n");
        assertThat(flatpak).content().isEqualTo("{}\n");
    }

    @Test
    @Tag("EDT-09")
    void aFileOfTheCurrentFolderIsWrittenByItsFullPath() throws Exception {
        Path file = zed();
        Path agent = script(
                folder.resolve("agent.sh"), "exec '" + String.join("' '", AcpRun.java(ScriptedAgent.class)) + "'");

        AcpRun run = ok(in("install-into", "zed", "--yes", "--name", "Mine").agent("/bin/sh", "agent.sh"));

        assertThat(run.err()).contains("Note: agent.sh is a file here, and is written as " + agent);
        assertThat(entries("zed", file))
                .containsExactly(new AgentEntry("Mine", "/bin/sh", List.of(agent.toString()), Map.of()));
    }

    @Test
    @Tag("EDT-04")
    @Tag("EDT-14")
    void theTextForObsidianIsPrintedWithoutAVault() {
        AcpRun run = ok(in("install-into", "obsidian", "--print"));

        assertThat(run.out()).startsWith("\"customAgents\": [");
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
    @Tag("EDT-14")
    void aProgramThatIsCalledObsidianKeepsItsFile() throws Exception {
        Path plugin = Files.createDirectories(folder.resolve("vault/.obsidian/plugins/agent-client"));
        Path program = Files.copy(Path.of("/bin/cat"), folder.resolve("obsidian"));
        String[] args = {"install-into", "obsidian", "--vault", "vault", "--yes", "--no-check"};

        Process obsidian = new ProcessBuilder(program.toString()).start();
        AcpRun refused = in(args).run();
        obsidian.getOutputStream().close();
        assertThat(obsidian.waitFor()).isZero();
        AcpRun written = in(args).run();

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.out()).contains("Obsidian is running");
        assertThat(written.exitCode()).as(written.out()).isZero();
        assertThat(plugin.resolve("data.json")).exists();
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

    /** Returns the answer of an agent that is started as an editor does. */
    private String answer(AgentEntry entry) throws InterruptedException {
        try (ConnectedAgent agent = Client.builder("test", "1").connect(DesktopStart.launch(entry, desktop()))) {
            return agent.newSession(folder).prompt("Hello.").text();
        }
    }

    /** Returns a program that takes the words of {@link ConductedProgram}. */
    private Path conducted(Path file) throws IOException {
        return script(file, "exec '" + String.join("' '", AcpRun.java(ConductedProgram.class)) + "' \"$@\"");
    }

    /** Proxies and an agent, by a relative path with a space and by the search path of a shell. */
    private AcpRun.Builder behindProxies(String... args) throws IOException {
        conducted(folder.resolve("brief proxy"));
        conducted(Files.createDirectories(folder.resolve("tools")).resolve("helper"));
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("-p", "'./brief proxy' adds One.", "-p", "second=CONDUCTED=yes helper adds 'Two. $x'"));
        return in(all.toArray(String[]::new))
                .env("PATH", folder.resolve("tools") + ":" + System.getenv("PATH"))
                .agent("helper", "echo");
    }

    @Test
    @Tag("CON-03")
    @Tag("EDT-09")
    @Tag("EDT-19")
    void anAgentBehindProxiesStartsInTheEditorAndSoDoesItsTracedTwin() throws Exception {
        Path file = zed();

        Path state = folder.resolve("state of the desktop");
        AcpRun run = behindProxies("install-into", "zed", "--yes", "--trace", "--env", "XDG_STATE_HOME=" + state)
                .run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        List<AgentEntry> entries = entries("zed", file);
        assertThat(entries).extracting(AgentEntry::name).containsExactly("helper", "helper, traced");
        assertThat(entries.getFirst().args())
                .endsWith(
                        "conduct",
                        "-p",
                        "'" + folder.resolve("brief proxy") + "' adds One.",
                        "-p",
                        "second=CONDUCTED=yes " + folder.resolve("tools/helper") + " adds 'Two. $x'",
                        "--",
                        folder.resolve("tools/helper").toString(),
                        "echo");
        for (AgentEntry entry : entries) {
            assertThat(answer(entry)).isEqualTo("Hello.\nOne.\nTwo. $x");
        }
        try (Stream<Path> traces = Files.walk(state.resolve("acp/traces"))) {
            assertThat(traces.filter(Files::isRegularFile))
                    .singleElement()
                    .satisfies(trace -> assertThat(trace).content().contains("session/prompt"));
        }
        assertThat(in("uninstall-from", "zed", "helper", "--yes").run().exitCode())
                .isZero();
        assertThat(file).content().isEqualTo("{}\n");
    }

    @Test
    @Tag("CON-03")
    @Tag("EDT-15")
    void anAgentBehindProxiesStartsAsLuaReadsItForNeovim() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/lua5.4")), "there is no lua5.4");
        Path file = settings(".config/nvim/lua/acp4j.lua", "");

        AcpRun run = behindProxies("install-into", "neovim", "--yes", "--no-check", "--name", "Mine")
                .run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        Process lua = new ProcessBuilder(
                        "/usr/bin/lua5.4",
                        "-e",
                        "local agent = dofile(arg[1]).avante.Mine io.write(agent.command) "
                                + "for _, word in ipairs(agent.args) do io.write('\\0', word) end",
                        "-",
                        file.toString())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> words =
                List.of(new String(lua.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split("\0", -1));
        assertThat(lua.waitFor()).isZero();
        assertThat(answer(new AgentEntry("Mine", words.getFirst(), words.subList(1, words.size()), Map.of())))
                .isEqualTo("Hello.\nOne.\nTwo. $x");
    }

    @Test
    @Tag("CON-03")
    @Tag("EDT-09")
    void aChainFileIsNamedByItsPathAndHasItsOwnAgent() throws Exception {
        Path file = zed();
        conducted(folder.resolve("program"));
        Files.writeString(folder.resolve("brief.yaml"), """
                components: [{id: one, command: ./program adds One.}]
                agent: {command: ./program echo}
                """);
        Files.writeString(folder.resolve("open.yaml"), "components: [{id: one, command: ./program adds One.}]\n");

        AcpRun own = in("install-into", "zed", "--yes", "--chain", "brief.yaml").run();
        AcpRun none = in("install-into", "zed", "--yes", "--chain", "open.yaml").run();
        AcpRun given = in("install-into", "zed", "--yes", "--chain", "open.yaml")
                .agent("./program", "echo")
                .run();

        assertThat(own.exitCode()).as(own.err()).isZero();
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("the chain file has no agent: give its name, or its command after --");
        assertThat(given.exitCode()).as(given.err()).isZero();
        List<AgentEntry> entries = entries("zed", file);
        assertThat(entries).extracting(AgentEntry::name).containsExactly("brief", "program");
        assertThat(entries.get(0).args())
                .endsWith("conduct", "--chain", folder.resolve("brief.yaml").toString());
        assertThat(entries.get(1).args())
                .endsWith("--", folder.resolve("program").toString(), "echo");
        for (AgentEntry entry : entries) {
            assertThat(answer(entry)).isEqualTo("Hello.\nOne.");
        }
    }

    @Test
    @Tag("CON-03")
    @Tag("EDT-09")
    void whatReadyMadeProxiesNameIsAbsoluteToo() throws Exception {
        script(folder.resolve("check"), "true");

        AcpRun run = in(
                        "install-into",
                        "jetbrains",
                        "--print",
                        "-p",
                        "context:files=AGENTS.md",
                        "-p",
                        "log:file=all.log messages=all",
                        "-p",
                        "hooks:prompt='./check x' time=5s",
                        "-p",
                        "commands:folders=mine,/srv/ours project=.acp/commands",
                        "-p",
                        "lsp:server=sh=./check,c=/bin/sh",
                        "-p",
                        "TOKEN=$TOKEN acp trace -- {}")
                .run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).doesNotContain("Warning");
        JsonNode entry =
                Objects.requireNonNull(JsonScanner.scan(run.out(), true)).value("agent_servers");
        List<String> words = Objects.requireNonNull(
                        Objects.requireNonNull(Objects.requireNonNull(entry).value("acp4j"))
                                .value("args"))
                .strings();
        assertThat(words)
                .containsSubsequence(
                        "conduct",
                        "context:files=AGENTS.md",
                        "log:file=" + folder + "/all.log messages=all",
                        "hooks:'prompt=" + folder + "/check x' time=5s",
                        "commands:folders=" + folder + "/mine,/srv/ours project=.acp/commands",
                        "lsp:server=sh=" + folder + "/check,c=/bin/sh")
                .anySatisfy(word ->
                        assertThat(word).startsWith("acp=TOKEN=$TOKEN /").contains(" dev.acp4j.cli.Acp trace -- '{}'"));
    }

    /** Runs acp for a user who has agents by name in a folder that is no other's. */
    private AcpRun.Builder of(AgentShelf shelf, String... args) {
        return in(args).env(
                        "ACP_REGISTRY", String.valueOf(shelf.environment("me").get("ACP_REGISTRY")))
                .env("XDG_DATA_HOME", folder.resolve("data").toString())
                .env("XDG_CACHE_HOME", folder.resolve("cache").toString());
    }

    /** Puts an agent by name into Zed, which has to say where they are. */
    private AcpRun installed(AgentShelf shelf, String... args) {
        List<String> all = new ArrayList<>(List.of("install-into", "zed", "--yes"));
        all.addAll(List.of("--env", "XDG_DATA_HOME=" + folder.resolve("data")));
        all.addAll(List.of(args));
        return of(shelf, all.toArray(String[]::new)).run();
    }

    private static AcpRun ok(AcpRun.Builder run) {
        AcpRun ended = run.run();
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        return ended;
    }

    @Test
    @Tag("EDT-01")
    @Tag("EDT-20")
    void anAgentByNameIsRunAsItIsPinnedAndAnUpdateChangesNoSettings() throws Exception {
        Path file = zed();
        try (AgentShelf shelf = new AgentShelf(folder)) {
            shelf.agent("alpha", "1.0.0", "maker", true);
            AcpRun missing = installed(shelf, "alpha");
            assertThat(missing.exitCode()).isEqualTo(1);
            assertThat(missing.err()).contains("acp agents add alpha");
            assertThat(file).content().isEqualTo("{}\n");
            Files.writeString(folder.resolve("acp.lock"), "{\"agents\": {}, \"lockVersion\": 1}\n");
            ok(of(shelf, "agents", "add", "-q", "alpha"));
            assertThat(installed(shelf, "alpha").err())
                    .contains("alpha is pinned for this project only")
                    .contains("acp agents add --user alpha");
            ok(of(shelf, "agents", "add", "-q", "--user", "alpha"));
            Files.delete(folder.resolve("acp.lock"));

            assertThat(installed(shelf, "al").exitCode()).isZero();
            assertThat(installed(shelf, "--agent", "alpha@1.0.0", "-p", "queue:")
                            .exitCode())
                    .isZero();

            String written = Files.readString(file);
            List<AgentEntry> entries = entries("zed", file);
            assertThat(entries).extracting(AgentEntry::name).containsExactly("al", "alpha");
            assertThat(entries.get(0).args()).endsWith("run", "alpha");
            assertThat(entries.get(1).args()).endsWith("conduct", "-p", "queue:", "--agent", "alpha@1.0.0");
            assertThat(answer(entries.get(0))).isEqualTo("I am 1.0.0");
            assertThat(answer(entries.get(1))).isEqualTo("I am 1.0.0");
            shelf.agent("alpha", "1.1.0", "maker", true);
            ok(of(shelf, "agents", "update", "--yes"));
            assertThat(answer(entries.get(0))).isEqualTo("I am 1.1.0");
            assertThat(answer(entries.get(1))).isEqualTo("I am 1.0.0");
            ok(of(shelf, "agents", "rollback", "alpha"));
            assertThat(answer(entries.get(0))).isEqualTo("I am 1.0.0");
            assertThat(file).content().isEqualTo(written);
        }
    }

    @Test
    @Tag("EDT-20")
    void anAgentThatIsNotInstalledCanBePrinted() {
        AcpRun run = in("install-into", "jetbrains", "--print", "--agent", "claude-acp@1.2.3")
                .run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("Warning: the agent claude-acp is not installed");
        JsonObject agent = (JsonObject) JsonValue.parse(run.out());
        assertThat(agent.toString()).contains("\"claude-acp\":{").contains("\"run\",\"claude-acp@1.2.3\"]");
    }

    @Test
    @Tag("EDT-21")
    void aKeyOfTheUserReachesTheAgentInTheEditorAndIsInNoFileOfIt() throws Exception {
        Path file = zed();
        Map<String, String> environment =
                Map.of("XDG_DATA_HOME", folder.resolve("data").toString(), "XDG_CONFIG_HOME", folder.toString());
        try (AgentShelf shelf = new AgentShelf(folder)) {
            shelf.agent("alpha", "1.0.0", "maker", true);
            ok(of(shelf, "agents", "add", "-q", "alpha"));
            try (TerminalRun run = TerminalRun.alone(folder, environment, "agents", "set", "alpha", "AGENT_KEY")) {
                run.await("AGENT_KEY: ").press("s3cret-4711\r").await("AGENT_KEY is set for alpha");
                assertThat(run.end()).isZero();
            }

            assertThat(installed(shelf, "alpha").exitCode()).isZero();
        }

        AgentEntry entry = entries("zed", file).getFirst();
        List<String> words = new ArrayList<>(entry.words());
        words.addAll(List.of("--", "key"));
        ProcessBuilder editor = new ProcessBuilder(words);
        editor.environment().clear();
        editor.environment().putAll(desktop().bareEnvironment());
        editor.environment().putAll(entry.env());
        Process agent = editor.start();
        agent.getOutputStream().close();
        assertThat(new String(agent.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("s3cret-4711\n");
        assertThat(agent.waitFor()).isZero();
        assertThat(entry.env()).containsOnlyKeys("XDG_DATA_HOME");
        for (Path place : List.of(file.getParent(), folder.resolve("state"))) {
            try (Stream<Path> all = Files.walk(place)) {
                assertThat(all.filter(Files::isRegularFile))
                        .isNotEmpty()
                        .allSatisfy(each -> assertThat(each).content().doesNotContain("s3cret"));
            }
        }
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
        AcpRun argument = in("install-into", "zed", "--print", "--name", "Mine")
                .agent("/bin/sh", "--api-key", "abc-4711")
                .run();

        assertThat(run.err()).doesNotContain("Warning");
        assertThat(argument.err()).contains("Warning: what looks like a secret is in the command line");
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
        Path plain = Files.writeString(folder.resolve("plain"), "true");
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
                    "Named": { "type": "custom", "command": "/bin/true", "env": { "A=B": "x" } },
                    "Nul": { "type": "custom", "command": "/bin/\\u0000" },
                    "Plain": { "type": "custom", "command": "%s" },
                    "Empty": { "type": "custom" },
                    "Loud": { "type": "custom", "command": "/bin/sh", "args": ["-c", "echo got $MY_API_KEY >&2; exit 3"],
                      "env": { "MY_API_KEY": "abcd-4711" } },
                  }
                }
                """.formatted(
                        new AgentMembers("a", AgentForm.COMMAND, false, false)
                                .pasted(List.of(well))
                                .replaceFirst("(?s).*?\"Well\": ", "")
                                .replaceFirst("(?s)}\\s*$", ""),
                        plain));
        settings(".jetbrains/acp.json", "{\"agent_servers\": {\n x }}");
        settings(".config/Code/User/settings.json", "{\"a\": \"\t\"}");
        settings(".acpx/config.json", "{}");

        AcpRun run = in("doctor", "editors")
                .env("PATH", tools + ":" + System.getenv("PATH"))
                .run();
        AcpRun json = in("doctor", "editors", "--json").run();

        assertThat(run.exitCode()).as(run.out()).isEqualTo(7);
        assertThat(run.out().replaceAll("\\s+", " "))
                .contains("It has no \"type\": \"custom\", which newer versions write.")
                .contains("Add \"type\": \"custom\" to it.")
                .contains("installed by the editor itself, and not started here")
                .contains("It names an agent of an older Zed by its id")
                .contains("no-such-agent")
                .contains("Install it, and write its full path as the command")
                .contains("Write its full path as the command: " + tool)
                .contains("--experimental-acp is the older form of --acp")
                .contains("the name is there twice, and the last one counts")
                .contains("the agent ended with exit code 0")
                .contains("cannot be read: line 2, column 2: expected a name in quotes")
                .contains("cannot be read: line 1, column 8: a control character in a string: write \\t")
                .contains("not the name of an environment variable: \"A=B\"")
                .contains("Nul character not allowed")
                .contains(plain + " is not executable", "chmod +x " + plain)
                .contains("there is no \"command\", or members are of wrong types")
                .contains("acp install-into jetbrains --print")
                .contains("acpx, " + home + "/.acpx/config.json ✓ file has no agents")
                .contains("the agent ended with exit code 3")
                .contains(" got ")
                .doesNotContain("abcd-4711");
        assertThat(json.out()).doesNotContain("abcd-4711");
        assertThat(json.exitCode()).isEqualTo(7);
        assertThat(objects(json))
                .extracting(object -> object.text("status").orElse(""))
                .contains("ok", "warning", "problem");
    }

    @Test
    @Tag("EDT-22")
    void theAgentsOfAFolderAreListedAndNotStarted() throws IOException {
        Path started = folder.resolve("started");
        Path agent = script(folder.resolve("stranger"), "touch '" + started + "'");
        Files.createDirectories(folder.resolve(".vscode"));
        Files.writeString(
                folder.resolve(".vscode/settings.json"),
                "{\"acp.agents\": {\"Stranger\": {\"command\": \"" + agent + "\"}}}");

        AcpRun run = in("doctor", "editors").run();

        assertThat(run.exitCode()).as(run.out()).isZero();
        assertThat(run.out().replaceAll("\\s+", " "))
                .contains("Stranger: VS Code")
                .contains("not started: these settings are those of the folder")
                .contains("'acp doctor --'; it begins with " + agent);
        assertThat(started).doesNotExist();
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
