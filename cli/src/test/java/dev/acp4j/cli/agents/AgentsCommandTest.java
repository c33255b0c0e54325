package dev.acp4j.cli.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.TerminalRun;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agents by name, from the index to the prompt, as a person types it. */
@Timeout(300)
class AgentsCommandTest {
    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private AgentShelf shelf;

    @BeforeEach
    void start() throws Exception {
        shelf = new AgentShelf(folder);
        shelf.agent("alpha", "1.0.0", "maker", true);
    }

    @AfterEach
    void stop() {
        shelf.close();
    }

    private AcpRun ok(String... args) {
        AcpRun run = shelf.acp(args).run();
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }

    private static void failed(AcpRun run, int code, String... texts) {
        assertThat(run.exitCode()).as(run.err()).isEqualTo(code);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(texts);
    }

    @Test
    @Tag("REG-12")
    @Tag("REG-25")
    @Tag("REG-30")
    @Tag("REG-31")
    @Tag("REG-35")
    @Tag("REG-41")
    void anAgentIsAddedShownPromptedVerifiedAndRemoved() throws Exception {
        assertThat(ok("agents", "verify").err()).isEqualTo("No agent is installed.\n");
        AcpRun added = ok("agents", "add", "--json", "alpha");
        assertThat(added.lines()).allMatch(line -> line.startsWith("{\"event\":\""));
        assertThat(added.out())
                .contains("\"event\":\"bytes\",\"file\":\"1.0.0\"", "\"event\":\"installed\",\"id\":\"alpha\"");

        assertThat(ok("agents", "list", "--json").out())
                .contains("\"id\":\"alpha\"", "\"installed\":[\"1.0.0\"]", "\"pinned\":\"1.0.0\"");
        assertThat(ok("agents", "info", "al").out())
                .contains(
                        "license       MIT", "sha256 ", "command       ", "/alpha", "logins        id key, name A key");
        assertThat(ok("prompt", "alpha", "hi").out()).contains("I am 1.0.0");

        assertThat(ok("agents", "verify").out()).isEqualTo("alpha 1.0.0: unchanged\n");
        try (Stream<Path> files = Files.walk(folder.resolve("me/data"))) {
            Path program = files.filter(file -> file.endsWith("tree/alpha"))
                    .findFirst()
                    .orElseThrow();
            Files.writeString(program, "#!/bin/sh\n");
        }
        AcpRun changed = shelf.acp("agents", "verify").run();
        assertThat(changed.exitCode()).isEqualTo(7);
        assertThat(changed.out()).contains("changed: alpha");

        assertThat(ok("agents", "remove", "alpha").out()).contains("alpha is removed; ", " freed");
        failed(shelf.acp("run", "alpha").run(), 1, "acp agents add alpha");
    }

    @Test
    @Tag("REG-12")
    void agentsAreSearchedByWordsAndChosenByKindLicenceAndCapability() throws Exception {
        shelf.agent("beta", "2.0.0", "maker", true);
        ok("agents", "add", "-q", "alpha");

        assertThat(ok("agents", "search", "AN", "et").out())
                .startsWith("beta  2.0.0  binary")
                .hasLineCount(1);
        assertThat(ok("agents", "search", "gamma").out()).isEmpty();
        assertThat(ok("agents", "list", "--via", "binary", "--license", "mit").lines())
                .hasSize(2);
        assertThat(ok("agents", "list", "--via", "npx").out()).isEmpty();
        assertThat(ok("agents", "list", "--license", "Apache-2.0").out()).isEmpty();
        assertThat(ok("agents", "list", "--can", "promptCapabilities.image").out())
                .startsWith("alpha  1.0.0")
                .hasLineCount(1);
        assertThat(ok("agents", "list", "--can", "loadSession").out()).isEmpty();
        assertThat(ok("agents", "search", "--installed", "--json", "an agent").lines())
                .singleElement()
                .asString()
                .contains("\"id\":\"alpha\"");
    }

    @Test
    @Tag("REG-06")
    @Tag("REG-12")
    @Tag("REG-25")
    void whatIsInstalledIsListedWithoutAnIndexAndADamagedOneIsNamed() throws Exception {
        shelf.agent("beta", "2.0.0", "maker", true);
        ok("agents", "add", "-q", "alpha", "beta");
        Path damaged;
        try (Stream<Path> files = Files.walk(folder.resolve("me/data/acp/agents/beta"))) {
            damaged = files.filter(file -> Files.exists(file.resolve("receipt.json")))
                    .findFirst()
                    .orElseThrow();
        }
        Files.write(damaged.resolve("receipt.json"), new byte[] {'{', (byte) 0xff});
        String missing = folder.resolve("missing.json").toString();

        AcpRun installed = ok("agents", "list", "--installed", "--index", missing);
        assertThat(installed.out()).startsWith("alpha  1.0.0  binary").hasLineCount(1);
        assertThat(installed.err()).contains("there is no index " + missing, damaged.toString());
        AcpRun all = shelf.acp("agents", "list", "--json", "--index", missing).run();
        assertThat(all.exitCode()).isEqualTo(1);
        assertThat(all.out()).contains("\"id\":\"alpha\"", "\"installed\":[\"1.0.0\"]", "\"pinned\":\"1.0.0\"");

        assertThat(ok("prompt", "alpha", "hi").out()).contains("I am 1.0.0");
        AcpRun verified = shelf.acp("agents", "verify").run();
        assertThat(verified.exitCode()).isEqualTo(7);
        assertThat(verified.out()).contains("alpha 1.0.0: unchanged\n", damaged + ": no receipt that can be read\n");
        ok("agents", "remove", "alpha");
    }

    @Test
    @Tag("REG-10")
    void aMirrorServesAMachineWithoutANetwork() throws Exception {
        Path mirror = folder.resolve("mirror");
        assertThat(ok("agents", "mirror", mirror.toString(), "--platform", "linux-x86_64,linux-aarch64", "alpha")
                        .out())
                .isEqualTo("alpha 1.0.0\n");
        failed(
                shelf.acp("agents", "mirror", mirror.toString(), "--platform", "beos")
                        .run(),
                2,
                "no platform beos");
        shelf.requests().clear();

        AcpRun added = shelf.acpOf("other", "agents", "add", "-q", "--offline", "--index", mirror.toString(), "alpha")
                .run();
        assertThat(added.exitCode()).as(added.err()).isZero();
        assertThat(shelf.acpOf("other", "prompt", "alpha", "hi").run().out()).contains("I am 1.0.0");
        assertThat(shelf.requests()).isEmpty();
    }

    @Test
    @Tag("REG-29")
    @Tag("REG-31")
    void runPassesBytesArgumentsAndTheExitCodeAndEndsItsAgent() throws Exception {
        ok("agents", "add", "-q", "alpha");

        AcpRun run = shelf.acp("run", "alpha", "--", "cat").input("one\ntwo").run();
        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.out()).isEqualTo("one\ntwo");
        assertThat(run.err()).isEmpty();

        Process acp = shelf.acp("run", "alpha").start();
        acp.getOutputStream()
                .write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n".getBytes(StandardCharsets.UTF_8));
        acp.getOutputStream().flush();
        assertThat(acp.inputReader().readLine()).contains("\"protocolVersion\":1");
        List<ProcessHandle> agent = acp.descendants().toList();
        assertThat(agent).isNotEmpty();
        acp.destroy();
        assertThat(acp.waitFor(60, TimeUnit.SECONDS)).isTrue();
        for (ProcessHandle each : agent) {
            assertThat(each.onExit().get(60, TimeUnit.SECONDS).isAlive()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "prompt NAME hi|''|0|I am 1.0.0",
                "prompt --agent NAME hi|''|0|I am 1.0.0",
                "prompt NAME -|hi|0|I am 1.0.0",
                "prompt NAME@1.0.0 hi|''|0|I am 1.0.0",
                "prompt -p system-prompt:text=Hi NAME hi|''|0|I am 1.0.0",
                "chat NAME|hi|0|I am 1.0.0",
                "doctor NAME|''|0|alpha",
                "trace -q -o NOWHERE NAME|INITIALIZE|0|\"protocolVersion\":1",
                "serve --check NAME|''|0|the configuration is valid",
                "conduct NAME|INITIALIZE|0|\"protocolVersion\":1",
                "translate --to auto NAME|INITIALIZE|0|\"protocolVersion\":1",
                "models NAME|''|8|this agent offers no models",
                "login --agent NAME|''|0|key  A key",
                "logout --agent NAME|''|8|not offer",
                "sessions --agent NAME|''|8|not offer",
            })
    @Tag("REG-31")
    @Tag("PRC-20")
    void eachCommandStartsAnAgentByItsName(String line, String input, int code, String text) {
        ok("agents", "add", "-q", "alpha");
        String initialize = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
                + "{\"protocolVersion\":1,\"clientCapabilities\":{}}}";
        String words = line.replace("NOWHERE", folder.resolve("trace.jsonl").toString());

        AcpRun run = shelf.acp(words.replace("NAME", "alpha").split(" "))
                .input(input.replace("INITIALIZE", initialize) + "\n")
                .run();
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(code);
        assertThat(run.out() + run.err()).contains(text);
    }

    @Test
    @Tag("REG-11")
    @Tag("REG-18")
    @Tag("REG-32")
    void withoutATerminalNothingIsInstalledUnasked() throws Exception {
        shelf.agent("beta", "2.0.0", "maker", false);
        shelf.agent("beta-next", "3.0.0", "maker", true);

        failed(shelf.acp("prompt", "alpha", "hi").run(), 1, "acp agents add alpha");
        failed(shelf.acp("prompt", "hello", "world").run(), 1, "the agent hello is not installed", "goes in quotes");
        failed(shelf.acp("chat", "alpah").run(), 1, "the agent alpah is not installed", "goes after --");
        failed(shelf.acp("trace", "shwo").run(), 1, "the agent shwo is not installed", "Did you mean show?");
        failed(shelf.acp("agents", "add", "beta").run(), 1, "--allow-unverified");
        failed(shelf.acp("agents", "add", "alhpa").run(), 2, "there is no agent alhpa", "Did you mean alpha?");
        failed(shelf.acp("agents", "add", "bet").run(), 2, "several agents begin with bet: beta, beta-next");
        failed(shelf.acp("chat", "--agent", "alpha", "--", "cat").run(), 2, "cannot be combined");
        failed(shelf.acp("chat", "alpha", "--", "cat").run(), 2, "cannot be combined");
        failed(shelf.acp("chat", "--agent", "alpha", "alpha").run(), 2, "cannot be combined");
        assertThat(shelf.requests()).isEmpty();

        assertThat(ok("agents", "add", "--allow-unverified", "beta").out())
                .contains("beta 2.0.0 is installed, and pinned in ");
    }

    @Test
    @Tag("REG-30")
    @Tag("REG-32")
    void atATerminalAMissingAgentIsOfferedWithWhatItIs() throws Exception {
        try (TerminalRun run = shelf.terminal("prompt", "alpha", "hi")) {
            run.await("Install alpha 1.0.0")
                    .await("SHA-256")
                    .await("licence MIT")
                    .await("[y/N]")
                    .press("y\r");
            run.await("I am 1.0.0");
            assertThat(run.end()).isZero();
        }
        try (TerminalRun run = shelf.terminal("agents", "add", "alpha")) {
            run.await("alpha 1.0.0 is installed");
            assertThat(run.end()).isZero();
        }
    }

    @Test
    @Tag("REG-16")
    @Tag("REG-30")
    void ctrlCDuringADownloadLeavesNothingAndTheNextOneIsWhole() throws Exception {
        shelf.stall("/maker/alpha/1.0.0");
        try (TerminalRun run = shelf.terminal("agents", "add", "alpha")) {
            run.await("░░░░░░░░░░░░░░░░░░░░  1.0.0  0 B of ").press("\003");
            assertThat(run.end()).isEqualTo(130);
        }
        failed(shelf.acp("run", "alpha").run(), 1, "acp agents add alpha");

        try (TerminalRun run = shelf.terminal("agents", "add", "alpha")) {
            run.await("████████████████████  1.0.0  ")
                    .await(" B of ")
                    .await("B/s, 0 s left")
                    .await("alpha 1.0.0 is installed");
            assertThat(run.end()).isZero();
        }
        assertThat(ok("agents", "verify").out()).isEqualTo("alpha 1.0.0: unchanged\n");
        try (Stream<Path> left = Files.list(folder.resolve("me/data/acp/agents/.work"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    @Tag("REG-36")
    @Tag("REG-37")
    @Tag("REG-38")
    void aLockInstallsTheSameElsewhereAndNothingElse() throws Exception {
        Path project = folder.resolve("project");
        Files.createDirectories(project.resolve(".git"));
        shelf.agent("beta", "2.0.0", "maker", true);
        AcpRun locked = shelf.acp("agents", "lock", "--all-platforms", "alpha")
                .in(project)
                .run();
        assertThat(locked.exitCode()).as(locked.err()).isZero();
        String lock = Files.readString(project.resolve("acp.lock"));
        assertThat(lock)
                .contains("\"darwin-aarch64\"", "\"linux-aarch64\"", "\"linux-x86_64\"")
                .doesNotContain(folder.toString());

        // The index has gone on; another machine has the lock alone.
        shelf.agent("alpha", "9.0.0", "maker", true);
        AcpRun added =
                shelf.acpOf("ci", "agents", "add", "--frozen").in(project).run();
        assertThat(added.exitCode()).as(added.err()).isZero();
        AcpRun beta = shelf.acpOf("ci", "agents", "add", "--frozen", "beta")
                .in(project)
                .run();
        failed(beta, 1, "--frozen installs nothing else");
        AcpRun prompt = shelf.acpOf("ci", "prompt", "--agent", "alpha", "hi")
                .in(project)
                .run();
        assertThat(prompt.out()).contains("I am 1.0.0");
        assertThat(project.resolve("acp.lock")).hasContent(lock);
    }

    @Test
    @Tag("REG-39")
    @Tag("REG-40")
    void anUpdateShowsWhatChangesAndAnotherHostIsAskedForAlways() throws Exception {
        ok("agents", "add", "alpha");
        shelf.agent("alpha", "1.1.0", "maker", true);
        failed(shelf.acp("prompt", "--agent", "alpha@1.1.0", "hi").run(), 1, "alpha 1.1.0 is not installed");
        assertThat(ok("agents", "update", "--yes").out())
                .contains(
                        "version 1.0.0 -> 1.1.0",
                        "from 127.0.0.1/maker/alpha\n",
                        "alpha 1.1.0 is installed and pinned");

        shelf.agent("alpha", "1.2.0", "stranger", true);
        AcpRun moved = shelf.acp("agents", "update", "--yes", "alpha").run();
        assertThat(moved.exitCode()).isEqualTo(1);
        assertThat(moved.out()).contains("from 127.0.0.1/maker/alpha -> 127.0.0.1/stranger/alpha");
        assertThat(moved.err()).contains("asked for at a terminal only", "acp agents update --allow-other-host alpha");

        shelf.withdraw("alpha");
        shelf.agent("omega", "1.2.0", "maker", true);
        failed(
                shelf.acp("agents", "update").run(),
                1,
                "alpha is not in the index any more",
                "omega has the same repository");

        assertThat(ok("agents", "rollback", "alpha").out()).isEqualTo("alpha 1.0.0 is pinned\n");
        assertThat(ok("prompt", "--agent", "alpha", "hi").out()).contains("I am 1.0.0");
    }

    @Test
    @Tag("REG-36")
    @Tag("REG-39")
    void aLockGoesOnBehindAnAgentThatFailsAndAsksForAnotherHost() throws Exception {
        Path project = Files.createDirectories(folder.resolve("project"));
        Files.createDirectories(project.resolve(".git"));
        ok("agents", "add", "-q", "alpha");
        shelf.agent("alpha", "1.1.0", "stranger", true);
        shelf.agent("beta", "2.0.0", "maker", true);

        AcpRun both =
                shelf.acp("agents", "lock", "alpha@1.1.0", "beta").in(project).run();
        assertThat(both.exitCode()).isEqualTo(1);
        assertThat(both.err())
                .contains(
                        "alpha@1.1.0: alpha came from 127.0.0.1/maker/alpha and would come from 127.0.0.1/stranger/alpha",
                        "acp agents lock --allow-other-host alpha");
        assertThat(both.out()).endsWith(": beta\n");
        assertThat(project.resolve("acp.lock")).content().contains("\"beta\"").doesNotContain("\"alpha\"");

        AcpRun accepted = shelf.acp("agents", "lock", "--allow-other-host", "alpha@1.1.0")
                .in(project)
                .run();
        assertThat(accepted.exitCode()).as(accepted.err()).isZero();
        assertThat(project.resolve("acp.lock")).content().contains("\"alpha\"");
    }

    @Test
    @Tag("REG-37")
    @Tag("REG-38")
    void aPinWithoutThisPlatformStaysUntilAnUpdateAddsIt() throws Exception {
        Path project = folder.resolve("project");
        Files.createDirectories(project.resolve(".git"));
        String digest = "0".repeat(64);
        String archive = shelf.url().replace("index.json", "maker/alpha/1.0.0");
        Path lock = Files.writeString(
                project.resolve("acp.lock"),
                "{\"lockVersion\":1,\"agents\":{\"alpha\":{\"version\":\"1.0.0\",\"source\":\"file:index.json\","
                        + "\"distribution\":{\"binary\":{\"darwin-aarch64\":{\"archive\":\"" + archive
                        + "\",\"cmd\":\"./alpha\",\"sha256\":\"" + digest + "\"}}}}}}");
        String pinned = Files.readString(lock);

        failed(
                shelf.acp("agents", "add", "--frozen", "alpha").in(project).run(),
                1,
                "alpha 1.0.0 is pinned, but not for linux-",
                "acp agents update alpha");
        assertThat(lock).hasContent(pinned);

        AcpRun updated =
                shelf.acp("agents", "update", "--yes", "alpha").in(project).run();
        assertThat(updated.out()).as(updated.err()).contains("platforms darwin-aarch64 -> ", "1.0.0 is installed");
        assertThat(lock).content().contains("darwin-aarch64", "linux-", digest);
    }

    @Test
    @Tag("REG-36")
    @Tag("REG-39")
    void anUpdateGoesIntoTheLockThatHasTheAgent() throws Exception {
        ok("agents", "add", "-q", "alpha");
        shelf.agent("alpha", "1.1.0", "maker", true);
        Path project = folder.resolve("project");
        Files.createDirectories(project.resolve(".git"));
        Path lock = Files.writeString(project.resolve("acp.lock"), "{\"lockVersion\":1}");

        AcpRun updated =
                shelf.acp("agents", "update", "--yes", "alpha").in(project).run();

        assertThat(updated.out()).as(updated.err()).contains("alpha 1.1.0 is installed and pinned");
        assertThat(lock).hasContent("{\"lockVersion\":1}");
        assertThat(ok("prompt", "alpha", "hi").out()).contains("I am 1.1.0");
    }

    @Test
    @Tag("REG-34")
    @Tag("REG-39")
    void anotherHostIsAskedForAtATerminalWithTheKeysThatItWouldGet() throws Exception {
        ok("agents", "add", "-q", "alpha");
        assertThat(ok("agents", "set", "--json", "alpha", "AGENT_KEY", "--command", "echo k3y")
                        .out())
                .isEqualTo("{\"event\":\"set\",\"id\":\"alpha\",\"name\":\"AGENT_KEY\"}\n");
        shelf.agent("alpha", "1.1.0", "stranger", true);
        AcpRun unattended = shelf.acp("agents", "update", "--yes", "alpha").run();
        assertThat(unattended.exitCode()).isEqualTo(1);
        assertThat(unattended.err()).contains("It would get AGENT_KEY, which 'acp agents set' keeps");

        try (TerminalRun run = shelf.terminal("agents", "update", "--yes", "alpha")) {
            run.await("would come from")
                    .await("Is that meant? [y/N]")
                    .press("n\r")
                    .await("nothing was installed");
            assertThat(run.end()).isEqualTo(1);
        }
        assertThat(ok("prompt", "alpha", "hi").out()).contains("I am 1.0.0");
        try (TerminalRun run = shelf.terminal("agents", "update", "alpha")) {
            run.await("Is that meant? [y/N]")
                    .press("y\r")
                    .await("Install alpha 1.1.0")
                    .await("[y/N]")
                    .press("y\r")
                    .await("alpha 1.1.0 is installed and pinned");
            assertThat(run.end()).isZero();
        }
        shelf.agent("alpha", "1.2.0", "maker", true);
        ok("agents", "update", "--yes", "--allow-other-host", "alpha");
        assertThat(shelf.acp("run", "alpha", "--", "key").run().out()).isEqualTo("k3y\n");
        assertThat(ok("agents", "remove", "alpha").out()).contains("; forgotten: AGENT_KEY\n");
    }

    @Test
    @Tag("REG-34")
    @Tag("REG-39")
    void aLockOfAProjectIsNamedAndAnotherHostInItIsAskedFor() throws Exception {
        Path project = folder.resolve("project");
        Files.createDirectories(project.resolve(".git"));
        shelf.agent("alpha", "1.1.0", "stranger", true);
        AcpRun locked = shelf.acpOf("other", "agents", "lock", "-q", "alpha")
                .in(project)
                .run();
        assertThat(locked.exitCode()).as(locked.err()).isZero();
        shelf.agent("alpha", "1.0.0", "maker", true);
        ok("agents", "add", "-q", "alpha");
        ok("agents", "set", "alpha", "AGENT_KEY", "--command", "echo k3y");
        String lock = project.resolve("acp.lock").toString();
        String fact = "alpha came from 127.0.0.1/maker/alpha and would come from 127.0.0.1/stranger/alpha."
                + " It would get AGENT_KEY, which 'acp agents set' keeps";

        failed(
                shelf.acp("agents", "add", "alpha").in(project).run(),
                1,
                "alpha 1.1.0 is pinned in " + lock,
                fact,
                "acp agents add --allow-other-host alpha");
        Map<String, String> inProject = new HashMap<>(shelf.environment("me"));
        inProject.put("JDK_JAVA_OPTIONS", "-Duser.dir=" + project);
        try (TerminalRun run = TerminalRun.alone(folder, inProject, "prompt", "alpha", "hi")) {
            run.await("alpha 1.1.0 is pinned in ")
                    .await("Is that meant? [y/N]")
                    .press("n\r")
                    .await("nothing was installed");
            assertThat(run.end()).isEqualTo(1);
        }
        AcpRun allowed = shelf.acp("agents", "add", "--allow-other-host", "alpha")
                .in(project)
                .run();
        assertThat(allowed.exitCode()).as(allowed.err()).isZero();
    }

    @Test
    @Tag("REG-39")
    void aVersionInAnAddressIsNoOtherHost() throws Exception {
        shelf.agent("alpha", "1.0.0", "maker/v1.0", true);
        ok("agents", "add", "-q", "alpha");

        shelf.agent("alpha", "1.1.0", "maker/v1.1", true);
        assertThat(ok("agents", "update", "--yes").out()).contains("from 127.0.0.1/maker\n", "1.1.0 is installed");
        shelf.agent("alpha", "1.2.0", "maker/20261128", true);
        assertThat(ok("agents", "update", "--yes").out()).contains("from 127.0.0.1/maker\n", "1.2.0 is installed");
    }

    @Test
    @Tag("REG-39")
    @Tag("REG-40")
    void aLowerVersionIsNotOfferedUnaskedAndRollbackReturns() throws Exception {
        shelf.agent("alpha", "1.1.0", "maker", true);
        ok("agents", "add", "-q", "alpha");
        shelf.agent("alpha", "1.0.0", "maker", true);

        assertThat(ok("agents", "update", "--yes").out())
                .contains("the lower version 1.0.0", "acp agents update --allow-lower alpha");
        assertThat(ok("prompt", "alpha", "hi").out()).contains("I am 1.1.0");

        ok("agents", "update", "--yes", "--allow-lower", "alpha");
        assertThat(ok("prompt", "alpha", "hi").out()).contains("I am 1.0.0");
        assertThat(ok("agents", "rollback", "alpha@1.1.0").out()).isEqualTo("alpha 1.1.0 is pinned\n");
        assertThat(ok("prompt", "alpha", "hi").out()).contains("I am 1.1.0");
    }

    @Test
    @Tag("REG-35")
    void theLoginsOfTheLastStartAreShown() {
        ok("agents", "add", "-q", "--no-start", "alpha");
        assertThat(ok("agents", "info", "alpha").out()).doesNotContain("A key");

        ok("prompt", "alpha", "hi");

        assertThat(ok("agents", "info", "alpha").out()).contains("logins        id key, name A key");
    }

    @Test
    @Tag("REG-35")
    void theLoginsOfAnAgentThatWasExaminedAreShown() {
        ok("agents", "add", "-q", "--no-start", "alpha");

        AcpRun examined = shelf.acp("doctor", "alpha").run();

        assertThat(examined.out()).contains("initialize");
        assertThat(ok("agents", "info", "alpha").out()).contains("logins        id key, name A key");
    }

    @Test
    @Tag("REG-31")
    void aSigintEndsRunUnlessATerminalHasSentItToTheAgentToo() throws Exception {
        ok("agents", "add", "-q", "alpha");
        List<String> command = new ArrayList<>(List.of("setsid", "env", "--default-signal=INT"));
        command.addAll(AcpRun.java(Acp.class));
        command.addAll(List.of("run", "alpha", "--", "stay"));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(shelf.environment("me"));
        Process acp = builder.start();
        assertThat(acp.inputReader().readLine()).isEqualTo("ready");
        List<ProcessHandle> agent = acp.descendants().toList();
        assertThat(agent).isNotEmpty();
        assertThat(new ProcessBuilder("kill", "-INT", Long.toString(acp.pid()))
                        .start()
                        .waitFor())
                .isZero();
        assertThat(acp.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(acp.exitValue()).isEqualTo(130);
        for (ProcessHandle each : agent) {
            assertThat(each.onExit().get(60, TimeUnit.SECONDS).isAlive()).isFalse();
        }

        try (TerminalRun run = shelf.terminal("run", "alpha", "--", "stay")) {
            run.await("ready").press("\003").await("it goes on").press("x\r");
            assertThat(run.end()).as(run::all).isEqualTo(9);
        }
    }

    @Test
    @Tag("REG-02")
    @Tag("REG-04")
    @Tag("REG-05")
    void whatIsWrongWithAnIndexIsSaid() throws Exception {
        shelf.entry("beta", "2.0.0", "{\"snap\":{}}");
        String index = shelf.url();
        AcpRun listed = ok("agents", "list", "--index", index);
        assertThat(listed.out()).startsWith("alpha").hasLineCount(1);
        assertThat(listed.err()).contains("an entry of " + index + " was left out; -v names it");
        assertThat(ok("agents", "list", "-v", "--index", index).err())
                .contains("left out of " + index + ": beta: distribution: unknown kind snap");
        assertThat(shelf.requests()).containsExactly("/index.json");
        failed(shelf.acp("agents", "add", "beta").run(), 1, "beta is in ", "unknown kind snap");

        ok("agents", "list", "--refresh", "--index", index);
        assertThat(shelf.requests()).hasSize(2);
        shelf.forget(index);
        AcpRun stale = ok("agents", "list", "--refresh", "--index", index);
        assertThat(stale.out()).startsWith("alpha");
        assertThat(stale.err()).containsPattern("the copy of " + index + " is of 20[0-9-]+T[0-9:.]+Z: .*404");
    }

    @Test
    @Tag("REG-02")
    @Tag("REG-39")
    void anEntryThatCannotBeUsedStopsNoOtherUpdate() throws Exception {
        shelf.agent("beta", "2.0.0", "maker", true);
        ok("agents", "add", "-q", "alpha", "beta");
        shelf.entry("alpha", "1.1.0", "{\"snap\":{}}");
        shelf.agent("beta", "2.1.0", "maker", true);

        AcpRun updated = shelf.acp("agents", "update", "--yes").run();

        assertThat(updated.exitCode()).isEqualTo(1);
        assertThat(updated.err()).contains("the entry of alpha cannot be used: distribution: unknown kind snap");
        assertThat(updated.out()).contains("beta 2.1.0 is installed and pinned");
        assertThat(ok("agents", "list").err()).doesNotContain("withdrawn");
    }

    @Test
    @Tag("REG-39")
    void anAgentThatFailsStopsNoOtherAddOrUpdate() throws Exception {
        shelf.agent("beta", "2.0.0", "maker", true);
        shelf.forget("http://h/maker/alpha/1.0.0");

        AcpRun added =
                shelf.acp("agents", "add", "-q", "alpha", "nobody", "beta").run();
        assertThat(added.exitCode()).isEqualTo(1);
        assertThat(added.err()).contains("acp: alpha: ", "404", "acp: nobody: there is no agent nobody");

        shelf.agent("alpha", "1.0.0", "maker", true);
        ok("agents", "add", "-q", "alpha");
        shelf.agent("alpha", "1.1.0", "stranger", true);
        shelf.agent("beta", "2.1.0", "maker", true);
        AcpRun updated = shelf.acp("agents", "update", "--yes").run();
        assertThat(updated.exitCode()).isEqualTo(1);
        assertThat(updated.err()).contains("acp: alpha: ", "--allow-other-host alpha");
        assertThat(updated.out()).contains("version 2.0.0 -> 2.1.0", "beta 2.1.0 is installed and pinned");
    }

    @Test
    @Tag("REG-30")
    void withoutATerminalProgressIsPlainLinesOrNothing() {
        assertThat(shelf.acpOf("one", "agents", "add", "alpha").run().err())
                .contains("acp: fetching 1.0.0, ", "acp: starting alpha 1.0.0…\n")
                .doesNotContain("░", "█", "\033", "\r");
        AcpRun quiet = shelf.acpOf("other", "agents", "add", "-q", "alpha").run();
        assertThat(quiet.exitCode()).isZero();
        assertThat(quiet.out() + quiet.err()).isEmpty();
    }

    @Test
    @Tag("REG-14")
    void aMissingOrOldNodeIsSaidBeforeAnythingIsFetched() throws Exception {
        shelf.entry("noded", "1.0.0", "{\"npx\":{\"package\":\"noded@1.0.0\"}}");
        Path bin = Files.createDirectories(folder.resolve("bin"));
        failed(noded(bin), 1, "needs node 18 or newer, and there is none in the search path");

        program(bin, "node", "echo v12.22.9");
        failed(noded(bin), 1, "needs node 18 or newer, found 12.22.9");
        program(bin, "node", "echo v22.0.0");
        program(bin, "npm", "echo $1 >> " + folder.resolve("asked") + "; echo 6.14.0");
        failed(noded(bin), 1, "needs npm 9 or newer, found 6.14.0");

        assertThat(folder.resolve("asked")).hasContent("--version");
        assertThat(shelf.requests()).isEmpty();
    }

    private AcpRun noded(Path path) {
        return shelf.acp("agents", "add", "noded").env("PATH", path.toString()).run();
    }

    private static void program(Path folder, String name, String line) throws Exception {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + line + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @Test
    @Tag("REG-34")
    void aKeyIsTypedUnseenAndReachesTheAgentAlone() throws Exception {
        ok("agents", "add", "alpha");
        try (TerminalRun run = shelf.terminal("agents", "set", "alpha", "AGENT_KEY")) {
            run.await("AGENT_KEY: ").press("s3cret\r").await("AGENT_KEY is set for alpha");
            assertThat(run.end()).isZero();
            assertThat(run.all()).doesNotContain("s3cret");
        }

        assertThat(shelf.acp("run", "alpha", "--", "key").run().out()).isEqualTo("s3cret\n");
        assertThat(ok("agents", "info", "alpha").out())
                .contains("AGENT_KEY stored")
                .doesNotContain("s3cret");
        failed(shelf.acp("agents", "set", "alpha", "AGENT_KEY").run(), 2, "typed at a terminal");
        ok("agents", "set", "alpha", "AGENT_KEY", "--variable", "KEY_OF_WORK");
        AcpRun behindProxy = shelf.acp("prompt", "-p", "queue:", "alpha", "hi")
                .env("KEY_OF_WORK", "k3y")
                .run();
        assertThat(behindProxy.out()).as(behindProxy.err()).contains("I am 1.0.0");
        failed(shelf.acp("prompt", "-p", "queue:", "alpha", "hi").run(), 1, "its variable is not set");
        ok("agents", "set", "alpha", "AGENT_KEY", "--command", "false");
        assertThat(ok("agents", "info", "alpha").out()).contains("AGENT_KEY a command", "command ");
        ok("agents", "remove", "alpha");
        ok("agents", "add", "alpha");
        assertThat(ok("agents", "info", "alpha").out()).doesNotContain("AGENT_KEY");
        failed(shelf.acp("chat", "alpah").run(), 1, "the agent alpah is not installed", "Did you mean alpha?");
    }

    @Test
    @Tag("REG-42")
    @Tag("REG-43")
    @Tag("REG-45")
    void anEntryOfOnesOwnIsWrittenAndJudged() throws Exception {
        Path agent = Files.writeString(folder.resolve("mine.sh"), AgentShelf.program("1.0.0"));
        Path icon = Files.writeString(
                folder.resolve("drawn.svg"),
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"16\"><path fill=\"currentColor\" d=\"M0 0h16v16z\"/></svg>");
        assertThat(ok(
                                "agents",
                                "manifest",
                                "--id",
                                "mine",
                                "--name",
                                "Mine",
                                "--release",
                                "1.0.0",
                                "--description",
                                "An agent.",
                                "--npx",
                                "mine@1.0.0",
                                "--icon",
                                icon.toString(),
                                "--output",
                                folder.toString())
                        .out())
                .isEqualTo(folder.resolve("mine/agent.json") + "\n");

        String mine = folder.resolve("mine").toString();
        AcpRun good = shelf.acp("agents", "validate", "--no-urls", mine)
                .agent("sh", agent.toString())
                .run();
        assertThat(good.exitCode()).as(good.out() + good.err()).isZero();

        AcpRun bad = shelf.acp("agents", "validate", "--no-urls", mine)
                .agent("sh", "-c", "echo starting; exec sh " + agent)
                .run();
        assertThat(bad.exitCode()).isEqualTo(7);
        assertThat(bad.out()).contains("error: login: ", "starting", "the registry would not list it");
    }

    @Test
    @Tag("REG-06")
    void withoutARouteInstalledAgentsWorkAndTheRestSaysWhatToDo() throws Exception {
        Assumptions.assumeTrue(canUnshare(), "there are no network namespaces");
        ok("agents", "add", "alpha");

        assertThat(routeless("agents", "list", "--offline")).startsWith("0\nalpha");
        assertThat(routeless("agents", "info", "--offline", "alpha"))
                .startsWith("0\n")
                .contains("pinned        1.0.0");
        assertThat(routeless("prompt", "--agent", "alpha", "hi"))
                .startsWith("0\n")
                .contains("I am 1.0.0");
        shelf.agent("beta", "2.0.0", "maker", true);
        assertThat(routeless("agents", "add", "--offline", "beta"))
                .startsWith("1\n")
                .contains("online once");
    }

    private static boolean canUnshare() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "unshare --net true 2>/dev/null").start();
        return process.waitFor() == 0;
    }

    /** Runs acp in a network that has no route; returns the exit code and what it printed. */
    private String routeless(String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of("unshare", "--net"));
        command.addAll(AcpRun.java(Acp.class));
        command.addAll(List.of(args));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectInput(new File("/dev/null")).redirectErrorStream(true);
        builder.environment().put("XDG_STATE_HOME", folder.resolve("state").toString());
        builder.environment().putAll(shelf.environment("me"));
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + "\n" + out;
    }
}
