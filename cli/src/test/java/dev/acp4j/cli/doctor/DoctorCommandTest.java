package dev.acp4j.cli.doctor;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.ScriptedAgent;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisabledOnOs(OS.WINDOWS)
class DoctorCommandTest {
    /** An agent that breaks several rules, and does not end with its input. */
    private static final String ILL = """
            printf '\\357\\273\\277Welcome\\n\\n'
            while read -r line; do
              id=${line#*'"id":'}; id=${id%%,*}
              case "$line" in
                *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":65535' "$id"
                  printf ',"agentCapabilities":{"loadSession":true}}}\\r\\n';;
                *'"session/new"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"sessionId":"s"}}'
                  echo '{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/x"}}';;
                *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"Method not found"}}';;
              esac
            done
            trap '' TERM
            while :; do sleep 1; done
            """;

    /** An agent of version 1 that answers with any version it is asked for. */
    private static final String ECHOES_VERSION = """
            while read -r line; do
              id=${line#*'"id":'}; id=${id%%[,\\}]*}
              case "$line" in
                *'"protocolVersion":65535'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":1}}';;
                *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":2,"agentCapabilities":{"loadSession":true}}}';;
                *'"session/new"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"sessionId":"s"}}';;
                *'"session/load"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32002,"message":"Not found"}}';;
                *'"session/prompt"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32602,"message":"Bad"}}';;
                *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"Method not found"}}';;
              esac
            done
            """;

    /** An agent of version 2 that accepts prompts, is never idle again, and lacks what is required. */
    private static final String ILL_IN_TWO = """
            while read -r line; do
              id=${line#*'"id":'}; id=${id%%[,\\}]*}
              case "$line" in
                *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":2' "$id"
                  echo ',"capabilities":{"session":{}},"info":{"name":"ill","version":"1"}}}';;
                *'"session/new"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"sessionId":"s"}}';;
                *'"prompt":7'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32602,"message":"Bad"}}';;
                *'"session/prompt"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"messageId":"m"}}';;
                *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"Method not found"}}';;
              esac
            done
            """;

    /** An agent that takes MCP servers and does not connect to them. */
    private static final String IGNORES_SERVERS = """
            while read -r line; do
              id=${line#*'"id":'}; id=${id%%[,\\}]*}
              case "$line" in
                *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":1}}';;
                *'"session/new"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"sessionId":"s"}}';;
                *'"session/prompt"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"stopReason":"end_turn"}}';;
                *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"Method not found"}}';;
              esac
            done
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void theBuiltInAgentIsWell() {
        AcpRun run = acp("doctor").run();

        assertThat(run.exitCode()).as(run.out()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.lines()).last().isEqualTo("no problems found: the agent works");
        assertThat(run.lines().subList(0, Doctor.STEPS.size())).allMatch(line -> line.matches("[✓─] [a-z]+ +\\S.*"));
        assertThat(run.out())
                .contains("─ prompt      no turn was tested, because it may cost money; use --prompt TEXT")
                .contains("it answers 2")
                .doesNotContain("\u001b");
    }

    @Test
    void aTurnIsTriedAndCancelledWhenAskedFor() {
        assertThat(acp("doctor", "--prompt", "hello").with().run().out())
                .contains("✓ prompt      ended with end_turn after")
                .contains("✓ stdout");
        assertThat(acp("doctor", "--timeout", "3s", "--prompt", "slow")
                        .with()
                        .run()
                        .out())
                .contains("✗ prompt      session/prompt was not answered: no answer within 3 s")
                .contains("✓ cancel      ended with cancelled after");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cat                    | it echoes its input                          | not an agent
            true                   | the agent ended with exit code 0             | ended normally without a response
            sleep 100              | no answer within 1 s                         | has never responded
            yes                    | no answer within 1 s                         | its output is not ACP but "y"
            no-such-agent --acp    | the agent ended with exit code 127           | was not found
            sh -c 'kill -9 $$'     | the agent ended with exit code 137 (SIGKILL) | out of memory
            """)
    void whatIsNoAgentIsToldWithItsCause(String command, String finding, String cause) {
        AcpRun run = acp("doctor", "--timeout", "1s", "--", "sh", "-c", "exec " + command)
                .run();

        assertThat(run.exitCode()).as(run.out()).isEqualTo(7);
        assertThat(run.out())
                .contains(finding)
                .contains("    cause: ")
                .contains(cause)
                .contains("    next:  ");
        assertThat(run.out()).contains("─ skipped, because of the above:").endsWith("does not work properly\n");
        assertThat(run.out() + run.err()).doesNotContain("\tat ").doesNotContain("Exception");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aDaemonOfTheAgentIsNamedAndLeftAlone() {
        List<String> agent = new ArrayList<>(
                List.of("sh", "-c", "(setsid sleep 300 </dev/null >/dev/null 2>&1 &); exec \"$@\"", "sh"));
        agent.addAll(AcpRun.java(ScriptedAgent.class));
        List<String> command = new ArrayList<>(List.of("doctor", "--"));
        command.addAll(agent);

        AcpRun run = acp(command.toArray(String[]::new)).run();

        Matcher daemon = Pattern.compile("sleep, pid (\\d+)").matcher(run.out());
        assertThat(run.out()).contains("! end         it ended, and left running in the background: 1");
        assertThat(daemon.find()).isTrue();
        assertThat(ProcessHandle.of(Long.parseLong(daemon.group(1))))
                .get()
                .matches(ProcessHandle::isAlive)
                .matches(ProcessHandle::destroyForcibly);
    }

    @Test
    void anAgentOfVersionTwoIsExplained() {
        String answer =
                "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32022,\"message\":\"Unsupported protocol version: 1\"}}";
        String script =
                "read -r line; id=${line#*\\\"id\\\":}; printf '" + answer + "\\n' \"${id%%[,\\}]*}\"; cat >/dev/null";

        AcpRun prompt = acp("prompt", "hello", "--", "sh", "-c", script).run();
        AcpRun doctor = acp("doctor", "--", "sh", "-c", script).run();

        assertThat(prompt.err())
                .contains("the agent does not speak version 1 of the protocol")
                .contains("Update acp");
        assertThat(doctor.out()).contains("Update acp, or use an older version of the agent.");
    }

    @Test
    void theBuiltInAgentIsWellInVersionTwo() {
        for (String protocol : List.of("2", "auto")) {
            AcpRun run = acp("doctor", "--protocol", protocol).run();

            assertThat(run.exitCode()).as(run.out()).isZero();
            assertThat(run.out())
                    .contains("✓ version     protocol version 2")
                    .contains("offers sessions")
                    .contains("✓ promises    required and advertised methods exist: ");
            assertThat(run.lines()).last().isEqualTo("no problems found: the agent works");
        }
    }

    @Test
    void aTurnOfVersionTwoEndsWhenTheAgentIsIdle() {
        AcpRun whole = acp("doctor", "--protocol", "2", "--prompt", "say hello")
                .agent(testAgent())
                .run();
        AcpRun cancelled = acp("doctor", "--protocol", "2", "--timeout", "2s", "--prompt", "say hello\nwait")
                .agent(testAgent())
                .run();

        assertThat(whole.exitCode()).as(whole.out()).isZero();
        assertThat(whole.out()).containsPattern("✓ prompt      ended with end_turn after \\d+ ms and 1 update");
        assertThat(cancelled.out())
                .contains("✗ prompt      the turn did not end within 2 s")
                .contains("✓ cancel      ended with cancelled after");
    }

    private static String[] testAgent() {
        List<String> command = AcpRun.java(Acp.class);
        return Stream.concat(command.stream(), Stream.of("test-agent", "--protocol", "2"))
                .toArray(String[]::new);
    }

    @Test
    void theVersionThatTheAgentSpeaksIsTestedIfBothMayBe() {
        AcpRun auto = acp("doctor", "--protocol", "auto").with().run();
        AcpRun second = acp("doctor", "--protocol", "2").with().run();

        assertThat(auto.exitCode()).as(auto.out()).isZero();
        assertThat(auto.out()).contains("✓ version     protocol version 1");
        assertThat(second.exitCode()).as(second.out()).isEqualTo(7);
        assertThat(second.out())
                .contains("✗ version     it responded with protocol version 1, not 2")
                .contains("Test the version that it speaks: --protocol 1.");
    }

    @ParameterizedTest
    @CsvSource({"2, ✗ version     it responded with, 7", "auto, ! version     it responded with, 0"})
    void anAgentThatRepeatsVersionTwoIsOneOfVersionOne(String protocol, String finding, int exitCode) {
        AcpRun run = acp("doctor", "--timeout", "5s", "--protocol", protocol, "--", "sh", "-c", ECHOES_VERSION)
                .run();

        assertThat(run.out()).contains(finding + " protocol version 2, and with the capabilities of version 1");
        assertThat(run.exitCode()).as(run.out()).isEqualTo(exitCode);
    }

    @Test
    void whatVersionTwoRequiresOfAnAgentIsTested() {
        AcpRun run = acp("doctor", "--timeout", "1s", "--protocol", "2", "--prompt", "go", "--", "sh", "-c", ILL_IN_TWO)
                .run();

        assertThat(run.exitCode()).as(run.out()).isEqualTo(7);
        assertThat(run.out())
                .contains("✓ version     protocol version 2")
                .contains("✓ agent       ill 1; offers sessions")
                .contains("✗ prompt      the turn did not end within 1 s")
                .contains(
                        "✗ promises    required or advertised, but does not work: session/list is unknown to it (-32601)")
                .contains("session/resume is unknown to it (-32601)");
    }

    @Test
    void aVariableThatAnErrorNamesIsPassedOnByAnOption() {
        String answer =
                "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32603,\"message\":\"MOON_PHASE is not set\"}}";
        String script =
                "read -r line; id=${line#*\\\"id\\\":}; printf '" + answer + "\\n' \"${id%%[,\\}]*}\"; cat >/dev/null";

        AcpRun prompt = acp("prompt", "hello", "--", "sh", "-c", script)
                .env("MOON_PHASE", "full")
                .run();
        AcpRun doctor = acp("doctor", "--", "sh", "-c", script)
                .env("MOON_PHASE", "full")
                .run();

        assertThat(prompt.err()).contains("Pass it on: --env MOON_PHASE");
        assertThat(doctor.out()).contains("Pass it on: --env MOON_PHASE");
    }

    @Test
    void aMissingCommandIsToldWithThePlacesThatWereSearched() {
        AcpRun run = acp("doctor", "--", "no-such-agent", "--acp").run();

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.out())
                .contains("✗ command     command not found: no-such-agent\n    cause: Looked in: /")
                .contains("    next:  Install no-such-agent or give its full path.");
    }

    @Test
    @Tag("TST-04")
    void rulesThatAnAgentBreaksAreNamed() {
        AcpRun run = acp("doctor", "--timeout", "5s", "--", "sh", "-c", ILL.replace("65535", "1"))
                .run();

        assertThat(run.exitCode()).as(run.out()).isEqualTo(7);
        assertThat(run.out())
                .contains("✗ promises    advertised, but does not work: session/load is unknown to it (-32601)")
                .contains("! params      a request with bad params was answered with error -32601, not -32602")
                .contains("    | fs/read_text_file was called, although the client did not offer it")
                .contains("✗ end         it did not end within 5 s of the end of its input, nor")
                .contains("! stdout      text that is not the protocol, a byte order mark at the start, 1 blank line, "
                        + "CR LF at the end of 1 line")
                .contains("    | Welcome")
                .contains("2 problems, 3 warnings");
    }

    @Test
    void anAgentOfAnotherVersionIsToldAndIsNotTriedFurther() {
        AcpRun run = acp("doctor", "--timeout", "5s", "--", "sh", "-c", ILL).run();

        assertThat(run.out())
                .contains("✗ version     it responded with protocol version 65535, not 1")
                .contains("skipped, because of the above: agent, login, session");
    }

    @Test
    void aLoginIsAskedForAndNeverTried() {
        AcpRun run = acp("doctor").with("locked").run();

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.out())
                .contains("✓ login       ways to log in: Sign in with a browser")
                .contains("✗ session     the agent requires a login first")
                .contains("    | browser   Sign in with a browser")
                .contains("acp login METHOD -- ");
    }

    @Test
    void oneObjectALineForPrograms() {
        AcpRun run = acp("doctor", "--json", "--timeout", "1s", "--", "sh", "-c", "echo no moon >&2; exit 3")
                .run();

        List<JsonObject> lines = run.lines().stream()
                .map(line -> (JsonObject) RawJson.parse(line).value())
                .toList();
        assertThat(lines).hasSize(Doctor.STEPS.size() + 1);
        assertThat(run.lines().get(2))
                .startsWith(
                        "{\"type\":\"step\",\"step\":\"initialize\",\"status\":\"problem\",\"finding\":\"the agent ended with"
                                + " exit code 3\",\"cause\":\"The agent ended with an error; its last line was \\\"no moon\\\".\",\"next\":")
                .contains("\"evidence\":[\"last lines of standard error:\",\"| no moon\"],\"millis\":");
        assertThat(run.lines().get(3)).contains("\"status\":\"skipped\"");
        assertThat(run.lines())
                .last()
                .isEqualTo(
                        "{\"type\":\"summary\",\"status\":\"problem\",\"problems\":1,\"warnings\":0,\"exitCode\":7}");
        assertThat(run.exitCode()).isEqualTo(7);
    }

    @Test
    void secretsAreNotShown() {
        AcpRun run = acp(
                        "doctor",
                        "--env",
                        "MY_TOKEN=hunter2hunter2",
                        "--",
                        "sh",
                        "-c",
                        """
                        echo "bad token $MY_TOKEN"; echo "bad token $MY_TOKEN and sk-abcdefghijklmnopqrst" >&2; exit 1
                        """,
                        "sh",
                        "--api-key",
                        "swordfish")
                .run();

        assertThat(run.out()).contains("| bad token *** and ***").contains("| bad token ***\n");
        assertThat(run.out() + run.err())
                .doesNotContain("hunter2")
                .doesNotContain("swordfish")
                .doesNotContain("sk-a");
    }

    @Test
    @Tag("MCX-30")
    void anAgentThatConnectsServersOfEachKindIsSeenToDoSo() {
        AcpRun run = acp("doctor", "--mcp")
                .agent(AcpRun.java(ConnectingAgent.class).toArray(String[]::new))
                .run();

        assertThat(run.out())
                .containsPattern(
                        "✓ mcp-stdio   connected after \\d+ ms, (before|after) it answered session/new, with MCP "
                                + "2025-11-25 \\(a\\s+handshake\\); listed the tools after \\d+ ms")
                .containsPattern(
                        "✓ mcp-http    connected after \\d+ ms, (before|after) it answered session/new, with MCP "
                                + "2026-07-28; listed the tools after \\d+ ms")
                .containsPattern(
                        "✓ mcp-acp     connected after \\d+ ms, (before|after) it answered session/new, with MCP "
                                + "2026-07-28; listed the tools after \\d+ ms")
                .contains("✓ rules       all messages were valid");
        assertThat(run.exitCode()).as(run.out()).isZero();
    }

    @Test
    @Tag("MCX-30")
    @Tag("MCX-33")
    void anAgentThatDoesNotComeIsReportedAndWhetherThatIsCertain() {
        AcpRun unasked = acp("doctor", "--mcp", "--json", "--timeout", "3s", "--", "sh", "-c", IGNORES_SERVERS)
                .run();
        AcpRun asked = acp("doctor", "--mcp", "--timeout", "3s", "--prompt", "go", "--", "sh", "-c", IGNORES_SERVERS)
                .run();

        assertThat(unasked.lines())
                .anyMatch(line -> line.startsWith("{\"type\":\"step\",\"step\":\"mcp-stdio\",\"status\":\"warning\","
                                + "\"finding\":\"the agent did not connect to it within 3 s\",")
                        && line.contains("--prompt TEXT")
                        && line.endsWith(",\"mcp\":{\"connected\":false,\"listedTools\":false}}"))
                .anyMatch(line -> line.startsWith("{\"type\":\"step\",\"step\":\"mcp-acp\",\"status\":\"skipped\","));
        assertThat(asked.out())
                .contains("✗ mcp-stdio   the agent did not connect to it within 3 s")
                .contains("─ mcp-http    it does not offer to connect such servers; a bridge relays one by a program")
                .contains("─ mcp-acp     it does not offer to connect such servers; a bridge serves one by a program");
        assertThat(asked.exitCode()).isEqualTo(7);
    }

    @Test
    @Tag("MCX-30")
    void anAgentThatRefusesSessionsWithServersIsTestedFurtherWithoutThem() {
        String refuses = """
                while read -r line; do
                  id=${line#*'"id":'}; id=${id%%[,\\}]*}
                  case "$line" in
                    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":1}}';;
                    *'"mcpServers":[]'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"sessionId":"s"}}';;
                    *'"session/new"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32602,"message":"No servers"}}';;
                    *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"Method not found"}}';;
                  esac
                done
                """;
        AcpRun run = acp("doctor", "--mcp", "--timeout", "5s", "--", "sh", "-c", refuses)
                .run();

        assertThat(run.out())
                .containsPattern("✗ session     opened after \\d+ ms; with MCP servers it was refused")
                .contains("─ mcp-stdio   the session was refused with servers")
                .contains("✓ settings");
    }

    @Test
    void aProgramThatMayNotBeRunIsToldWithTheRemedy() throws Exception {
        Path file = Files.createFile(
                folder.resolve("agent"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));

        AcpRun run = acp("doctor", "--", file.toString()).run();

        assertThat(run.out())
                .contains("✗ command     cannot run " + file + ": " + file + " is not executable")
                .contains("    next:  Make it executable: chmod +x " + file);
    }

    @Test
    void aFolderOutsideTheUsualPathIsAWarning() throws Exception {
        Path file = Files.createFile(
                folder.resolve("my-agent"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Files.writeString(file, "#!/bin/sh\nexec cat\n");

        AcpRun run = acp("doctor", "--", "my-agent")
                .env("PATH", folder + ":/usr/bin:/bin")
                .run();

        assertThat(run.out())
                .contains("! command     " + file + ", a script for /bin/sh")
                .contains("give the editor the full path: " + file);
    }

    @Test
    void whatIsSaidCanBeRecorded() throws Exception {
        Path trace = folder.resolve("trace.jsonl");

        AcpRun run = acp("doctor", "--trace", trace.toString()).with().run();

        assertThat(run.exitCode()).as(run.out()).isZero();
        assertThat(trace).content().contains("_acp_doctor/unknown").contains("session/new");
    }

    @Test
    void aWrongCommandLineIsToldAsElsewhere() {
        assertThat(acp("doctor", "no-such-agent").run().err())
                .startsWith("acp: the agent no-such-agent is not installed")
                .contains("the command of an agent goes after --");
        assertThat(acp("doctor", "--cwd", "/no/such/folder").run().exitCode()).isEqualTo(2);
    }
}
