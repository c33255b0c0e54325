package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.KeepingAgent;
import dev.acp4j.tap.Poll;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code acp connect ssh://…} with an {@code ssh} that runs the command here. */
@Timeout(120)
@Tag("CNX-23")
class SshConnectTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void prepare() throws Exception {
        Path agents = Files.createDirectories(folder.resolve("bin-of-login"));
        script(agents.resolve("my-agent"), "exec " + quoted(AcpRun.java(KeepingAgent.class)) + " \"$@\"");
        Files.createDirectories(folder.resolve("home"));
        Files.writeString(folder.resolve("home/.profile"), "PATH=" + agents + ":$PATH; export PATH\n");
        Files.writeString(folder.resolve("home/.bash_profile"), "PATH=" + agents + ":$PATH; export PATH\n");
        ssh("echo \"$$\" >>" + folder.resolve("pids"), "exec sh -c \"$last\"");
    }

    private static String quoted(List<String> words) {
        return "'" + String.join("' '", words) + "'";
    }

    private static void script(Path file, String... lines) throws Exception {
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Replaces what ssh does: {@code $last} is the command. */
    private void ssh(String... lines) throws Exception {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        String arguments = "echo \"$@\" >>" + folder.resolve("arguments") + "; for last; do :; done; HOME="
                + folder.resolve("home") + "; SHELL=/bin/sh; export HOME SHELL";
        script(bin.resolve("ssh"), arguments + "\n" + String.join("\n", lines));
    }

    private AcpRun.Builder connect(String command) {
        return acp(
                        "connect",
                        "ssh://me@build.example:2222/"
                                + URLEncoder.encode(command, StandardCharsets.UTF_8)
                                        .replace("+", "%20"))
                .env("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    }

    @Test
    void aNameOfTheConfigurationOfSshMayHaveUnderscores() throws Exception {
        try (RawEditor editor = new RawEditor(
                acp("connect", "ssh://me@dev_box:2222/my-agent%20" + sessions().replace(" ", "%20"))
                        .env("PATH", folder.resolve("bin") + ":" + System.getenv("PATH")))) {
            String unused = editor.open("{}");
            assertThat(editor.end()).isZero();
        }

        assertThat(Files.readString(folder.resolve("arguments"))).contains("-p 2222 -- me@dev_box exec");
    }

    @Test
    @Tag("CNX-24")
    @Tag("CNX-26")
    void aServerWithANameMayBeAttachedToByPromptsToo() throws Exception {
        Path servers = folder.resolve("config/acp/servers.json");
        Files.createDirectories(servers.getParent());
        Files.writeString(servers, "{\"servers\":{\"build\":{\"url\":\"ssh://dev_box/my-agent\",\"attach\":true}}}");
        ssh("echo 'dev_box: Permission denied (publickey).' >&2", "exit 255");
        AcpRun run = acp("prompt", "--url", "build", "Hello.")
                .env("XDG_CONFIG_HOME", folder.resolve("config").toString())
                .env("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"))
                .run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(Files.readString(folder.resolve("arguments")))
                .contains("-- dev_box exec $SHELL -lc 'acp serve --attach -- my-agent'");
    }

    private String sessions() throws Exception {
        return Files.createDirectories(folder.resolve("sessions")) + " load";
    }

    @Test
    void theCommandRunsThereWithThePathOfALoginAndWithoutQuestions() throws Exception {
        ssh("echo Welcome to build.example", "echo It is a nice day. >&2", "exec sh -c \"$last\"");
        try (RawEditor editor = new RawEditor(connect("my-agent " + sessions()))) {
            String session = editor.open("{}");
            editor.prompt("turn", session, "Hello.");
            assertThat(editor.await("\"turn\"")).contains("end_turn");
            assertThat(editor.end()).isZero();

            assertThat(editor.out).noneMatch(line -> line.contains("Welcome"));
            assertThat(editor.err)
                    .contains("ssh: Welcome to build.example", "ssh: It is a nice day.")
                    .hasSize(2);
        }

        assertThat(Files.readString(folder.resolve("arguments")))
                .startsWith("-T -o BatchMode=yes -o ServerAliveInterval=15 -o ServerAliveCountMax=3 -p 2222 --"
                        + " me@build.example exec $SHELL -lc 'my-agent ");
    }

    @Test
    void aLineThatIsLostIsANewSshWithTheSessionLoadedAgain() throws Exception {
        try (RawEditor editor = new RawEditor(connect("my-agent " + sessions()))) {
            String session = editor.open("{}");
            editor.prompt("first", session, "one");
            editor.await("\"first\"");
            editor.prompt("lost", session, "wait");
            editor.await("Prompt 2");
            kill(1);
            assertThat(editor.await("\"lost\"")).contains("outcome_unknown");
            editor.awaitErr("anew; turns that ran were interrupted");
            editor.prompt("again", session, "three");
            assertThat(editor.await("Prompt")).contains("Prompt 3");
            assertThat(editor.await("\"again\"")).contains("end_turn");
            assertThat(editor.end()).isZero();

            // The replay is not shown again.
            assertThat(editor.out).filteredOn(line -> line.contains("Prompt 1")).hasSize(1);
        }

        assertThat(Files.readAllLines(folder.resolve("pids"))).hasSize(2);
    }

    /** Kills the ssh that was started as the given one, counted from 1. */
    private void kill(int number) throws Exception {
        Path pids = folder.resolve("pids");
        assertThat(Poll.until(() -> Files.exists(pids))).isTrue();
        long pid = Long.parseLong(Files.readAllLines(pids).get(number - 1));
        boolean unused = ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    }

    @Test
    @Tag("CNX-03")
    void aFailureOfSshIsToldFromThatOfTheAgent() throws Exception {
        String initialize = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                + "\"params\":{\"protocolVersion\":1,\"clientCapabilities\":{}}}\n";
        AcpRun missing = connect("no-such-agent").input(initialize).run();
        ssh("echo 'me@build.example: Permission denied (publickey).' >&2", "exit 255");
        AcpRun denied = connect("my-agent").input(initialize).run();

        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.out()).contains("\"error\"", "the command over ssh ended with", "no-such-agent");
        assertThat(denied.exitCode()).isEqualTo(1);
        assertThat(denied.out()).contains("\"error\"", "ssh has failed", "Permission denied (publickey)");
    }

    @Test
    void anAgentThatEndsByItselfEndsTheConnection() throws Exception {
        ssh("echo \"$$\" >>" + folder.resolve("pids"), "sh -c \"$last\"; exit 3");
        try (RawEditor editor = new RawEditor(connect("my-agent " + sessions()))) {
            String unused = editor.open("{}");
            long pid = Long.parseLong(Files.readAllLines(folder.resolve("pids")).getFirst());
            ProcessHandle.of(pid).orElseThrow().descendants().forEach(ProcessHandle::destroyForcibly);

            assertThat(editor.awaitExit()).isEqualTo(1);
            assertThat(editor.err).anyMatch(line -> line.contains("the agent over ssh ended with exit code 3"));
        }
        assertThat(Files.readAllLines(folder.resolve("pids"))).hasSize(1);
    }
}
