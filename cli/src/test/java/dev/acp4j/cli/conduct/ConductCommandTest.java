package dev.acp4j.cli.conduct;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.ScriptedAgent;
import dev.acp4j.cli.proxy.ReadyProxy;
import dev.acp4j.http.Http;
import dev.acp4j.http.RunningServer;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.SessionId;
import dev.acp4j.tap.Poll;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ConductCommandTest {
    private static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n";

    @TempDir
    private Path folder;

    private final List<String> stderr = new CopyOnWriteArrayList<>();

    private static List<String> program(String... args) {
        List<String> command = new ArrayList<>(AcpRun.java(ConductedProgram.class));
        command.addAll(List.of(args));
        return command;
    }

    /** A command line for a shell, or for {@code -p}. */
    private static String quoted(List<String> command) {
        return command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    }

    private static String quoted(String... args) {
        return quoted(program(args));
    }

    /** The text of a list in JSON, and so in YAML. */
    private static String list(List<String> command) {
        return command.stream().map(word -> "\"" + word + "\"").collect(Collectors.joining(", ", "[", "]"));
    }

    private static String[] conduct(List<String> agent, String... options) {
        List<String> args = new ArrayList<>(List.of("conduct"));
        args.addAll(List.of(options));
        if (!agent.isEmpty()) {
            args.add("--");
            args.addAll(agent);
        }
        return args.toArray(String[]::new);
    }

    private Launch launch(String... args) {
        List<String> command = new ArrayList<>(AcpRun.java(Acp.class));
        command.addAll(List.of(args));
        return Launch.of(command.get(0), command.subList(1, command.size())).onStderr(stderr::add);
    }

    private String answer(Launch launch) throws InterruptedException {
        try (ConnectedAgent agent = Client.builder("test", "1").connect(launch)) {
            return agent.newSession(folder).prompt("Hello.").text();
        }
    }

    @Test
    @Tag("CON-01")
    @Tag("CON-26")
    @Tag("PRX-30")
    void aPromptPassesTheProxiesInTheirOrder() throws Exception {
        Path trace = folder.resolve("conduct.trace.jsonl");
        List<String> nested = new ArrayList<>(AcpRun.java(Acp.class));
        nested.addAll(List.of(conduct(List.of(), "--proxy", "-p", "second=" + jsonOf(program("adds", "Two.")))));

        String answer = answer(launch(conduct(
                program("echo"),
                "--trace",
                trace.toString(),
                "-p",
                "first=" + quoted("adds", "One."),
                "-p",
                "chain=" + jsonOf(nested))));

        assertThat(answer).isEqualTo("Hello.\nOne.\nTwo.");
        assertThat(stderr)
                .contains("first: I add One. with null and null", "chain: second: I add Two. with null and null")
                .anySatisfy(line -> assertThat(line).startsWith("agent: in "));
        assertThat(Files.readString(trace)).contains("session/prompt").doesNotContain("proxy/");
    }

    private static String jsonOf(List<String> command) {
        return "{\"command\":\"" + command.get(0) + "\",\"args\":["
                + command.subList(1, command.size()).stream()
                        .map(word -> "\"" + word.replace("\\", "\\\\").replace("\"", "\\\"") + "\"")
                        .collect(Collectors.joining(","))
                + "]}";
    }

    @Test
    @Tag("CON-01")
    void withoutAProxyTheExitCodeOfTheAgentPasses() throws Exception {
        Process acp = acp(conduct(program("exits", "23"))).start();

        String err = ended(acp);

        assertThat(acp.exitValue()).as(err).isEqualTo(23);
    }

    @Test
    void anAgentThatIsEndedByTheClientIsNoFailure() {
        AcpRun run = acp(conduct(program("echo"), "-p", quoted("adds", "Z."))).run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEmpty();
    }

    @Test
    @Tag("CON-26")
    @Tag("CON-11")
    @Tag("PRX-30")
    void theDeathOfAProxyEndsTheChainIfThatIsItsPolicy() throws Exception {
        Path log = folder.resolve("log.txt");
        Process acp = acp(conduct(
                        program("echo"),
                        "-p",
                        "old=" + quoted("dies"),
                        "--legacy",
                        "old",
                        "--on-death",
                        "old=fail",
                        "--log",
                        log.toString()))
                .start();
        acp.getOutputStream().write(INITIALIZE.getBytes(StandardCharsets.UTF_8));
        acp.getOutputStream().flush();

        String err = ended(acp);

        assertThat(acp.exitValue()).as(err).isEqualTo(1);
        assertThat(err).contains("old: got {").contains("\"_proxy/initialize\"").doesNotContain("acp: ");
        assertThat(Files.readString(log)).contains("acp: The component old has ended: exit code 4");
    }

    /** Waits for the end, without closing standard input. */
    private static String ended(Process acp) throws IOException, InterruptedException {
        try (BufferedReader err = acp.errorReader(StandardCharsets.UTF_8)) {
            String text = err.lines().collect(Collectors.joining("\n"));
            acp.waitFor();
            return text;
        }
    }

    @Test
    @Tag("CON-08")
    void aMissingProgramIsNamedBeforeAnyIsStarted() {
        Path started = folder.resolve("started");

        AcpRun run = acp(conduct(
                        List.of("no-such-agent"),
                        "-p",
                        quoted("touches", started.toString()),
                        "-p",
                        "gone=/no/such/proxy"))
                .run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("acp: gone: ")
                .contains("/no/such/proxy")
                .doesNotContain("\tat ");
        assertThat(started).doesNotExist();
    }

    @Test
    @Tag("CON-09")
    void anAgentInThePlaceOfAProxyIsNamed() {
        Launch launch = launch(conduct(program("echo"), "-p", "wrong=" + quoted(AcpRun.java(ScriptedAgent.class))));

        assertThatThrownBy(() -> answer(launch))
                .hasMessageContaining("The component wrong answered proxy/initialize with error -32")
                .hasMessageContaining("put an agent at the end of the chain");
        assertThat(stderr)
                .anySatisfy(line -> assertThat(line)
                        .startsWith("acp: The component wrong answered ")
                        .contains(ScriptedAgent.class.getName()));
    }

    @Test
    @Tag("CON-09")
    void aProxyInThePlaceOfTheAgentIsNamed() {
        Launch launch = launch(conduct(program("adds", "Two."), "-p", quoted("adds", "One.")));

        assertThatThrownBy(() -> answer(launch))
                .hasMessageContaining("The agent answered initialize with error -32600 \"This is a proxy, not an agent")
                .hasMessageContaining("put an agent behind it")
                .hasMessageContaining("Its command: ");
    }

    @Test
    @Tag("CON-01")
    @Tag("CON-05")
    void aReadyMadeProxyRunsBesideAProgramAlsoInAnotherFolder() throws Exception {
        Path file = Files.writeString(folder.resolve("RULES.md"), "Rule one.");

        Launch launch = launch(conduct(
                program("echo"),
                "--cwd",
                folder.toString(),
                "-p",
                "context:files=" + file.getFileName(),
                "-p",
                "first=" + quoted("adds", "One.")));

        assertThat(answer(launch)).contains("Rule one.").contains("One.");
    }

    @Test
    @Tag("MCX-33")
    void anAgentBehindAProxyUsesAToolOfTheClientWithoutServersOverAcp() throws Exception {
        ToolServer tools = ToolServer.builder("own", "1")
                .tool("greet", "Greets", call -> "Hello!")
                .build();
        Path trace = folder.resolve("bridged.trace.jsonl");
        Launch launch = launch(conduct(program("calls"), "--trace", trace.toString(), "-p", "queue:"));

        try (ConnectedAgent agent =
                ToolServer.addTo(Client.builder("test", "1"), tools).connect(launch)) {
            assertThat(agent.supports(Feature.MCP_ACP)).isTrue();
            Session session = agent.newSession(SessionSetup.in(folder).withMcpServers(List.of(tools.declaration())));

            assertThat(session.setup().mcpServers()).singleElement().isInstanceOf(McpServer.Acp.class);
            assertThat(session.prompt("own.greet").text()).isEqualTo("Hello!");
        }

        assertThat(acp("trace", "show", trace.toString()).run().out())
                .containsPattern("1 MCP server · own (by a program|over HTTP), since the agent takes ");
    }

    @Test
    @Tag("CON-06")
    void aWrapperIsStartedWithTheCommandOfTheRest() throws Exception {
        String alone = answer(launch(conduct(program("echo"), "-p", "wrapper=" + quoted(program("wraps")) + " {}")));
        assertThat(alone).isEqualTo("Hello.");
        assertThat(stderr).contains("agent: I wrap echo");

        String inTheMiddle = answer(launch(conduct(
                program("echo"),
                "-p",
                "first=" + quoted("adds", "One."),
                "-p",
                "wrapper=" + quoted(program("wraps")) + " {}",
                "-p",
                "second=MODE=fast " + quoted("adds", "Two."))));
        assertThat(inTheMiddle).isEqualTo("Hello.\nOne.\nTwo.");
        assertThat(stderr)
                .anySatisfy(
                        line -> assertThat(line).startsWith("agent: I wrap /").endsWith("chain.yaml"))
                .contains("agent: second: I add Two. with null and null");
    }

    @Test
    @Tag("CON-06")
    void aWrapperNeedsAnAgent() {
        assertThat(misuse("conduct", "--proxy", "-p", "wrapper=sh {}"))
                .contains("the wrapper wrapper takes the command of an agent, and the chain has none");
    }

    @Test
    @Tag("CON-33")
    void aProxyGetsItsOwnVariablesOnlyAndItsSecretsAreShownNowhere() throws Exception {
        Path trace = folder.resolve("conduct.trace.jsonl");
        Path log = folder.resolve("log.txt");
        Launch launch = launch(conduct(
                        program("echo"),
                        "--trace",
                        trace.toString(),
                        "--log",
                        log.toString(),
                        "-p",
                        "first=OWN_TOKEN=$FIRST_TOKEN " + quoted("adds", "One."),
                        "-p",
                        "second=CONDUCTED=$$1 " + quoted("adds", "Two.")))
                .env("XDG_RUNTIME_DIR", folder.toString())
                .env("CONDUCTED", "of-the-conductor")
                .env("FIRST_TOKEN", "s3cr3t-of-the-first");
        String status;
        try (ConnectedAgent agent = Client.builder("test", "1").connect(launch)) {
            assertThat(agent.newSession(folder)
                            .prompt("Say s3cr3t-of-the-first.")
                            .text())
                    .contains("One.");
            status = status("--json").out();
        }

        assertThat(stderr)
                .anySatisfy(line -> assertThat(line)
                        .startsWith("first: I add One. with null and ")
                        .doesNotEndWith("null"))
                .contains("second: I add Two. with $1 and null")
                .anySatisfy(line -> assertThat(line).startsWith("agent: in ").endsWith("with of-the-conductor"));
        assertThat(String.join("\n", stderr) + status + Files.readString(trace) + Files.readString(log))
                .doesNotContain("s3cr3t-of-the-first");
    }

    @Test
    @Tag("CON-33")
    void aVariableThatIsNotSetIsAMistake() {
        assertThat(misuse("conduct", "-p", "a=KEY=$NO_SUCH_VARIABLE_AT_ALL b", "--", "c"))
                .contains("the component a is to get KEY from $NO_SUCH_VARIABLE_AT_ALL, which is not set");
    }

    @Test
    @Tag("CON-07")
    void aChainWithinAChainFileStandsInItsPlace() throws Exception {
        Path file = Files.writeString(
                folder.resolve("chain.yaml"),
                "components:\n  - {id: one, command: " + list(program("adds", "One."))
                        + "}\n  - id: inner\n    components:\n      - {id: two, command: "
                        + list(program("adds", "Two."))
                        + "}\n      - id: deep\n        components: [{id: two, command: "
                        + list(program("adds", "Three.")) + "}]\nagent: {command: " + list(program("echo")) + "}");

        assertThat(answer(launch("conduct", "--chain", file.toString()))).isEqualTo("Hello.\nOne.\nTwo.\nThree.");
        assertThat(stderr)
                .anySatisfy(line -> assertThat(line).startsWith("inner/two: "))
                .anySatisfy(line -> assertThat(line).startsWith("inner/deep/two: "));
        assertThat(mistake("components: [{id: a, command: b, components: []}]"))
                .contains("line 1: a chain within the chain has no key command.");
    }

    @Test
    @Tag("CON-30")
    void theAgentOfAChainFileMayBeBehindAUrl() throws Exception {
        Agent remote = Agent.builder("remote", "1.0")
                .onPrompt(turn -> turn.message("There: " + turn.text()))
                .build();
        String answer;
        try (RunningServer server = Http.on(0).drainTime(Duration.ofSeconds(1)).start(remote::connect)) {
            Path file = Files.writeString(
                    folder.resolve("chain.yaml"),
                    "components: [{id: one, command: " + list(program("adds", "One.")) + "}]\nagent: {url: \""
                            + server.uri() + "\"}\n");
            answer = answer(launch("conduct", "--chain", file.toString())
                    .env("ACP_TOKEN", server.token().orElseThrow()));
        }

        assertThat(answer).as(() -> String.join("\n", stderr)).isEqualTo("There: Hello.\nOne.");
        assertThat(mistake("agent:\n  command: a\n  url: https://agents.example/acp\n"))
                .contains("line 2: an agent has a url or a command");
        assertThat(mistake("agent: a\ncomponents:\n  - {id: b, url: 'https://agents.example/acp'}\n"))
                .contains("line 3: a component has no key url");
    }

    @Test
    @Tag("CON-20")
    void aChainThatIsTerminatedLeavesNoProgramBehind() throws Exception {
        Launch launch = launch(conduct(
                program("echo"), "-p", "first=" + quoted("adds", "One."), "-p", "second=" + quoted("adds", "Two.")));
        try (LaunchedProcess acp = launch.start();
                ConnectedAgent agent = Client.builder("test", "1").connect(acp.transport())) {
            Session session = agent.newSession(folder);
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.\nOne.\nTwo.");
            List<ProcessHandle> programs =
                    ProcessHandle.of(acp.pid()).orElseThrow().descendants().toList();
            assertThat(programs).hasSizeGreaterThanOrEqualTo(3);

            assertThat(new ProcessBuilder("kill", "-TERM", Long.toString(acp.pid()))
                            .start()
                            .waitFor())
                    .isZero();

            assertThat(Poll.until(() -> programs.stream().noneMatch(ProcessHandle::isAlive)))
                    .as("all programs have ended")
                    .isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM,143", "INT,130"})
    @Tag("CON-20")
    void aChainThatIsEndedByASignalNamesTheComponentThatDoesNotEnd(String signal, int exitCode) throws Exception {
        String stuck = "stuck=sh -c \"trap '' TERM INT; echo here >&2; while :; do sleep 1000; done\"";
        Process acp = acp(conduct(program("echo"), "-p", stuck))
                .env("XDG_RUNTIME_DIR", folder.toString())
                .interruptible()
                .start();
        try (BufferedReader err = acp.errorReader(StandardCharsets.UTF_8)) {
            String line = err.readLine();
            while (line != null && !line.equals("stuck: here")) {
                line = err.readLine();
            }
            // Programs start beside each other: the signal must not come while the agent is still being started.
            Path status = folder.resolve("acp-chains").resolve(acp.pid() + ".sock");
            assertThat(Poll.until(() -> Files.exists(status)))
                    .as("the chain runs")
                    .isTrue();
            List<ProcessHandle> programs = acp.toHandle().descendants().toList();
            assertThat(programs).hasSizeGreaterThanOrEqualTo(2);

            signal(signal, acp);

            assertThat(err.lines())
                    .contains("acp: the component stuck does not end although its input has, so it is ended.");
            assertThat(acp.waitFor()).isEqualTo(exitCode);
            for (ProcessHandle program : programs) {
                assertThat(program.onExit().get().isAlive()).isFalse();
            }
        } finally {
            acp.destroyForcibly();
        }
    }

    @Test
    void whatIsLeftIsClosedAlsoWhenSomethingFailsToClose() {
        List<String> closed = new ArrayList<>();
        List<AutoCloseable> opened = List.of(
                () -> closed.add("first"),
                () -> {
                    throw new IOException("busy");
                },
                () -> closed.add("last"));

        assertThatThrownBy(() -> ReadyProxy.close(opened))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("busy");
        assertThat(closed).containsExactly("last", "first");
    }

    @Test
    @Tag("CON-28")
    void limitsOfAComponentAndOfTheAgentAreInChainFiles() throws Exception {
        Path file = Files.writeString(
                folder.resolve("chain.yaml"),
                "components:\n  - {id: a, command: b, limits: {requests: 3, messagesPerSecond: 100}}\nagent: c\n");

        assertThat(acp("conduct", "--chain", file.toString(), "--print").run().out())
                .contains("    limits: {messageBytes: 0, requests: 3, queuedBytes: 0, messagesPerSecond: 100}\n");
        Files.writeString(file, "agent: {command: c, limits: {queuedBytes: 5000}}\n");
        assertThat(acp("conduct", "--chain", file.toString(), "--print").run().out())
                .contains("    limits: {messageBytes: 0, requests: 0, queuedBytes: 5000, messagesPerSecond: 0}\n");
        assertThat(mistake("agent: c\ncomponents: [{id: a, command: b, limits: {request: 3}}]"))
                .contains("line 2: limits has no key request. Did you mean requests?");
        assertThat(mistake("agent: c\ncomponents: [{id: a, command: b, limits: {requests: many}}]"))
                .contains("line 2: requests: expected a whole number, 0 for no limit, got many");
    }

    @Test
    @Tag("CON-24")
    void theStatusNamesTheComponentsOfRunningChains() throws Exception {
        Launch launch = launch(conduct(program("echo"), "-p", "first=" + quoted("adds", "One.")))
                .env("XDG_RUNTIME_DIR", folder.toString());
        try (ConnectedAgent agent = Client.builder("test", "1").connect(launch)) {
            assertThat(agent.newSession(folder).prompt("Hello.").text()).isEqualTo("Hello.\nOne.");

            AcpRun table = status();
            AcpRun json = status("--json");

            assertThat(table.out())
                    .as(table.err())
                    .containsPattern("first +\\d+ +ready +0 +0 ")
                    .contains("agent ");
            assertThat(json.lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .matches(
                                    "\\{\"pid\":\\d+,\"components\":\\[\\{\"id\":\"first\",\"pid\":\\d+,\"state\":\"ready\",\"restarts\":0,"
                                            + "\"inFlight\":0,\"queuedBytes\":0,\"medianMicros\":[1-9]\\d*,\"p99Micros\":[1-9]\\d*},"
                                            + "\\{\"id\":\"agent\",.*\\}\\]\\}"));
            Path socket;
            try (var files = Files.walk(folder)) {
                socket = files.filter(file -> file.toString().endsWith(".sock"))
                        .findFirst()
                        .orElseThrow();
            }
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.resolveSibling(""))))
                    .isEqualTo("rwx------");
        }

        assertThat(status().out()).isEqualTo("no chain is running\n");
    }

    @Test
    @Tag("CON-24")
    void aChainThatIsStoppedIsListedWithThat() throws Exception {
        Process stopped = acp(conduct(program("echo")))
                .env("XDG_RUNTIME_DIR", folder.toString())
                .start();
        stopped.getOutputStream().write(INITIALIZE.getBytes(StandardCharsets.UTF_8));
        stopped.getOutputStream().flush();
        try (BufferedReader out = stopped.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).contains("protocolVersion");
            // The socket is there before the chain is initialized, or soon after.
            Path socket = folder.resolve("acp-chains").resolve(stopped.pid() + ".sock");
            assertThat(Poll.until(() -> Files.exists(socket))).isTrue();
            signal("STOP", stopped);

            assertThat(status().out()).isEqualTo("chain " + stopped.pid() + ": it does not answer\n");

            signal("CONT", stopped);
            stopped.getOutputStream().close();
            assertThat(out.readLine()).isNull();
            assertThat(stopped.waitFor()).isZero();
        } finally {
            stopped.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    @Tag("CON-20")
    @Tag("PRX-31")
    void aChainThatIsEndedByASignalLeavesNoneOfItsPrograms(String signal) throws Exception {
        Process acp = acp(conduct(program("echo"), "-p", quoted("adds", "One."), "-p", quoted("adds", "Two.")))
                .interruptible()
                .start();
        acp.getOutputStream().write(INITIALIZE.getBytes(StandardCharsets.UTF_8));
        acp.getOutputStream().flush();
        try (BufferedReader out = acp.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).contains("protocolVersion");
            List<ProcessHandle> programs = acp.toHandle().descendants().toList();
            assertThat(programs).hasSizeGreaterThanOrEqualTo(3);

            signal(signal, acp);

            acp.waitFor();
            for (ProcessHandle program : programs) {
                assertThat(program.onExit().get().isAlive()).isFalse();
            }
        } finally {
            acp.destroyForcibly();
        }
    }

    private static void signal(String name, Process to) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(to.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    @Tag("CON-24")
    void aFolderThatOthersCanUseHoldsNoSocket() throws Exception {
        Path chains = Files.createDirectory(folder.resolve("acp-chains"));
        Files.setPosixFilePermissions(chains, PosixFilePermissions.fromString("rwxr-xr-x"));

        AcpRun run = acp(conduct(program("echo")))
                .env("XDG_RUNTIME_DIR", folder.toString())
                .run();

        assertThat(run.exitCode()).isZero();
        assertThat(run.err())
                .contains("acp: acp conduct status will not show this chain: ")
                .contains("others can use");
        assertThat(chains).isEmptyDirectory();
    }

    @Test
    @Tag("CON-26")
    void aChainGoesOnWhenNobodyReadsItsStandardError() throws Exception {
        Process acp =
                acp(conduct(program("echo"), "-p", "noisy=" + quoted("noisy"))).start();
        acp.getOutputStream().write(INITIALIZE.getBytes(StandardCharsets.UTF_8));
        acp.getOutputStream().flush();
        try (BufferedReader out = acp.inputReader(StandardCharsets.UTF_8);
                BufferedReader err = acp.errorReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).contains("protocolVersion");

            acp.getOutputStream().close();
            assertThat(err.lines())
                    .anySatisfy(line -> assertThat(line).startsWith("noisy: xxx"))
                    .anySatisfy(line -> assertThat(line).matches("acp: \\d+ lines are missing here, .*"));
            assertThat(acp.waitFor()).isZero();
        }
    }

    @Test
    void aProxyIsLookedUpWhereItsAgentIsAndRunsInTheFolderOfTheSession() throws Exception {
        Path here = Files.createDirectory(folder.resolve("here"));
        Path there = Files.createDirectory(folder.resolve("there"));
        for (String name : List.of("adds", "echo")) {
            Path script = Files.writeString(
                    here.resolve(name),
                    "#!/bin/sh\npwd > \"$0.folder\"\nexec "
                            + quoted(name.equals("adds") ? program("adds", "One.") : program("echo")) + "\n");
            assertThat(script.toFile().setExecutable(true)).isTrue();
        }

        AcpRun run = acp("prompt", "--cwd", there.toString(), "-p", "./adds", "Hello.")
                .agent("./echo")
                .in(here)
                .run();

        assertThat(run.out()).as(run.err()).isEqualTo("Hello.\nOne.\n");
        assertThat(here.resolve("adds.folder")).hasContent(there.toRealPath().toString());
        assertThat(here.resolve("echo.folder")).hasContent(there.toRealPath().toString());
    }

    private AcpRun status(String... options) {
        List<String> args = new ArrayList<>(List.of("conduct", "status"));
        args.addAll(List.of(options));
        return acp(args.toArray(String[]::new))
                .env("XDG_RUNTIME_DIR", folder.toString())
                .run();
    }

    @Test
    @Tag("CON-03")
    void promptsGoThroughProxiesAndChainFiles() throws Exception {
        Path file = Files.writeString(
                folder.resolve("chain.yaml"),
                "components: [{id: one, command: " + list(program("adds", "One.")) + "}]\nagent: " + "{command: "
                        + list(program("echo")) + "}");

        AcpRun proxy = acp("prompt", "-p", quoted("adds", "Two."), "Hello.")
                .agent(program("echo").toArray(String[]::new))
                .run();
        AcpRun chain = acp("prompt", "--chain", file.toString(), "Hello.").run();

        assertThat(proxy.out()).as(proxy.err()).isEqualTo("Hello.\nTwo.\n");
        assertThat(chain.out()).as(chain.err()).isEqualTo("Hello.\nOne.\n");
    }

    @Test
    void aFullDiskIsNoEndOfTheClient() {
        AcpRun run = acp(conduct(program("echo"), "-p", quoted("adds", "Z.")))
                .input(INITIALIZE)
                .redirected(">/dev/full")
                .run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(6);
        assertThat(run.err()).contains("acp: standard output cannot be written: No space left on device");
    }

    @Test
    @Tag("CON-02")
    void aChainIsRunFromAFile() throws Exception {
        Files.createDirectory(folder.resolve("sub"));
        Path file = Files.writeString(
                folder.resolve("chain.yaml"), """
                components:
                  - id: first
                    command: %s
                    onDeath: bypass
                    deadlines: {setup: 90s, health: off}
                agent:
                  command: %s
                  cwd: sub
                  env: {CONDUCTED: "yes"}
                  deadlines:
                    prompt: 1h
                """.formatted(list(program("adds", "One.")), list(program("echo"))));

        assertThat(answer(launch("conduct", "--chain", file.toString()))).isEqualTo("Hello.\nOne.");
        assertThat(acp("conduct", "--chain", file.toString(), "--print").run().out())
                .contains("    deadlines: {start: 30s, initialization: 60s, setup: 90s, prompt: 600s, health: off}\n")
                .endsWith(
                        "    deadlines: {start: 30s, initialization: 60s, setup: 300s, prompt: 3600s, health: off}\n");
        assertThat(stderr).contains("first: I add One. with null and null", "agent: in sub with yes");
    }

    @Test
    @Tag("CON-02")
    void aChainIsPrintedAsAFileThatMeansTheSame() throws Exception {
        AcpRun run = acp(conduct(
                        List.of("./agent", "--acp"),
                        "--print",
                        "-p",
                        "MODE=fast a-proxy 'two words'",
                        "-p",
                        "a-proxy",
                        "-p",
                        "old=legacy-proxy",
                        "--legacy",
                        "old",
                        "--on-death",
                        "bypass",
                        "--on-death",
                        "old=restart,fail"))
                .in(folder)
                .run();
        Path file = Files.writeString(folder.resolve("chain.yaml"), run.out());
        AcpRun again = acp("conduct", "--chain", file.toString(), "--print").run();

        assertThat(run.out()).as(run.err()).isEqualTo("""
                components:
                  - id: "a-proxy"
                    command: ["a-proxy", "two words"]
                    env:
                      "MODE": "fast"
                    onDeath: [bypass]
                  - id: "a-proxy-2"
                    command: ["a-proxy"]
                    onDeath: [bypass]
                  - id: "old"
                    command: ["legacy-proxy"]
                    dialect: legacy
                    onDeath: [restart, fail]
                agent:
                    command: ["%s", "--acp"]
                """.formatted(
                        folder.toRealPath().resolve("agent")));
        assertThat(again.out()).as(again.err()).isEqualTo(run.out());
    }

    @Test
    @Tag("RMP-19")
    void aSessionOfAnAgentThatOnlyResumesIsLoadedByTheNextProcess() throws Exception {
        Launch launch = launch(
                conduct(program("resumes"), "-p", "record:folder='" + folder.resolve("records") + "'", "-p", "queue:"));
        SessionId id;
        try (ConnectedAgent agent = Client.builder("test", "1").connect(launch)) {
            Session session = agent.newSession(folder);
            id = session.id();
            assertThat(session.prompt("Hello.").text()).isEqualTo("Hello.");
        }

        try (ConnectedAgent agent = Client.builder("test", "1").connect(launch)) {
            Session session = agent.loadSession(id, folder);
            assertThat(session.view().messages())
                    .extracting(Entry.Message::text)
                    .containsExactly("Hello.", "Hello.");
            assertThat(session.prompt("More.").text()).isEqualTo("More.");
        }
    }

    @Test
    @Tag("RMP-01")
    void aReadyMadeProxyRunsInsideAndAsAProgramWithTheSameEffect() throws Exception {
        Path log = folder.resolve("talk.jsonl");
        List<String> program = new ArrayList<>(AcpRun.java(Acp.class));
        program.addAll(List.of("proxy", "system-prompt", "text=Be brief."));

        String inside = answer(launch(
                conduct(program("echo"), "-p", "system-prompt:'text=Be brief.'", "-p", "talk=log:file='" + log + "'")));
        String outside = answer(launch(conduct(program("echo"), "-p", "brief=" + jsonOf(program))));

        assertThat(inside).contains("Be brief.").endsWith("Hello.").isEqualTo(outside);
        assertThat(stderr)
                .contains(
                        "acp: system-prompt: This agent takes no system prompt: the instructions are added to the first prompt.",
                        "brief: acp: This agent takes no system prompt: the instructions are added to the first prompt.");
        assertThat(Files.readString(log)).contains("Be brief.", "\"end\":\"end_turn\"");
    }

    @Test
    void aReadyMadeProxyIsPrintedAsItsProgram() {
        AcpRun run = acp(conduct(List.of("a"), "--print", "-p", "context:", "-p", "tools:deny=drop on-use=cancel"))
                .run();

        assertThat(run.out()).as(run.err()).isEqualTo("""
                components:
                  - id: "context"
                    command: ["acp", "proxy", "context"]
                    onDeath: [restart, fail]
                  - id: "tools"
                    command: ["acp", "proxy", "tools", "deny=drop", "on-use=cancel"]
                    onDeath: [restart, fail]
                agent:
                    command: ["a"]
                """);
    }

    @Test
    @Tag("CON-02")
    void aMistakeInAFileHasALineAndTheNearestName() throws Exception {
        assertThat(mistake("components:\n  - id: a\n    comand: b\n"))
                .contains("chain.yaml, line 3: a component has no key comand. Did you mean command?");
        assertThat(mistake("{\"agents\": \"a\"}")).contains("line 1: the chain has no key agents. Did you mean agent?");
        assertThat(mistake("agent: a\ncomponents:\n  - command: b\n")).contains("line 3: id is missing");
        assertThat(mistake("agent: a\ncomponents: [{id: b, command: c, onDeath: restat}]"))
                .contains("line 2: onDeath: expected restart, bypass or fail, got restat. Did you mean restart?");
        assertThat(mistake("agent:\n  command: a\n  deadlines: {setup: never}"))
                .contains("line 3: setup: expected a time such as 90s, 5m or 1h, got 'never', or off");
        assertThat(mistake("agent: [a\n")).contains("chain.yaml, line ");
        assertThat(mistake("agent: a\ncomponents:\n  - {id: agent, command: b}\n"))
                .contains("line 3: the id agent is that of another part of the chain");
        assertThat(mistake("")).contains("the file is empty");
    }

    private String mistake(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("chain.yaml"), text);
        AcpRun run = acp("conduct", "--chain", file.toString()).run();
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        return run.err();
    }

    @Test
    void wrongCommandLinesAreMistakes() {
        assertThat(misuse("conduct")).contains("the command of an agent is missing");
        assertThat(misuse("conduct", "--proxy", "-p", "a", "--", "b")).contains("with --proxy the chain has no agent");
        assertThat(misuse("conduct", "-p", "a=b", "-p", "a=c", "--", "d")).contains("two components have the name a");
        assertThat(misuse("conduct", "-p", "client=b", "--", "d"))
                .contains("the name client is that of another part of the chain");
        assertThat(misuse("conduct", "-p", "a=b", "--legacy", "c", "--", "d"))
                .contains("--legacy: there is no proxy c in the chain; there is a");
        assertThat(misuse("conduct", "--chain", "/no/such/file")).contains("there is no /no/such/file");
        assertThat(misuse("conduct", "-p", "'a", "--", "b")).contains("-p 'a: ");
        assertThat(misuse("conduct", "-p", "tools:dney=x", "--", "b"))
                .contains("the proxy tools has no option dney, but allow, deny, on-use. Did you mean deny?");
    }

    private static String misuse(String... args) {
        AcpRun run = acp(args).run();
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).doesNotContain("\tat ");
        return run.err();
    }
}
