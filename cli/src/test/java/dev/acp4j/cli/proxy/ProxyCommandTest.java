package dev.acp4j.cli.proxy;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ProxyCommandTest {
    @Test
    @Tag("RMP-01")
    void withoutANameAllAreListedWithTheirOptionsAndWhatTheyNeverDo() {
        AcpRun run = acp("proxy").run();

        assertThat(run.exitCode()).as(run.err()).isZero();
        for (ReadyProxy proxy : ReadyProxy.values()) {
            assertThat(run.out().lines()).anySatisfy(line -> assertThat(line).startsWith(proxy.id() + ": "));
        }
        assertThat(run.out().lines().filter(line -> line.startsWith("    never ")))
                .hasSize(ReadyProxy.values().length);
        assertThat(run.out()).contains("    file=FILE                the file; required");
    }

    @Test
    void outputThatCannotBeWrittenIsAnExitCode(@TempDir Path folder) throws Exception {
        AcpRun run = acp("proxy", "log", "file=" + folder.resolve("log"))
                .input(
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"proxy/initialize\",\"params\":{\"protocolVersion\":1}}\n")
                .redirected(">/dev/full")
                .run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(6);
        assertThat(run.err()).contains("No space left on device");
    }

    @Test
    void mistakesAreNamed() {
        assertThat(misuse("lgo")).contains("there is no proxy lgo, but log, ").contains("Did you mean log?");
        assertThat(misuse("log")).contains("the proxy log needs a file: file=FILE");
        assertThat(misuse("log", "file")).contains("expects a value: file=...");
        assertThat(misuse("log", "file=/no/such/folder/log")).contains("cannot be opened: ");
        assertThat(misuse("policy", "allow=reed")).contains("expected a kind that is known, got reed");
        assertThat(misuse("policy", "deny=delte"))
                .contains("expected a kind that is known, got delte; there are read, ");
        assertThat(misuse("redact", "all=yes")).contains("the proxy redact has no option all.");
        assertThat(misuse("budget")).contains("needs a limit: turns=N");
        assertThat(misuse("budget", "cost=much")).contains("expected a number, got cost=much");
        assertThat(misuse("budget", "turns=0")).contains("expected more than 0 turns");
        assertThat(misuse("paths")).contains("needs folders: map=CLIENT=AGENT,...");
        assertThat(misuse("paths", "map=/a")).contains("expects map=CLIENT=AGENT, got /a");
        assertThat(misuse("paths", "map=/a=b")).contains("expected an absolute folder, got b");
        assertThat(misuse("mcp", "config=/no/such/file")).contains("the proxy mcp cannot be opened: ");
        assertThat(misuse("lsp")).contains("the proxy lsp needs servers: server=LANGUAGE=COMMAND,... or config=FILE");
        assertThat(misuse("lsp", "server=python")).contains("expects server=LANGUAGE=COMMAND, got python");
        assertThat(misuse("lsp", "server=pyton=pylsp"))
                .contains("the language \"pyton\" are not known; known are bash,");
        assertThat(misuse("lsp", "server=python=no-such-server"))
                .contains("the proxy lsp cannot be opened: command not found: no-such-server");
        assertThat(misuse("record", "new-sessions=maybe")).contains("expects new-sessions=no or new-sessions=yes");
        assertThat(misuse("watchdog")).contains("needs a time: silence=TIME");
        assertThat(misuse("watchdog", "turn=long")).contains("expects a time such as 90s, 5m or 1h, got turn=long");
        assertThat(misuse("skills")).contains("needs folders=FOLDER,... or project=SUBFOLDER,...");
        assertThat(misuse("skills", "project=../skills")).contains("expected a folder below that of the session");
        assertThat(misuse("commands")).contains("needs folders=FOLDER,... or project=SUBFOLDER,...");
        assertThat(misuse("commands", "project=/etc")).contains("expected a folder below that of the session");
        assertThat(misuse("hooks", "time=5s")).contains("needs a command: prompt=COMMAND");
        assertThat(misuse("hooks", "prompt=")).contains("expects a command: prompt=COMMAND");
        assertThat(misuse("trust", "/no/such/file")).contains("cannot read /no/such/file");
        assertThat(misuse("log", "file=a", "file=b")).contains("has the option file twice");
        assertThat(misuse("ask")).contains("needs an agent: agent=NAME=COMMAND");
        assertThat(misuse("both", "agent=codex-acp")).contains("expects agent=NAME=COMMAND, got codex-acp");
        assertThat(misuse("both", "agent=a=one", "agent=a=two")).contains("there are two agents a");
        assertThat(misuse("ask", "agent=a=one", "depth=0")).contains("expected a depth from 1 to 8, got 0");
        assertThat(misuse("dialects", "adapt=model"))
                .contains("adapts terminals, models and steering, got adapt=model");
        assertThat(misuse("tools", "deny=a", "on-use=stop")).contains("expects on-use=warn or on-use=cancel, got stop");
    }

    @Test
    @Tag("RMP-26")
    void languageServersThatAFileOfARepositoryNamesAreNotStarted(@TempDir Path folder) throws Exception {
        Files.createDirectory(folder.resolve(".git"));
        Path file = Files.writeString(folder.resolve("lsp.json"), "{\"languageServers\":{\"c\":{\"command\":\"sh\"}}}");

        assertThat(misuse("lsp", "config=" + file))
                .contains("the proxy lsp starts nothing that a file of a repository names: ")
                .contains("Move it to a folder of your own");
    }

    @Test
    @Tag("RMP-08")
    void namesInAListMayHaveSpacesBetweenThemAndNoneIsEmpty() {
        List<String> known = List.of("deny");
        assertThat(new ProxyOptions("tools", known, List.of("deny=bash, write_file ,x y")).list("deny"))
                .containsExactly("bash", "write_file", "x y");
        assertThat(misuse("tools", "deny=a,")).contains("the proxy tools has an empty item in deny=a,");
        assertThat(misuse("policy", "deny-tools=a,,b")).contains("has an empty item in deny-tools=a,,b");
        // Named twice is named.
        assertThat(ReadyProxy.TOOLS.open(List.of("deny=a,a"), sentence -> {}, opened -> {}))
                .isNotNull();
    }

    private static String misuse(String... args) {
        String[] all = new String[args.length + 1];
        all[0] = "proxy";
        System.arraycopy(args, 0, all, 1, args.length);
        AcpRun run = acp(all).run();
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).doesNotContain("\tat ");
        return run.err();
    }
}
