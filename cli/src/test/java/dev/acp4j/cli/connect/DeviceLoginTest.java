package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.acp4j.Agent;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.http.Authenticator;
import dev.acp4j.http.Http;
import dev.acp4j.http.Principal;
import dev.acp4j.http.RunningServer;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code acp login URL}, against an authorization server that is played by the test. */
@Timeout(120)
@Tag("CNX-14")
class DeviceLoginTest {
    @TempDir
    private Path folder;

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<Map<String, String>> forms = new CopyOnWriteArrayList<>();
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final Set<String> good = ConcurrentHashMap.newKeySet();
    private final CopyOnWriteArrayList<String> answers = new CopyOnWriteArrayList<>();
    private TestWeb authorization;
    private RunningServer server;
    private volatile String described = "";

    private static Agent agent() {
        return Agent.builder("remote", "1.0")
                .onPrompt(turn -> turn.message("You said: " + turn.text()))
                .build();
    }

    @BeforeEach
    void open() throws Exception {
        authorization = new TestWeb(this::answer);
        server = Http.on(0)
                .drainTime(Duration.ZERO)
                .authenticator(credentials -> {
                    String header = credentials.header("Authorization");
                    sent.add(String.valueOf(header));
                    boolean isGood = header != null && good.contains(header);
                    return isGood
                            ? new Authenticator.Allowed(Principal.of("me"))
                            : new Authenticator.Refused("Bearer realm=\"agents\", resource_metadata=\""
                                    + authorization.uri().resolve("/metadata") + "\"");
                })
                .start(agent()::connect);
        described = server.uri().toString();
    }

    @AfterEach
    void close() {
        server.close();
        authorization.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        requests.add(exchange.getRequestMethod() + " " + path);
        URI base = authorization.uri();
        Map<String, String> form = new TreeMap<>();
        if (body.contains("=") && !body.startsWith("{")) {
            form.putAll(Arrays.stream(body.split("&"))
                    .map(pair -> pair.split("=", 2))
                    .collect(Collectors.toMap(
                            pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8))));
            forms.add(form);
        }
        switch (path) {
            case "/metadata" ->
                json(
                        exchange,
                        200,
                        "{\"resource\":\"" + described + "\",\"authorization_servers\":[\"" + base.resolve("/issuer")
                                + "\"],\"scopes_supported\":[\"agent\",\"offline_access\"]}");
            case "/.well-known/oauth-authorization-server/issuer" ->
                json(
                        exchange,
                        200,
                        "{\"issuer\":\"" + base.resolve("/issuer")
                                + "\",\"device_authorization_endpoint\":\"" + base.resolve("/device")
                                + "\",\"token_endpoint\":\"" + base.resolve("/token")
                                + "\",\"registration_endpoint\":\"" + base.resolve("/register")
                                + "\",\"revocation_endpoint\":\"" + base.resolve("/revoke") + "\"}");
            case "/register" -> json(exchange, 201, "{\"client_id\":\"client-7\"}");
            case "/device" ->
                json(
                        exchange,
                        200,
                        "{\"device_code\":\"device-code-1\",\"user_code\":\"WDJB-MJHT\","
                                + "\"verification_uri\":\"https://login.example/device\",\"expires_in\":60,\"interval\":1}");
            case "/token" -> {
                String answer = answers.isEmpty() ? "400 {\"error\":\"invalid_grant\"}" : answers.removeFirst();
                json(exchange, Integer.parseInt(answer.substring(0, 3)), answer.substring(4));
            }
            default -> json(exchange, path.equals("/revoke") ? 200 : 404, "{}");
        }
    }

    private static void json(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static String tokens(int number) {
        return "200 {\"access_token\":\"access-" + number + "\",\"refresh_token\":\"refresh-" + number
                + "\",\"token_type\":\"Bearer\",\"expires_in\":3600}";
    }

    private AcpRun.Builder run(String... words) {
        return acp(words)
                .env("XDG_STATE_HOME", folder.toString())
                .env("XDG_CONFIG_HOME", folder.toString())
                .env("ACP_TOKEN", "");
    }

    private AcpRun logIn() {
        answers.addAll(List.of("400 {\"error\":\"authorization_pending\"}", tokens(1)));
        good.add("Bearer access-1");
        return run("login", server.uri().toString()).run();
    }

    private Path kept() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("acp/logins"))) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void aCodeGivesATokenThatOnlyTheUserCanReadAndOnlyThisServerGets() throws Exception {
        AcpRun login = logIn();
        AcpRun prompt =
                run("prompt", "--url", server.uri().toString(), "Hello.").run();
        sent.clear();
        AcpRun other;
        List<String> toOther = new CopyOnWriteArrayList<>();
        try (RunningServer elsewhere = Http.on(0)
                .authenticator(credentials -> {
                    toOther.add(String.valueOf(credentials.header("Authorization")));
                    return new Authenticator.Refused("Bearer");
                })
                .start(agent()::connect)) {
            other = run("prompt", "--url", elsewhere.uri().toString(), "Hello.").run();
        }

        assertThat(login.exitCode()).as(login.err()).isZero();
        assertThat(login.err())
                .contains(
                        "Open https://login.example/device in a browser, on any machine, and enter the code WDJB-MJHT")
                .contains("Logged in. The token is in " + folder)
                .doesNotContain("access-1", "device-code-1");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept())))
                .isEqualTo("rw-------");
        assertThat(forms.getFirst())
                .containsEntry("client_id", "client-7")
                .containsEntry("scope", "agent offline_access")
                .containsEntry("resource", server.uri().toString());
        assertThat(forms.getLast())
                .containsEntry("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
                .containsEntry("device_code", "device-code-1")
                .containsEntry("client_id", "client-7");
        assertThat(prompt.exitCode()).as(prompt.err()).isZero();
        assertThat(prompt.out()).contains("You said: Hello.");
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(toOther).isNotEmpty().containsOnly("null");
        assertThat(sent).isEmpty();
    }

    @Test
    @Tag("CNX-13")
    void aTokenThatIsRefusedIsRenewedOnceForAllStreams() throws Exception {
        AcpRun unused = logIn();
        try (RawEditor editor =
                new RawEditor(run("connect", "--over", "events", server.uri().toString()))) {
            String one = editor.open("{}");
            String two = editor.newSession("/");
            editor.prompt("before", one, "Hello.");
            editor.await("\"before\"");
            int before = requests.size();
            good.remove("Bearer access-1");
            good.add("Bearer access-2");
            answers.add(tokens(2));
            editor.prompt("one", one, "Hello.");
            editor.prompt("two", two, "Hello.");
            editor.await("end_turn");
            editor.await("end_turn");

            assertThat(requests.subList(before, requests.size())).containsExactly("POST /token");
            assertThat(forms.getLast())
                    .containsEntry("grant_type", "refresh_token")
                    .containsEntry("refresh_token", "refresh-1");
            assertThat(kept()).content().contains("access-2", "refresh-2").doesNotContain("access-1");

            // It cannot be renewed any more.
            good.clear();
            editor.prompt("late", one, "Hello.");
            assertThat(editor.awaitExit()).isEqualTo(9);
            assertThat(editor.err).anyMatch(line -> line.contains("Log in with: acp login " + server.uri()));
        }
    }

    @Test
    void loggingOutForgetsTheTokenHereAndThere() throws Exception {
        AcpRun unused = logIn();
        Path kept = kept();
        AcpRun logout = run("logout", server.uri().toString()).run();
        AcpRun again = run("logout", server.uri().toString()).run();
        AcpRun prompt =
                run("prompt", "--url", server.uri().toString(), "Hello.").run();
        AcpRun doctor = run("doctor", server.uri().toString()).run();

        assertThat(logout.exitCode()).isZero();
        assertThat(logout.err()).isEqualTo("Logged out.\n");
        assertThat(kept).doesNotExist();
        assertThat(requests).contains("POST /revoke");
        assertThat(forms.getLast()).containsEntry("token", "refresh-1");
        assertThat(again.err()).isEqualTo("There was no login.\n");
        assertThat(prompt.exitCode()).isEqualTo(1);
        assertThat(prompt.err()).contains("acp login " + server.uri());
        assertThat(doctor.out()).contains("Log in with 'acp login " + server.uri());
    }

    @Test
    void whatIsRefusedOrAboutAnotherServerGivesNoToken() throws Exception {
        answers.add("400 {\"error\":\"access_denied\"}");
        AcpRun denied = run("login", server.uri().toString()).run();
        described = "https://another.example/acp";
        AcpRun other = run("login", server.uri().toString()).run();
        AcpRun open;
        try (RunningServer nobody =
                Http.on(0).authenticator(Authenticator.none()).start(agent()::connect)) {
            open = run("login", nobody.uri().toString()).run();
        }

        assertThat(denied.exitCode()).isEqualTo(1);
        assertThat(denied.err()).contains("it was refused in the browser");
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(other.err()).contains("describes is https://another.example/acp, and not " + server.uri());
        assertThat(open.exitCode()).isEqualTo(8);
        assertThat(open.err()).contains("the server asks for no login");
        assertThat(folder.resolve("acp/logins")).doesNotExist();
    }
}
