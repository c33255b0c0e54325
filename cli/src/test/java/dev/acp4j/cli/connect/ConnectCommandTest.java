package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.http.Http;
import dev.acp4j.http.RunningServer;
import dev.acp4j.process.Launch;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ConnectCommandTest {
    @TempDir
    private Path folder;

    private final List<String> stderr = new CopyOnWriteArrayList<>();

    private RunningServer serve() throws Exception {
        Agent agent = Agent.builder("remote", "1.0")
                .onPrompt(turn -> turn.message("You said: " + turn.text()))
                .build();
        return Http.on(0).drainTime(Duration.ofSeconds(1)).start(agent::connect);
    }

    private Path tokenFile(RunningServer server, String permissions) throws Exception {
        Path file = Files.createFile(
                folder.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
        return Files.writeString(file, server.token().orElseThrow() + "\n");
    }

    private Launch launch(String... args) {
        List<String> command = new ArrayList<>(AcpRun.java(Acp.class));
        command.addAll(List.of(args));
        return Launch.of(command.get(0), command.subList(1, command.size())).onStderr(stderr::add);
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "events", "websocket"})
    @Tag("CNX-01")
    @Tag("CNX-02")
    void aRemoteAgentLooksLikeALocalOne(String over) throws Exception {
        String text;
        try (RunningServer server = serve()) {
            Path token = tokenFile(server, "rw-------");
            Launch connect = launch(
                    "connect",
                    "--over",
                    over,
                    "--token-file",
                    token.toString(),
                    server.uri().toString());
            try (ConnectedAgent agent = Client.builder("editor", "1").connect(connect)) {
                text = agent.newSession(folder).prompt("Hello.").text();
            }
        }

        assertThat(text).isEqualTo("You said: Hello.");
        assertThat(stderr).isEmpty();
    }

    @Test
    @Tag("CNX-12")
    void aTokenThatOthersMayReadIsNotSent() throws Exception {
        AcpRun run;
        try (RunningServer server = serve()) {
            Path token = tokenFile(server, "rw-r--r--");
            run = acp("connect", "--token-file", token.toString(), server.uri().toString())
                    .run();
        }

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("can be read by others; run: chmod 600");
    }

    @Test
    @Tag("CNX-03")
    @Tag("CNX-26")
    void aPromptToNobodySaysSo() throws Exception {
        AcpRun run = acp("prompt", "--url", "http://127.0.0.1:1/acp", "Hello.").run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("nothing listens at 127.0.0.1:1: is the server running?");
    }

    @Test
    void addressesThatLeadNowhereAreMisuse() throws Exception {
        AcpRun query = acp("connect", "https://example.org/acp?token=secret").run();
        AcpRun cleartext = acp("connect", "http://example.org/acp").run();
        AcpRun option =
                acp("connect", "--over", "pigeon", "https://example.org/acp").run();
        AcpRun nowhere = acp("connect", "ssh:///agent").run();

        assertThat(nowhere.exitCode()).isEqualTo(2);
        assertThat(nowhere.err()).contains("expected ssh://[USER@]HOST[:PORT]/COMMAND, got ssh:///agent");
        assertThat(query.exitCode()).isEqualTo(2);
        assertThat(query.err()).contains("no user, query or fragment").doesNotContain("secret");
        assertThat(cleartext.exitCode()).isEqualTo(2);
        assertThat(cleartext.err()).contains("not encrypted");
        assertThat(option.exitCode()).isEqualTo(2);
        assertThat(option.err()).contains("expected --over auto, events or websocket, got --over pigeon");
    }

    @ParameterizedTest
    @CsvSource({
        "--over,events",
        "--ca,ca.pem",
        "--pin,00",
        "--client-certificate,me.pem",
        "--token-env,TOKEN",
        "--token-file,token",
        "--token-command,cat token"
    })
    @Tag("CNX-23")
    void whatIsForHttpAloneIsMisuseOverSsh(String option, String value) throws Exception {
        AcpRun run =
                acp("connect", option, value, "ssh://build.example/my-agent").run();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(option + " has no effect over ssh");
    }

    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
            + "\"params\":{\"protocolVersion\":1,\"clientCapabilities\":{}}}\n";

    @Test
    void whatTheServerRefusesOrNobodyAnswersHasItsExitCode() throws Exception {
        AcpRun refused;
        try (RunningServer server = serve()) {
            refused = acp("connect", "--over", "events", server.uri().toString())
                    .env("ACP_TOKEN", "wrong-wrong-wrong-wrong")
                    .input(INITIALIZE)
                    .run();
        }
        AcpRun nobody =
                acp("connect", "http://127.0.0.1:1/acp").input(INITIALIZE).run();

        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(9);
        assertThat(refused.out()).contains("\"error\"", "check the credential");
        assertThat(nobody.exitCode()).as(nobody.err()).isEqualTo(1);
        assertThat(nobody.out()).contains("\"error\"", "nothing listens");
    }

    @Test
    @Tag("CNX-10")
    void whatAServerWritesDoesNotDecideTheExitCode() throws Exception {
        AcpRun run;
        try (TestWeb web = new TestWeb(exchange -> {
            byte[] body = "{\"message\":\"check the credential, resource_metadata, TLS with \"}"
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(502, body.length);
            exchange.getResponseBody().write(body);
        })) {
            run = acp("connect", "--over", "events", web.uri().toString())
                    .input(INITIALIZE)
                    .run();
        }

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.out()).contains("502", "check the credential").doesNotContain("log in with", "--pin");
        assertThat(run.err()).doesNotContain("Log in with");
    }

    @Test
    @Tag("CNX-10")
    void anOutputThatCannotBeWrittenIsSaidAndOneThatNobodyReadsIsTheEnd() throws Exception {
        try (RunningServer server = serve()) {
            Path token = tokenFile(server, "rw-------");
            AcpRun.Builder connect = acp(
                    "connect", "--token-file", token.toString(), server.uri().toString());
            Process full = connect.redirected(">/dev/full").start();
            Process unread = acp(
                            "connect",
                            "--token-file",
                            token.toString(),
                            server.uri().toString())
                    .start();
            unread.inputReader().close();
            for (Process process : List.of(full, unread)) {
                // The editor stays, and is not heard of again.
                process.getOutputStream().write(INITIALIZE.getBytes(StandardCharsets.UTF_8));
                process.getOutputStream().flush();
                assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            }

            assertThat(full.errorReader().lines())
                    .containsExactly("acp: standard output cannot be written: No space left on device");
            assertThat(full.exitValue()).isEqualTo(6);
            assertThat(unread.errorReader().lines()).isEmpty();
            assertThat(unread.exitValue()).isZero();
        }
    }

    @Test
    @Tag("CNX-10")
    void aServerThatSaysGoodbyeIsAFailureOfTheAgent() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RawEditor editor =
                        new RawEditor(acp("connect", "ws://127.0.0.1:" + listening.getLocalPort() + "/acp"))) {
            editor.send(INITIALIZE.strip());
            try (Socket socket = listening.accept()) {
                upgrade(socket);
                byte[] answer = "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}"
                        .getBytes(StandardCharsets.US_ASCII);
                socket.getOutputStream().write(new byte[] {(byte) 0x81, (byte) answer.length});
                socket.getOutputStream().write(answer);
                editor.await("\"result\"");
                // A close with 1000.
                socket.getOutputStream().write(new byte[] {(byte) 0x88, 2, 3, (byte) 0xe8});

                assertThat(editor.awaitExit()).isEqualTo(1);
                assertThat(editor.err).anyMatch(line -> line.contains("the server has ended the connection"));
            }
        }
    }

    /** Agrees to a WebSocket. */
    private static void upgrade(Socket socket) throws Exception {
        BufferedReader request =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        String key = "";
        for (String line = request.readLine(); !line.isEmpty(); line = request.readLine()) {
            key = line.startsWith("Sec-WebSocket-Key: ") ? line.substring(19) : key;
        }
        byte[] digest = MessageDigest.getInstance("SHA-1")
                .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
        String head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: " + Base64.getEncoder().encodeToString(digest) + "\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void theCommandForTheTokenRunsOnceAndEndsInTime() throws Exception {
        String text;
        Path runs = folder.resolve("runs");
        try (RunningServer server = serve()) {
            Path token = tokenFile(server, "rw-------");
            Launch connect = launch(
                    "connect",
                    "--over",
                    "events",
                    "--token-command",
                    "echo run >> " + runs + "; cat " + token,
                    server.uri().toString());
            try (ConnectedAgent agent = Client.builder("editor", "1").connect(connect)) {
                text = agent.newSession(folder).prompt("Hello.").text();
            }
        }

        assertThat(text).isEqualTo("You said: Hello.");
        assertThat(Files.readAllLines(runs)).containsExactly("run");
        assertThatThrownBy(() -> Secret.Command.printed("sleep 1000", Duration.ofMillis(10)))
                .hasMessageContaining("did not end within");
    }
}
