package dev.acp4j.cli.serve;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Turn;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.http.Http;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class ServeCommandTest {
    @TempDir
    private Path folder;

    /** A server that runs. */
    private final class Served implements AutoCloseable {
        final Process process;
        final JsonObject started;
        private final CompletableFuture<String> err;

        Served(String... options) throws Exception {
            this(testAgent(), options);
        }

        Served(String[] agent, String... options) throws Exception {
            List<String> words = new ArrayList<>(List.of("serve", "--port", "0", "--json"));
            words.addAll(List.of(options));
            process = acp(words.toArray(String[]::new))
                    .env("XDG_STATE_HOME", folder.resolve("state").toString())
                    .agent(agent)
                    .start();
            process.getOutputStream().close();
            err = CompletableFuture.supplyAsync(this::errors, Thread::startVirtualThread);
            BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
            String line = out.readLine();
            assertThat(line).as(() -> err.join()).isNotNull();
            started = (JsonObject) RawJson.parse(line).value();
        }

        private String errors() {
            try {
                return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (java.io.IOException e) {
                return e.toString();
            }
        }

        URI uri() {
            return URI.create(started.text("url").orElseThrow());
        }

        Path tokens() {
            return Path.of(started.text("tokens").orElseThrow());
        }

        RemoteAgent remote(String token) {
            return Http.to(uri()).bearer(() -> token).recovers(false);
        }

        /** Ends it, and returns what it has written to standard error. */
        String stop(int exitCode) throws Exception {
            process.toHandle().destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(() -> err.join()).isEqualTo(exitCode);
            return err.join();
        }

        @Override
        public void close() {
            process.destroyForcibly();
            Process unused = process.onExit().join();
        }
    }

    private static String[] testAgent() {
        List<String> command = new ArrayList<>(AcpRun.java(Acp.class));
        command.add("test-agent");
        return command.toArray(String[]::new);
    }

    private Path privateFile(String name, String text) throws Exception {
        Path file = Files.createFile(
                folder.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, text);
    }

    @Test
    @Tag("HST-39")
    void anAgentIsServedWithTheTokenOfAFileUntilASignalComes() throws Exception {
        String errors;
        try (Served served = new Served("--log", "json", "--metrics-port", "0")) {
            String token = Files.readString(served.tokens()).strip();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(served.tokens())))
                    .isEqualTo("rw-------");
            try (ConnectedAgent agent = Client.builder("editor", "1").connect(served.remote(token))) {
                assertThat(agent.newSession(folder).prompt("planted prompt").text())
                        .isEqualTo("planted prompt");
            }
            String metrics = get(URI.create(served.started.text("metrics").orElseThrow()));
            errors = served.stop(0);

            assertThat(metrics).contains("acp_agents_started_total 1\n").contains("acp_turn_seconds_count 1\n");
            assertThat(errors.lines())
                    .allSatisfy(line -> assertThat(RawJson.parse(line).value()).isInstanceOf(JsonObject.class));
            assertThat(errors)
                    .contains("\"event\":\"agent_started\"")
                    .contains("\"event\":\"draining\"")
                    .contains("\"event\":\"stopped\"")
                    .doesNotContain("SLF4J")
                    .doesNotContain("planted prompt")
                    .doesNotContain(token);
        }
    }

    private static String get(URI uri) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    @Test
    @Tag("HST-39")
    void aRunningTurnEndsBeforeTheServerDoes() throws Exception {
        try (Served served = new Served("--drain", "60s")) {
            String token = Files.readString(served.tokens()).strip();
            ConnectedAgent agent = Client.builder("editor", "1")
                    .onPermission(question -> {
                        served.process.toHandle().destroy();
                        return question.allowOnce();
                    })
                    .connect(served.remote(token));
            Turn turn = agent.newSession(folder).prompt("choose May I?");

            assertThat(turn.text()).isEqualTo("allow_once");
            assertThat(served.process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(served.process.exitValue()).isZero();
            agent.close();
        }
    }

    @Test
    @Tag("HST-11")
    void theCommandNamesTheUserAndItsFolderInWordsThatNoShellReads() throws Exception {
        Path tokens = privateFile("tokens", "alice;id alice-has-this-token-in-tests\n");
        Path homes = folder.resolve("homes");
        String[] agent = {"sh", "-c", "echo \"for $0 in $1\" >&2; exit 3", "{principal}", "{root}"};
        try (Served served = new Served(agent, "--tokens", tokens.toString(), "--root", homes.toString())) {
            assertThatThrownBy(
                            () -> Client.builder("editor", "1").connect(served.remote("alice-has-this-token-in-tests")))
                    .hasMessageContaining(
                            "for alice;id in " + homes.toRealPath().resolve("alice_3bid"));
        }
    }

    @Test
    @Tag("HST-06")
    void anAgentThatIgnoresTheEndOfItsInputEndsWithAServerThatIsKilled() throws Exception {
        Process server = acp("serve", "--port", "0", "--prestart", "1")
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .agent("sh", "-c", "exec sleep 1000")
                .start();
        BufferedReader err = server.errorReader(StandardCharsets.UTF_8);
        String line = err.readLine();
        while (line != null && !line.contains("agent_prestarted")) {
            line = err.readLine();
        }
        List<ProcessHandle> started = server.descendants().toList();
        server.destroyForcibly();

        assertThat(line).isNotNull();
        assertThat(started).isNotEmpty();
        for (ProcessHandle each : started) {
            assertThat(each.onExit().get(60, TimeUnit.SECONDS).isAlive()).isFalse();
        }
    }

    @Test
    @Tag("HST-44")
    void theFileHasTheNamesOfTheOptionsAndTheCommandLineCounts() throws Exception {
        Path tokens = privateFile("tokens", "alice alice-has-this-token-in-tests\n");
        Path file = Files.writeString(
                folder.resolve("serve.yaml"),
                "port: 70000\ntokens: " + tokens + "\nper: user\norigin: [https://a.example, https://b.example]\n"
                        + "command: [no-such-agent-anywhere]\n");
        try (Served served = new Served("--config", file.toString())) {
            try (ConnectedAgent agent =
                    Client.builder("editor", "1").connect(served.remote("alice-has-this-token-in-tests"))) {
                assertThat(agent.newSession(folder).prompt("Hello.").text()).isEqualTo("Hello.");
            }
            assertThat(served.stop(0)).contains("principal=alice");
        }
    }

    @Test
    @Tag("HST-44")
    void whatIsWrongWithAFileIsSaidWithItsLine() throws Exception {
        Path unknown = Files.writeString(folder.resolve("unknown.yaml"), "listen: 127.0.0.1\nprot: 8080\n");
        Path value = Files.writeString(folder.resolve("value.yaml"), "# comment\nport: many\n");
        AcpRun named = acp("serve", "--config", unknown.toString()).run();
        AcpRun typed = acp("serve", "--check", "--config", value.toString()).run();
        AcpRun good = acp("serve", "--check")
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .run();

        assertThat(named.exitCode()).isEqualTo(2);
        assertThat(named.err()).contains("unknown.yaml:2: there is no option 'prot'. Did you mean port?");
        assertThat(typed.exitCode()).isEqualTo(2);
        assertThat(typed.err()).contains("value.yaml:2:").contains("many");
        assertThat(good.exitCode()).isZero();
        assertThat(good.out()).contains("the configuration is valid");
    }

    @Test
    @Tag("HST-44")
    void theExampleOfAConfigurationHasKnownNamesAndValues() throws Exception {
        String example = Files.readString(Path.of("../deploy/serve.yaml")).replace("/etc/acp/", folder + "/missing/");
        Path file = Files.writeString(folder.resolve("example.yaml"), example);
        AcpRun run = acp("serve", "--check", "--config", file.toString()).run();

        // All but the files.
        assertThat(run.err()).contains("there is no " + folder.resolve("missing/tokens"));
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    @Tag("HST-21")
    void beyondThisMachineAServerDoesNotStartWithoutTlsAndNames() throws Exception {
        AcpRun cleartext =
                acp("serve", "--listen", "0.0.0.0", "--host", "agents.example").run();
        AcpRun nameless = acp("serve", "--listen", "0.0.0.0", "--trusted-proxy", "10.0.0.1")
                .run();

        assertThat(cleartext.exitCode()).isEqualTo(2);
        assertThat(cleartext.err()).contains("needs --tls-certificate and --tls-key, or --trusted-proxy");
        assertThat(nameless.exitCode()).isEqualTo(2);
        assertThat(nameless.err()).contains("needs --host");
    }

    @Test
    void mistakesAreSaidWithTheNextStep() throws Exception {
        String state = folder.resolve("state").toString();
        AcpRun used;
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            used = acp("serve", "--port", Integer.toString(other.getLocalPort()))
                    .env("XDG_STATE_HOME", state)
                    .run();
        }
        AcpRun missing = acp("serve", "--port", "0")
                .env("XDG_STATE_HOME", state)
                .agent("no-such-agent-anywhere")
                .run();
        Path empty = Files.createFile(folder.resolve("cert.pem"));
        AcpRun certificate = acp("serve", "--tls-certificate", empty.toString(), "--tls-key", empty.toString())
                .run();
        AcpRun per = acp("serve", "--per", "planet").run();

        assertThat(used.exitCode()).isEqualTo(1);
        assertThat(used.err()).contains("Address already in use").contains("another port with --port");
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).contains("no-such-agent-anywhere");
        assertThat(certificate.exitCode()).isEqualTo(2);
        assertThat(certificate.err()).contains("cert.pem: expected certificates as PEM");
        assertThat(per.exitCode()).isEqualTo(2);
        assertThat(per.err()).contains("expected --per connection or user, got planet");
    }
}
