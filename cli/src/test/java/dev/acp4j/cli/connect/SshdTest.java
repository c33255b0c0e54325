package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.KeepingAgent;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code acp connect} with the system's ssh and sshd. */
@Timeout(120)
class SshdTest {
    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
            + "\"params\":{\"protocolVersion\":1,\"clientCapabilities\":{}}}\n";

    @TempDir
    private Path folder;

    private List<String> agent() throws IOException {
        List<String> command = new ArrayList<>(AcpRun.java(KeepingAgent.class));
        command.add(Files.createDirectories(folder.resolve("sessions")).toString());
        command.add("load");
        return command;
    }

    private AcpRun.Builder connect(Sshd sshd, String... options) throws IOException {
        Path script = script(folder.resolve("my agent"), agent());
        String command =
                URLEncoder.encode("'" + script + "'", StandardCharsets.UTF_8).replace("+", "%20");
        List<String> words = new ArrayList<>(List.of("connect"));
        words.addAll(List.of(options));
        words.add("ssh://build/" + command);
        return acp(words.toArray(String[]::new)).env("PATH", sshd.path());
    }

    private static Path script(Path file, List<String> command) throws IOException {
        Files.writeString(file, "#!/bin/sh\nexec '" + String.join("' '", command) + "' \"$@\"\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Returns an sshd whose user has a home of the test, with {@code acp} in the search path of a login. */
    private Sshd withAcp() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        Path bin = Files.createDirectories(home.resolve("bin"));
        Path acp = bin.resolve("acp");
        List<String> java = new ArrayList<>(AcpRun.java(Acp.class));
        java.add(1, "-Dacp.launcher=" + acp);
        Path unused = script(acp, java);
        Files.writeString(acp, Files.readString(acp).replace("\nexec", "\necho $$ $* >>" + acps() + "\nexec"));
        for (String profile : List.of(".profile", ".bash_profile")) {
            Files.writeString(
                    home.resolve(profile),
                    "PATH=" + bin + ":$PATH; XDG_STATE_HOME=" + home + "/state; export PATH XDG_STATE_HOME\n");
        }
        return new Sshd(folder, "SetEnv HOME=" + home);
    }

    /** Returns the file with the process and the words of each {@code acp} that has run there. */
    private Path acps() {
        return folder.resolve("acps");
    }

    private List<ProcessHandle> servers() throws IOException {
        return Files.readAllLines(acps()).stream()
                .filter(line -> line.contains("--socket"))
                .map(line -> ProcessHandle.of(Long.parseLong(line.substring(0, line.indexOf(' ')))))
                .flatMap(Optional::stream)
                .toList();
    }

    @Test
    @Tag("CNX-24")
    void aTurnOfAnAttachedAgentOutlivesItsLine() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        try (Sshd sshd = withAcp();
                RawEditor editor = new RawEditor(connect(sshd, "--attach"))) {
            String session = editor.open("{}");
            editor.prompt("turn", session, "read " + pipe);
            editor.await("Prompt 1");
            boolean unused =
                    ProcessHandle.of(sshd.clients().getFirst()).orElseThrow().destroyForcibly();
            Files.writeString(pipe, "The rest of the turn.");

            assertThat(editor.await("The rest")).contains("The rest of the turn.");
            assertThat(editor.await("\"turn\"")).contains("end_turn");
            editor.prompt("again", session, "two");
            assertThat(editor.await("Prompt")).contains("Prompt 2");
            assertThat(editor.await("\"again\"")).contains("end_turn");
            assertThat(editor.end()).isZero();
            assertThat(editor.out)
                    .filteredOn(text -> text.contains("Prompt 1") || text.contains("The rest"))
                    .hasSize(2);
            assertThat(sshd.clients()).hasSize(2);
            // The goodbye ends the agent, and not the server, which serves the next line for a minute.
            assertThat(servers()).hasSize(1);
            ProcessHandle server = servers().getFirst();
            assertThat(Poll.until(() -> server.descendants().findAny().isEmpty()))
                    .isTrue();
        } finally {
            servers().forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    @Tag("CNX-03")
    @Tag("CNX-24")
    void anAttachedAgentThatCannotBeStartedIsNamed() throws Exception {
        try (Sshd sshd = withAcp()) {
            AcpRun missing = acp("connect", "--attach", "ssh://build/no-such-agent")
                    .env("PATH", sshd.path())
                    .input(INITIALIZE)
                    .run();
            Files.delete(folder.resolve("home/bin/acp"));
            AcpRun without = acp("connect", "--attach", "ssh://build/no-such-agent")
                    .env("PATH", sshd.path())
                    .input(INITIALIZE)
                    .run();

            assertThat(missing.exitCode()).isEqualTo(1);
            assertThat(missing.out()).contains("\"error\"", "no-such-agent");
            assertThat(without.exitCode()).isEqualTo(1);
            assertThat(without.out()).contains("\"error\"", "exit code 127", "acp");
        }
    }

    @Test
    @Tag("CNX-23")
    void aTurnOfAnAgentBehindSshIsThatOfALocalOne() throws Exception {
        String text = "Grüße, \uD83D\uDE80: ~. \\u001a $HOME `id` " + "x".repeat(200_000);
        try (Sshd sshd = new Sshd(folder);
                RawEditor editor = new RawEditor(connect(sshd))) {
            String session = editor.open("{}");
            editor.prompt("turn", session, text);

            assertThat(editor.await("Prompt")).contains("Prompt 1");
            assertThat(editor.await("\"turn\"")).contains("end_turn");
            assertThat(Files.readAllLines(folder.resolve("sessions").resolve(session)))
                    .last()
                    .isEqualTo(text.replace("\\u001a", "\032"));
            assertThat(editor.end()).isZero();
            assertThat(editor.err).isEmpty();
        }
    }

    @Test
    @Tag("CNX-23")
    void aLineThatIsCutIsANewOneWithTheSessionLoadedAgain() throws Exception {
        try (Sshd sshd = new Sshd(folder);
                RawEditor editor = new RawEditor(connect(sshd))) {
            String session = editor.open("{}");
            editor.prompt("first", session, "one");
            editor.await("\"first\"");
            editor.prompt("lost", session, "wait");
            editor.await("Prompt 2");
            boolean unused =
                    ProcessHandle.of(sshd.clients().getFirst()).orElseThrow().destroyForcibly();
            assertThat(editor.await("\"lost\"")).contains("outcome_unknown");
            editor.awaitErr("anew; turns that ran were interrupted");
            editor.prompt("again", session, "three");

            assertThat(editor.await("Prompt")).contains("Prompt 3");
            assertThat(editor.await("\"again\"")).contains("end_turn");
            assertThat(editor.end()).isZero();
            assertThat(editor.out).noneMatch(line -> line.contains("An answer to"));
            assertThat(sshd.clients()).hasSize(2);
        }
    }

    @Test
    @Tag("CNX-03")
    @Tag("CNX-23")
    void aKeyThatIsNotWantedAndAServerThatIsAnotherAreSaid() throws Exception {
        try (Sshd sshd = new Sshd(folder)) {
            sshd.authorized("other");
            AcpRun denied = connect(sshd).input(INITIALIZE).run();
            sshd.known("other");
            AcpRun other = connect(sshd).input(INITIALIZE).run();

            assertThat(denied.exitCode()).isEqualTo(1);
            assertThat(denied.out()).contains("\"error\"", "ssh has failed", "Permission denied (publickey)");
            assertThat(other.exitCode()).isEqualTo(1);
            assertThat(other.out()).contains("\"error\"", "ssh has failed", "Host key verification failed");
        }
    }

    @Test
    @Tag("CNX-24")
    void aTurnOfAServerBehindAForwardedPortOutlivesTheLine() throws Exception {
        int port = Sshd.freePort();
        Process served = acp("serve", "--port", "0", "--json", "--host", "127.0.0.1:" + port)
                .env("XDG_STATE_HOME", folder.toString())
                .agent(agent().toArray(String[]::new))
                .redirected("2>" + folder.resolve("log"))
                .start();
        try (Sshd sshd = new Sshd(folder)) {
            JsonObject started = (JsonObject)
                    RawJson.parse(served.inputReader(StandardCharsets.UTF_8).readLine())
                            .value();
            String there = started.text("url").orElseThrow().replaceFirst("http://(.*)/acp", "$1");
            Process line = forward(sshd, port, there);
            try (RawEditor editor = new RawEditor(acp(
                            "connect",
                            "-v",
                            "--token-command",
                            "ssh build cat " + started.text("tokens").orElseThrow(),
                            "http://127.0.0.1:" + port + "/acp")
                    .env("PATH", sshd.path()))) {
                String session = editor.open("{}");
                editor.prompt("turn", session, "wait");
                editor.await("Prompt 1");
                line.destroyForcibly();
                Process unused = line.onExit().join();
                line = forward(sshd, port, there);
                editor.send("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"" + session
                        + "\"}}");

                assertThat(editor.await("\"turn\"")).contains("cancelled");
                assertThat(editor.end()).isZero();
                assertThat(editor.out)
                        .filteredOn(text -> text.contains("Prompt 1"))
                        .hasSize(1);
            } finally {
                line.destroyForcibly();
            }
        } finally {
            served.destroyForcibly();
        }
    }

    private static Process forward(Sshd sshd, int port, String to) throws Exception {
        Process line = sshd.ssh("-N", "-o", "ExitOnForwardFailure=yes", "-L", port + ":" + to, "build");
        assertThat(Poll.until(() -> listens(port))).isTrue();
        return line;
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
}
