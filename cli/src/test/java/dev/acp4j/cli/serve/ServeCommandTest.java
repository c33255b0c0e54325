package dev.acp4j.cli.serve;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Turn;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.Browser;
import dev.acp4j.cli.conduct.ConductedProgram;
import dev.acp4j.http.Http;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.schema.SessionId;
import dev.acp4j.tap.Poll;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
            List<String> words = new ArrayList<>(List.of("serve", "--json"));
            words.addAll(List.of(options));
            if (!words.contains("--socket")) {
                words.addAll(List.of("--port", "0"));
            }
            process = acp(words.toArray(String[]::new))
                    .env("XDG_STATE_HOME", folder.resolve("state").toString())
                    .env("SERVER_API_KEY", "planted-in-the-environment")
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

    /** Sends what nobody may find anywhere, in each place where a client can put it. */
    private static void plant(URI uri, String token) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (String[] planted : new String[][] {
                {"?token=planted-query", "Bearer " + token},
                {"", "Bearer planted-wrong-token"},
                {"", "Basic cGxhbnRlZA=="}
            }) {
                HttpResponse<String> refused = http.send(
                        HttpRequest.newBuilder(URI.create(uri + planted[0]))
                                .header("Authorization", planted[1])
                                .header("Cookie", "session=planted-cookie")
                                .header("Acp-Connection-Id", "planted-connection")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString("{\"planted-body\""))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(refused.statusCode()).isIn(400, 401);
                assertThat(refused.body() + refused.headers().map()).doesNotContain("planted", token);
            }
        }
    }

    @Test
    @Tag("HST-38")
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
            plant(served.uri(), token);
            ask(served.uri(), token);
            String threads = threads(served.process);
            String metrics = get(URI.create(served.started.text("metrics").orElseThrow()));
            errors = served.stop(0);

            assertThat(metrics + threads).doesNotContain("planted", token, "cGxhbnRlZA");
            assertThat(metrics).contains("acp_agents_started_total 1\n").contains("acp_turn_seconds_count 1\n");
            assertThat(errors.lines())
                    .allSatisfy(line -> assertThat(RawJson.parse(line).value()).isInstanceOf(JsonObject.class));
            assertThat(errors)
                    .contains("\"event\":\"agent_started\"")
                    .contains("\"event\":\"draining\"")
                    .contains("\"event\":\"stopped\"")
                    .doesNotContain("SLF4J")
                    .doesNotContain("planted", "cGxhbnRlZA")
                    .doesNotContain(token);
        }
        List<JsonObject> lines = errors.lines()
                .map(line -> (JsonObject) RawJson.parse(line).value())
                .toList();
        JsonObject opened = event(lines, "connection_opened", "");
        JsonObject wrong = event(lines, "refused", "unauthorized");
        JsonObject known = event(lines, "refused", "not_acceptable");

        assertThat(opened.text("principal")).hasValue("owner");
        assertThat(event(lines, "agent_started", "").text("connection")).isEqualTo(opened.text("connection"));
        assertThat(wrong.text("status")).hasValue("401");
        assertThat(wrong.text("address")).hasValue("127.0.0.1");
        assertThat(wrong.text("method")).hasValue("POST");
        assertThat(wrong.text("principal")).isEmpty();
        assertThat(known.text("principal")).hasValue("owner");
        assertThat(known.text("method")).hasValue("GET");
        assertThat(known.text("connection").orElseThrow()).matches("[0-9a-f]{12}");
    }

    /** Returns the first line of an event; with its reason, unless that is empty. */
    private static JsonObject event(List<JsonObject> lines, String name, String reason) {
        return lines.stream()
                .filter(line -> line.text("event").orElse("").equals(name))
                .filter(line ->
                        reason.isEmpty() || line.text("reason").orElse("").equals(reason))
                .findFirst()
                .orElseThrow();
    }

    /** Asks for no stream, with a good credential. */
    private static void ask(URI uri, String token) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> refused = http.send(
                    HttpRequest.newBuilder(uri)
                            .header("Authorization", "Bearer " + token)
                            .header("Acp-Connection-Id", "planted-connection")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(refused.statusCode()).isEqualTo(406);
        }
    }

    @Test
    @Tag("HST-38")
    void requestsThatAreRefusedAgainAndAgainAreCountedAndFillNoLog() throws Exception {
        try (Served served = new Served("--log", "json");
                HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(served.uri()).build();
            for (int i = 0; i < 50; i++) {
                assertThat(http.send(request, HttpResponse.BodyHandlers.discarding())
                                .statusCode())
                        .isEqualTo(401);
            }
            List<JsonObject> lines = served.stop(0)
                    .lines()
                    .map(line -> (JsonObject) RawJson.parse(line).value())
                    .filter(line -> line.text("event").orElse("").equals("refused"))
                    .toList();
            int more = lines.stream()
                    .mapToInt(line -> Integer.parseInt(line.text("more").orElse("0")))
                    .sum();

            // Two lines; two more if the minute was over meanwhile.
            assertThat(lines).hasSizeBetween(2, 4);
            assertThat(lines.stream()
                                    .filter(line -> line.text("more").isEmpty())
                                    .count()
                            + more)
                    .isEqualTo(50);
        }
    }

    /** Returns the names of the threads of a process, where the system has them. */
    private static String threads(Process process) throws Exception {
        Path tasks = Path.of("/proc/" + process.pid() + "/task");
        StringBuilder names = new StringBuilder();
        if (Files.isDirectory(tasks)) {
            try (Stream<Path> each = Files.list(tasks)) {
                for (Path task : each.toList()) {
                    names.append(Files.readString(task.resolve("comm")));
                }
            } catch (NoSuchFileException e) {
                // One has ended.
            }
        }
        return names.toString();
    }

    /** The text of a command in JSON, and so in YAML. */
    private static String list(List<String> words) {
        return words.stream().map(word -> "\"" + word + "\"").collect(Collectors.joining(", ", "[", "]"));
    }

    private static List<String> conducted(String... args) {
        List<String> words = new ArrayList<>(AcpRun.java(ConductedProgram.class));
        words.addAll(List.of(args));
        return words;
    }

    @Test
    @Tag("CON-03")
    @Tag("CON-30")
    void aChainIsServedAndEachClientHasOneOfItsOwn() throws Exception {
        Path file = Files.writeString(
                folder.resolve("chain.yaml"),
                "components: [{id: first, command: " + list(conducted("adds", "And that.")) + "}]\n");
        try (Served served =
                new Served(conducted("echo").toArray(String[]::new), "--chain", file.toString(), "--log", "json")) {
            String token = Files.readString(served.tokens()).strip();
            try (ConnectedAgent one = Client.builder("editor", "1").connect(served.remote(token));
                    ConnectedAgent other = Client.builder("editor", "1").connect(served.remote(token))) {
                for (ConnectedAgent agent : List.of(one, other)) {
                    assertThat(agent.newSession(folder).prompt("This.").text()).isEqualTo("This.\nAnd that.");
                }
                assertThat(served.process.descendants().filter(process -> hasArgument(process, "And that.")))
                        .hasSizeGreaterThanOrEqualTo(2);
            }
            assertThat(served.stop(0)).contains("\"event\":\"stopped\"");
        }
    }

    /** A process handle has no arguments that are longer than a page, which a class path may be. */
    private static boolean hasArgument(ProcessHandle process, String argument) {
        try {
            return List.of(Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"))
                            .split("\0", -1))
                    .contains(argument);
        } catch (IOException e) {
            return false; // It has ended.
        }
    }

    @Test
    @Tag("CON-30")
    void acpConductIsServedAsAnyAgentIs() throws Exception {
        List<String> proxy = conducted("adds", "And that.");
        List<String> command = new ArrayList<>(AcpRun.java(Acp.class));
        command.addAll(List.of(
                "conduct",
                "-p",
                "{\"command\": \"" + proxy.getFirst() + "\", \"args\": " + list(proxy.subList(1, proxy.size())) + "}",
                "--"));
        command.addAll(conducted("echo"));
        try (Served served = new Served(command.toArray(String[]::new), "--log", "json")) {
            String token = Files.readString(served.tokens()).strip();
            try (ConnectedAgent agent = Client.builder("editor", "1").connect(served.remote(token))) {
                assertThat(agent.newSession(folder).prompt("This.").text()).isEqualTo("This.\nAnd that.");
            }
        }
    }

    @Test
    @Tag("CON-04")
    void aChainThatCannotBeServedIsRefusedAtTheStart() throws Exception {
        Path none = Files.writeString(folder.resolve("none.yaml"), "components: [{id: a, command: b}]\n");
        Path project = Files.createDirectories(folder.resolve("project/.git")).resolveSibling("chain.yaml");
        Files.writeString(project, "components: [{id: a, command: b}]\nagent: c\n");

        AcpRun noAgent = acp("serve", "--check", "--chain", none.toString()).run();
        AcpRun untrusted =
                acp("serve", "--check", "--chain", project.toString()).run();

        assertThat(noAgent.exitCode()).isEqualTo(2);
        assertThat(noAgent.err()).contains("the chain file has no agent: give its command after --");
        assertThat(untrusted.exitCode()).isEqualTo(2);
        assertThat(untrusted.err()).contains("acp conduct trust");
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
    @Tag("HST-39")
    void aSecondSignalEndsTheServerAtOnce() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (Served served = new Served("--drain", "60s")) {
            String token = Files.readString(served.tokens()).strip();
            ConnectedAgent agent = Client.builder("editor", "1")
                    .onPermission(question -> {
                        asked.countDown();
                        served.process.waitFor();
                        return question.allowOnce();
                    })
                    .connect(served.remote(token));
            Turn unused = agent.newSession(folder).prompt("choose May I?");
            asked.await();
            served.process.toHandle().destroy();
            boolean drains = Poll.until(() -> ready(served.uri()) == 503);
            served.process.toHandle().destroy();
            boolean ended = served.process.waitFor(40, TimeUnit.SECONDS);

            assertThat(drains).isTrue();
            assertThat(ended).isTrue();
            assertThat(served.process.exitValue()).isEqualTo(143);
            agent.close();
        }
    }

    private static int ready(URI server) {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.sendAsync(
                            HttpRequest.newBuilder(server.resolve("/ready")).build(),
                            HttpResponse.BodyHandlers.discarding())
                    .join()
                    .statusCode();
        }
    }

    @Test
    @Tag("HST-39")
    void turnsOfClientsThatStayAndOfThoseThatLeaveHaveOneTimeToEnd() throws Exception {
        Duration drain = Duration.ofSeconds(8);
        try (Served served = new Served("--drain", "8s", "--per", "user")) {
            String token = Files.readString(served.tokens()).strip();
            Duration took;
            try (ConnectedAgent agent = Client.builder("editor", "1").connect(served.remote(token))) {
                var events = agent.newSession(folder).prompt("say begun\nwait").iterator();
                String event = "";
                while (!event.contains("begun")) {
                    event = events.next().toString();
                }
                long begin = System.nanoTime();
                String unused = served.stop(0);
                took = Duration.ofNanos(System.nanoTime() - begin);
            }

            assertThat(took).isBetween(drain, drain.multipliedBy(2));
        }
    }

    @Test
    @Tag("HST-08")
    void whatTheServerHasInItsEnvironmentNoAgentSees() throws Exception {
        Path seen = folder.resolve("seen");
        String[] agent = {"sh", "-c", "env >" + seen + "; echo \"$@\" >>" + seen + "; exit 3"};
        try (Served served = new Served(agent, "--env", "GIVEN=to-the-agent")) {
            String token = Files.readString(served.tokens()).strip();
            assertThatThrownBy(() -> Client.builder("editor", "1").connect(served.remote(token)))
                    .hasMessageContaining("exit");
            assertThat(Files.readString(seen))
                    .contains("GIVEN=to-the-agent")
                    .doesNotContain("planted-in-the-environment")
                    .doesNotContain(token);
        }
    }

    @Test
    @Tag("DUR-33")
    void whatAKilledServerHadForItsClientsIsThereAfterARestart() throws Exception {
        String store = folder.resolve("store").toString();
        String connection;
        try (Served killed = new Served("--store", store);
                HttpClient http = HttpClient.newHttpClient()) {
            String token = Files.readString(killed.tokens()).strip();
            connection = http.send(
                            message(
                                    killed,
                                    token,
                                    "{\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}"),
                            HttpResponse.BodyHandlers.ofString())
                    .headers()
                    .firstValue("Acp-Connection-Id")
                    .orElseThrow();
            HttpResponse<String> taken = http.send(
                    message(killed, token, "{\"id\":2,\"method\":\"session/list\",\"params\":{}}", connection),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(taken.statusCode()).isEqualTo(202);
        }
        try (Served again = new Served("--store", store);
                HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest stream = HttpRequest.newBuilder(again.uri())
                    .header(
                            "Authorization",
                            "Bearer " + Files.readString(again.tokens()).strip())
                    .header("Accept", "text/event-stream")
                    .header("Acp-Connection-Id", connection)
                    .build();
            HttpResponse<Stream<String>> answer = http.send(stream, HttpResponse.BodyHandlers.ofLines());
            assertThat(answer.statusCode()).isEqualTo(200);
            try (Stream<String> lines = answer.body()) {
                // The answer of the agent, or that nobody knows what became of the request.
                assertThat(lines).anyMatch(line -> line.contains("\"id\":2"));
            }
        }
    }

    private static HttpRequest message(Served served, String token, String members, String... connection) {
        HttpRequest.Builder request = HttpRequest.newBuilder(served.uri())
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"jsonrpc\":\"2.0\"," + members.substring(1)));
        for (String id : connection) {
            request.header("Acp-Connection-Id", id);
        }
        return request.build();
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

    /** The recipe of the manual for users who do not trust each other. */
    @Test
    @Tag("HST-11")
    @EnabledIf("bubblewrapRuns")
    void anAgentBehindBubblewrapSeesTheFolderOfItsUserAndNoToken() throws Exception {
        String token = "wq8s2DkQmXn4r0bYtKfVz7LhPc3JgE1u";
        Path tokens = privateFile("tokens", "alice " + token + "\n");
        Path homes = Files.createDirectories(folder.resolve("homes/bob")).resolveSibling("");
        List<String> command = new ArrayList<>(List.of("bwrap", "--ro-bind", "/", "/", "--dev", "/dev"));
        command.addAll(List.of("--proc", "/proc", "--tmpfs", folder.toString(), "--bind", "{root}", "{root}"));
        command.addAll(List.of("--chdir", "{root}", "--unshare-all", "--share-net"));
        command.addAll(List.of("sh", "-c", "ls " + folder + " " + homes + " >seen; exec \"$@\"", "sh"));
        command.addAll(List.of(testAgent()));
        try (Served served = new Served(
                        command.toArray(String[]::new),
                        "--tokens",
                        tokens.toString(),
                        "--per",
                        "user",
                        "--root",
                        homes.toString());
                ConnectedAgent agent = Client.builder("editor", "1").connect(served.remote(token))) {
            Path root = homes.resolve("alice").toRealPath();

            assertThat(agent.newSession(root).prompt("This.").text()).isEqualTo("This.");
            assertThat(root.resolve("seen"))
                    .hasContent(folder + ":\nhomes\n\n" + folder.resolve("homes") + ":\nalice\n");
        }
    }

    static boolean bubblewrapRuns() throws Exception {
        try {
            return new ProcessBuilder("bwrap", "--ro-bind", "/", "/", "--unshare-all", "true")
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // There is none.
        }
    }

    @Test
    @Tag("HST-11")
    void aUserWhoseNameLooksLikeAnOptionStartsNoCommand() throws Exception {
        Path started = folder.resolve("started");
        Path tokens = privateFile("tokens", "--evil evil-has-this-token-in-tests\n");
        String[] agent = {"sh", "-c", "touch " + started, "{principal}"};
        try (Served served = new Served(agent, "--tokens", tokens.toString())) {
            assertThatThrownBy(
                            () -> Client.builder("editor", "1").connect(served.remote("evil-has-this-token-in-tests")))
                    .hasMessageContaining("The agent could not be started");
            assertThat(served.stop(0)).contains("begins with a hyphen");
            assertThat(started).doesNotExist();
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
    @Tag("HST-21")
    void aServerThatMakesItsCertificatePrintsThePinThatClientsCheck() throws Exception {
        String text;
        String first;
        try (Served served = new Served("--tls-self-signed")) {
            first = served.started.text("pin").orElseThrow();
            List<String> connect = new ArrayList<>(AcpRun.java(Acp.class));
            connect.addAll(List.of(
                    "connect",
                    "--pin",
                    first,
                    "--token-file",
                    served.tokens().toString(),
                    served.uri().toString()));
            Launch command = Launch.of(connect.getFirst(), connect.subList(1, connect.size()));
            try (ConnectedAgent agent = Client.builder("editor", "1").connect(command)) {
                text = agent.newSession(folder).prompt("Hello.").text();
            }
            String token = Files.readString(served.tokens()).strip();
            assertThatThrownBy(() -> Client.builder("editor", "1")
                            .connect(served.remote(token).pin("0".repeat(64))))
                    .hasMessageContaining("the pin is of another certificate");
        }
        try (Served again = new Served("--tls-self-signed")) {
            assertThat(again.started.text("pin")).hasValue(first);
        }

        assertThat(text).isEqualTo("Hello.");
        assertThat(first).hasSize(64);
    }

    /** Makes a key and a certificate with a name. */
    private KeyStore certificate(String name) throws Exception {
        Path file = folder.resolve("client.p12");
        for (List<String> words : List.of(
                List.of("-genkeypair", "-keyalg", "EC", "-dname", "CN=client", "-ext", "SAN=email:" + name),
                List.of(
                        "-exportcert",
                        "-rfc",
                        "-file",
                        folder.resolve("client.pem").toString()))) {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
            command.addAll(words);
            command.addAll(List.of("-alias", "client", "-keystore", file.toString(), "-storepass", "secret"));
            Process process = new ProcessBuilder(command).inheritIO().start();
            assertThat(process.waitFor()).isZero();
        }
        return KeyStore.getInstance(file.toFile(), "secret".toCharArray());
    }

    @Test
    @Tag("HST-20")
    void aClientWithACertificateOfAKnownAuthorityIsTheUserThatItNames() throws Exception {
        KeyStore own = certificate("alice@example.org");
        String ca = folder.resolve("client.pem").toString();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, "secret".toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        try (Served served = new Served("--tls-self-signed", "--client-ca", ca)) {
            Path state = folder.resolve("state/acp/serve/self-signed.p12");
            trust.init(KeyStore.getInstance(state.toFile(), "acp-serve".toCharArray()));
            SSLContext known = SSLContext.getInstance("TLS");
            known.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            SSLContext stranger = SSLContext.getInstance("TLS");
            stranger.init(null, trust.getTrustManagers(), null);
            RemoteAgent remote = Http.to(served.uri()).recovers(false);
            try (ConnectedAgent agent = Client.builder("editor", "1").connect(remote.ssl(known))) {
                assertThat(agent.newSession(folder).prompt("Hello.").text()).isEqualTo("Hello.");
            }
            assertThatThrownBy(() -> Client.builder("editor", "1").connect(remote.ssl(stranger)))
                    .isInstanceOf(Exception.class);
            assertThat(served.stop(0)).contains("principal=\"alice@example.org\"");
        }
    }

    /**
     * A relay between a browser and a server that asks for certificates. It shows the one of the user for requests with
     * which the browser sends credentials: a cookie stands for them, since browsers treat both alike, and a headless
     * one asks nobody for a certificate.
     */
    private static com.sun.net.httpserver.HttpServer relay(URI server, HttpClient user) throws Exception {
        var relay =
                com.sun.net.httpserver.HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        relay.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        relay.createContext("/", exchange -> {
            URI to = server.resolve(exchange.getRequestURI());
            byte[] body = exchange.getRequestBody().readAllBytes();
            boolean isPage =
                    exchange.getRequestMethod().equals("GET") && !to.getPath().endsWith("/questions");
            if (!isPage && !exchange.getRequestHeaders().containsKey("Cookie")) {
                // No certificate, no handshake.
                exchange.close();
                return;
            }
            try {
                HttpResponse<byte[]> answer = user.send(
                        HttpRequest.newBuilder(to)
                                .header("Content-Type", "application/json")
                                .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
                exchange.getResponseHeaders().add("Set-Cookie", "credentials=sent; HttpOnly; SameSite=Strict");
                answer.headers()
                        .firstValue("Content-Type")
                        .ifPresent(type -> exchange.getResponseHeaders().add("Content-Type", type));
                exchange.sendResponseHeaders(
                        answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
                exchange.getResponseBody().write(answer.body());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                exchange.close();
            }
        });
        relay.start();
        return relay;
    }

    @Test
    @Tag("HST-20")
    @Tag("HST-34")
    void aUserWithACertificateAnswersAtThePageWithoutAToken() throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(certificate("alice@example.org"), "secret".toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        String ca = folder.resolve("client.pem").toString();
        CountDownLatch never = new CountDownLatch(1);
        try (Served served = new Served("--tls-self-signed", "--client-ca", ca)) {
            Path state = folder.resolve("state/acp/serve/self-signed.p12");
            trust.init(KeyStore.getInstance(state.toFile(), "acp-serve".toCharArray()));
            SSLContext known = SSLContext.getInstance("TLS");
            known.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            try (HttpClient user = HttpClient.newBuilder().sslContext(known).build();
                    ConnectedAgent agent = Client.builder("editor", "1")
                            .onPermission(question -> {
                                never.await();
                                return question.rejectOnce();
                            })
                            .connect(Http.to(served.uri()).recovers(false).ssl(known))) {
                Turn turn = agent.newSession(folder).prompt("choose May I?");
                var relay = relay(served.uri(), user);
                URI page = URI.create("http://127.0.0.1:" + relay.getAddress().getPort() + "/approvals");
                try (Browser browser = Browser.open(page, folder.resolve("profile"))) {
                    browser.eval("new Promise(done => { const look = () => document.querySelector('article')"
                            + " || !document.getElementById('login').hidden"
                            + " || document.getElementById('status').textContent.includes('reached')"
                            + " ? setTimeout(done, 700)"
                            + " : setTimeout(look, 50); look(); })");
                    String shown = browser.eval("document.getElementById('status').textContent");
                    boolean asksForToken = browser.eval("String(document.getElementById('login').hidden)")
                            .equals("false");
                    browser.eval("document.querySelector('article button').click()");

                    assertThat(asksForToken).isFalse();
                    assertThat(shown).isEqualTo("alice@example.org");
                    assertThat(turn.text()).isEqualTo("allow_once");
                } finally {
                    relay.stop(0);
                    user.shutdownNow();
                }
            } finally {
                never.countDown();
            }
        }
    }

    /** An agent that has every session, also after a restart. */
    private static final String KEEPS = """
            while read -r line; do
              id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\\([^,]*\\),.*/\\1/p')
              case "$line" in
                *'"initialize"'*) result='{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}}';;
                *'"session/new"'*) result='{"sessionId":"kept"}';;
                *) result='{}';;
              esac
              [ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
            done
            """;

    @Test
    @Tag("HST-12")
    void whoseASessionIsIsKnownAtAnotherPortToo() throws Exception {
        String ofAlice = "alice-has-this-token-in-tests";
        String ofBob = "bob-has-that-token-in-tests";
        String tokens = privateFile("tokens", "alice " + ofAlice + "\nbob " + ofBob + "\n")
                .toString();
        String[] keeps = {"sh", "-c", KEEPS};
        int port;
        SessionId session;
        AcpRun second;
        try (Served served = new Served(keeps, "--tokens", tokens)) {
            port = served.uri().getPort();
            try (ConnectedAgent alice = Client.builder("editor", "1").connect(served.remote(ofAlice))) {
                session = alice.newSession(folder).id();
            }
            second = acp("serve", "--port", "0", "--tokens", tokens)
                    .env("XDG_STATE_HOME", folder.resolve("state").toString())
                    .agent(testAgent())
                    .run();
            String unused = served.stop(0);
        }
        try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                Served served = new Served(keeps, "--tokens", tokens);
                ConnectedAgent alice = Client.builder("editor", "1").connect(served.remote(ofAlice));
                ConnectedAgent bob = Client.builder("editor", "1").connect(served.remote(ofBob))) {
            assertThat(served.uri().getPort()).isNotEqualTo(taken.getLocalPort());
            assertThat(alice.resumeSession(session, folder).id()).isEqualTo(session);
            assertThatThrownBy(() -> bob.resumeSession(session, folder)).hasMessageContaining("kept");
        }
        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.err())
                .contains("sessions.jsonl is open in another process")
                .contains("--session-owners");
    }

    @Test
    @Tag("HST-18")
    void anIssuerOfTokensIsNamedToThoseWhoHaveNone() throws Exception {
        Path file =
                Files.writeString(folder.resolve("serve.yaml"), "oidc: https://login.example/realm\naudience: acp\n");
        try (Served served = new Served("--config", file.toString());
                HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> refused = http.send(
                    HttpRequest.newBuilder(served.uri())
                            .header("Authorization", "Bearer no-token-of-the-issuer")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            String challenge = refused.headers().firstValue("WWW-Authenticate").orElseThrow();
            URI metadata = served.uri().resolve("/.well-known/oauth-protected-resource/acp");

            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(challenge).isEqualTo("Bearer resource_metadata=\"" + metadata + "\"");
            assertThat(get(metadata))
                    .contains("\"authorization_servers\":[\"https://login.example/realm\"]")
                    .contains("\"resource\":\"" + served.uri() + "\"");
            assertThat(served.started.text("tokens")).isEmpty();
        }
    }

    @Test
    @Tag("CNX-24")
    void aServerAtASocketEndsWhenNobodyUsesIt() throws Exception {
        Path own = Files.createDirectory(folder.resolve("own"));
        Path socket = Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"))
                .resolve("agent.sock");
        try (Served served = new Served("--socket", socket.toString(), "--unused", "2s")) {
            assertThat(served.uri()).isEqualTo(socket.toUri());
            RemoteAgent remote = Http.to(
                            served.uri(),
                            () -> StreamTransport.of(SocketChannel.open(UnixDomainSocketAddress.of(socket))))
                    .over(RemoteAgent.Over.WEBSOCKET);
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                assertThat(agent.newSession(Path.of("/")).prompt("Hello").text())
                        .isNotEmpty();
                // Longer than it would be there without a connection.
                assertThat(served.process.waitFor(3, TimeUnit.SECONDS)).isFalse();
            }
            assertThat(served.process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(served.process.exitValue()).isZero();
        }
        assertThat(socket).doesNotExist();

        Path shared = Files.createDirectory(folder.resolve("shared"));
        Path unused = Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));
        AcpRun others = acp("serve", "--socket", shared.resolve("agent.sock").toString(), "--check")
                .agent(testAgent())
                .run();
        AcpRun users = acp("serve", "--socket", socket.toString(), "--tokens", "tokens")
                .agent(testAgent())
                .run();
        assertThat(others.exitCode()).isEqualTo(2);
        assertThat(others.err()).contains("others can use the folder " + shared);
        assertThat(users.exitCode()).isEqualTo(2);
        assertThat(users.err()).contains("--tokens cannot be combined with --socket");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--port 8080",
                "--listen 127.0.0.1",
                "--host agents.example",
                "--origin https://agents.example",
                "--trusted-proxy 127.0.0.1",
                "--proxy-protocol",
                "--tls-certificate cert.pem",
                "--tls-key key.pem",
                "--tls-self-signed",
                "--client-ca ca.pem",
                "--oidc https://login.example",
                "--audience acp",
                "--oidc-user sub",
                "--session-owners owners.jsonl",
                "--connections-per-address 9",
                "--webhook-link https://agents.example"
            })
    @Tag("CNX-24")
    void whatHasNoEffectAtASocketIsRefusedByName(String option) throws Exception {
        List<String> words = new ArrayList<>(
                List.of("serve", "--check", "--socket", folder.resolve("s").toString()));
        words.addAll(List.of(option.split(" ", 2)));
        AcpRun refused = acp(words.toArray(String[]::new)).run();

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains(option.split(" ", 2)[0] + " cannot be combined with --socket");
    }

    @Test
    @Tag("CNX-24")
    @Tag("HST-44")
    void whatHasNoEffectAtASocketIsRefusedInAFileToo() throws Exception {
        Path file = Files.writeString(folder.resolve("serve.yaml"), "port: 8080\nsocket: /tmp/agent.sock\n");
        AcpRun refused = acp("serve", "--check", "--config", file.toString()).run();

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--port cannot be combined with --socket");
    }

    @Test
    @Tag("CNX-24")
    void linesThatAttachAtOnceHaveOneServerAndWhatItDoesNotGetIsRefused() throws Exception {
        String initialize = "{\"jsonrpc\":\"2.0\",\"method\":\"stream/open\",\"params\":{\"connectionId\":\"\"}}\n";
        List<Process> lines = new ArrayList<>();
        Path state = folder.resolve("state");
        try {
            for (int i = 0; i < 2; i++) {
                lines.add(acp("serve", "--attach")
                        .env("XDG_STATE_HOME", state.toString())
                        .agent(testAgent())
                        .start());
            }
            for (Process line : lines) {
                line.getOutputStream().write(initialize.getBytes(StandardCharsets.UTF_8));
                line.getOutputStream().flush();
                assertThat(line.inputReader().readLine()).contains("stream/open");
            }
            try (var files = Files.list(state.resolve("acp/attach"))) {
                assertThat(files)
                        .filteredOn(file -> file.toString().endsWith(".log"))
                        .hasSize(1)
                        .allSatisfy(log -> assertThat(Files.readString(log)).containsOnlyOnce("listening"));
            }
        } finally {
            for (Process line : lines) {
                line.descendants().forEach(ProcessHandle::destroyForcibly);
                line.destroyForcibly();
            }
        }

        AcpRun options =
                acp("serve", "--attach", "--per", "user").agent(testAgent()).run();
        assertThat(options.exitCode()).isEqualTo(2);
        assertThat(options.err()).contains("--per cannot be combined with --attach");
    }

    @Test
    @Tag("HST-18")
    @Tag("HST-20")
    void waysToKnowUsersThatDoNotGoTogetherAreMisuse() throws Exception {
        Path tokens = privateFile("tokens", "alice alice-has-this-token-in-tests\n");
        List<List<String>> wrong = List.of(
                List.of("--oidc", "https://login.example"),
                List.of("--oidc", "https://login.example", "--audience", "acp", "--tokens", tokens.toString()),
                List.of("--client-ca", tokens.toString()),
                List.of("--proxy-protocol"));
        List<String> said = new ArrayList<>();
        for (List<String> options : wrong) {
            List<String> words = new ArrayList<>(List.of("serve", "--check"));
            words.addAll(options);
            AcpRun run = acp(words.toArray(String[]::new)).run();
            assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
            said.add(run.err());
        }

        assertThat(said.get(0)).contains("--oidc needs --audience");
        assertThat(said.get(1)).contains("--tokens and --oidc cannot be combined");
        assertThat(said.get(2)).contains("--client-ca needs TLS");
        assertThat(said.get(3)).contains("--proxy-protocol needs --trusted-proxy");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--port=-1",
                "--metrics-port=99999",
                "--prestart=-1",
                "--delete-unused=-1",
                "--turns-per-day=-1",
                "--bytes-per-second=-1",
                "--connections=0",
                "--connections-per-user=0",
                "--connections-per-address=0",
                "--processes=0",
                "--processes-per-user=0",
                "--starts-per-minute=0",
                "--sessions-per-user=0",
                "--requests-per-minute=0",
                "--stored-bytes-per-user=0",
                "--queued-bytes=0",
                "--message-bytes=0",
                "--webhook=https://hooks.example",
                "--webhook=https://hooks.example --webhook-secret=missing"
            })
    @Tag("HST-44")
    void aCheckFindsWhatCannotBeServed(String options) throws Exception {
        List<String> words = new ArrayList<>(List.of("serve", "--check"));
        words.addAll(List.of(options.split(" ")));
        AcpRun run = acp(words.toArray(String[]::new))
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err())
                .contains(options.contains("missing") ? "there is no missing" : options.replaceAll("=.*", ""))
                .doesNotContain("report it");
    }

    @Test
    @Tag("HST-44")
    void aStartRefusesWhatACheckRefuses() throws Exception {
        AcpRun run = acp("serve", "--port", "0", "--processes", "0")
                .env("XDG_STATE_HOME", folder.resolve("state").toString())
                .run();

        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains("expected --processes 1 or more, got 0");
    }

    @Test
    @Tag("HST-44")
    void aCheckMakesNoFile() throws Exception {
        Path tokens = privateFile("tokens", "alice alice-has-this-token-in-tests\n");
        Path made = folder.resolve("made");
        List<List<String>> servers = List.of(
                List.of(),
                List.of("--tls-self-signed", "--store", made + "/store"),
                List.of("--tokens", tokens.toString(), "--per", "user", "--root", made + "/root"),
                List.of("--socket", made + "/agent.sock"));
        for (List<String> options : servers) {
            List<String> words = new ArrayList<>(List.of("serve", "--check"));
            words.addAll(options);
            AcpRun run = acp(words.toArray(String[]::new))
                    .env("XDG_STATE_HOME", made.resolve("state").toString())
                    .run();

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(made).doesNotExist();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json"})
    @Tag("HST-38")
    void whatFailsInTheServerIsLoggedWithWhereButWithoutSecrets(String way) throws Exception {
        List<String> command = new ArrayList<>(AcpRun.java(LoggingProgram.class));
        command.add(way);
        Process process = new ProcessBuilder(command).start();
        process.getOutputStream().close();
        List<String> lines = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        String stack = way.equals("json")
                ? ((JsonObject) RawJson.parse(lines.getFirst()).value())
                        .text("stack")
                        .orElseThrow()
                : String.join("\n", lines.subList(1, lines.size()));

        assertThat(lines).hasSizeGreaterThanOrEqualTo(way.equals("json") ? 1 : 3);
        assertThat(lines.getFirst()).contains("a request was not answered").contains("dev.acp4j.http");
        assertThat(stack)
                .contains("IllegalStateException: of a test")
                .contains("LoggingProgram.main")
                .doesNotContain(LoggingProgram.SECRET);
        if (way.equals("text")) {
            assertThat(lines.subList(1, lines.size())).allMatch(line -> line.startsWith("    "));
        }
    }

    @Test
    void mistakesAreSaidWithTheNextStep() throws Exception {
        String state = folder.resolve("state").toString();
        AcpRun used;
        AcpRun metrics;
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            used = acp("serve", "--port", Integer.toString(other.getLocalPort()))
                    .env("XDG_STATE_HOME", state)
                    .run();
            metrics = acp("serve", "--port", "0", "--metrics-port", Integer.toString(other.getLocalPort()))
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
        Path secret = privateFile("secret", "a-secret-for-webhooks-in-tests");
        AcpRun webhook = acp(
                        "serve",
                        "--port",
                        "0",
                        "--webhook",
                        "http://hooks.example/acp",
                        "--webhook-secret",
                        "" + secret)
                .env("XDG_STATE_HOME", state)
                .agent(testAgent())
                .run();
        AcpRun owners =
                acp("serve", "--check", "--session-owners", "owners.jsonl").run();

        assertThat(used.exitCode()).isEqualTo(1);
        assertThat(used.err()).contains("Address already in use").contains("another port with --port");
        assertThat(metrics.exitCode()).isEqualTo(1);
        assertThat(metrics.err()).contains("Address already in use").contains("another port with --metrics-port");
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).contains("no-such-agent-anywhere");
        assertThat(certificate.exitCode()).isEqualTo(2);
        assertThat(certificate.err()).contains("cert.pem: expected certificates as PEM");
        assertThat(per.exitCode()).isEqualTo(2);
        assertThat(per.err()).contains("expected --per connection or user, got planet");
        assertThat(webhook.exitCode()).isEqualTo(2);
        assertThat(webhook.err()).contains("--webhook with http needs --webhook-private");
        assertThat(owners.exitCode()).isEqualTo(2);
        assertThat(owners.err()).contains("--session-owners needs --tokens, --oidc or --client-ca");
    }
}
