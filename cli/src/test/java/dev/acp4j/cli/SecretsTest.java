package dev.acp4j.cli;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An agent that spills secrets of all kinds: to standard error, between its messages, and in an error. */
@EnabledOnOs(OS.LINUX)
@Timeout(180)
class SecretsTest {
    private static final String RANDOM = "Zq7Wm2Rk9Tx4Vb6Np1Ls8Dh3Jf5Gc0YaUe4Io";

    private static final List<String> VARIABLES = List.of(
            "LINES_SECRET=geheim line one\ngeheim line two",
            "SLASH_API_KEY=/geheim/Z+w==",
            "QUOTED_TOKEN=geheim\"quo\\ted/\u00e9",
            "SEVEN_TOKEN=geheim7",
            "DB_PASS=geheim-pass",
            "PGPASS=geheim-pgpass",
            "MYSQL_PWD=geheim-pwd",
            "SSH_PASSPHRASE=geheim-phrase",
            "GITHUB_PAT=geheim-pat-1",
            "NPM_AUTH=geheim-auth-1",
            "SESSION_COOKIE=geheim-cookie",
            "SIGNING_JWT=geheim-jwt",
            "DATABASE_URL=postgres://ada:geheim-db@host/db");

    /** What the agent writes besides the values of its variables. */
    private static final String SPILLED = """
            {"password": "geheim-member", "n": 1, "pin": 8346291}
            password: geheim-colon
            token=geheim-equals
            x-api-key: geheim-header
            Set-Cookie: id=geheim-cookie; Path=/
            Authorization: Digest geheim-digest
            curl --token geheim-4711 https://ada:geheim-url@host/?api_key=geheim-query
            as written in JSON: geheim\\"quo\\\\ted\\/\\u00E9
            stripe sk_live_RANDOM slack xapp-1-RANDOM
            -----BEGIN RSA PRIVATE KEY-----
            geheimRANDOM
            gehm==
            -----END RSA PRIVATE KEY-----
            that was all: 3 tokens
            """.replace("RANDOM", RANDOM);

    private static final String SCRIPT = """
            cd "$(dirname "$0")"
            spill() { env | grep -a -A1 geheim; cat spilled; }
            hello
            ask; spill >&2; spill; say '"id":'$id',"result":{"sessionId":"s"}'
            refuse '{"code":-32603,"message":"password=geheim-message","data":{"pin":8346291,"text":"token: geheim-data"}}'
            ask
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private Path agent = Path.of("");

    @BeforeEach
    void writeAgent() throws IOException {
        Files.writeString(folder.resolve("spilled"), SPILLED);
        agent = Files.createFile(
                folder.resolve("agent"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Files.writeString(agent, FailingAgents.PRELUDE + SCRIPT);
    }

    private static void assertClean(String shown) {
        assertThat(shown).doesNotContain("geheim", "gehm", "8346291", RANDOM.substring(4));
    }

    private AcpRun run(String... command) {
        List<String> args = new ArrayList<>(List.of(command));
        for (String variable : VARIABLES) {
            args.addAll(1, List.of("--env", variable));
        }
        return acp(args.toArray(String[]::new)).agent(agent.toString()).run();
    }

    @Test
    @Tag("TRC-06")
    void noneIsInATraceOrInWhatIsSaid() throws Exception {
        Path trace = folder.resolve("a.trace.jsonl");
        Path page = folder.resolve("page.html");

        AcpRun prompt = run("prompt", "-v", "--trace", trace.toString(), "hello");
        AcpRun shown = acp("trace", "show", trace.toString()).run();
        AcpRun raw = acp("trace", "show", "--raw", trace.toString()).run();
        AcpRun json = acp("trace", "show", "--json", trace.toString()).run();
        AcpRun html = acp("trace", "show", "--html", page.toString(), trace.toString())
                .run();

        assertThat(prompt.err()).contains("password=***", "agent: token=***", "that was all: 3 tokens", "noise: ");
        assertThat(Files.readString(trace)).contains("that was all: 3 tokens", "\"pin\":\"***\"", "password=***");
        assertThat(html.exitCode()).isZero();
        for (String text : List.of(
                prompt.err(),
                prompt.out(),
                Files.readString(trace),
                shown.out(),
                raw.out(),
                json.out(),
                Files.readString(page))) {
            assertClean(text);
        }
    }

    @Test
    @Tag("TRC-06")
    void noneIsInAReportOfAFailure() throws Exception {
        Files.writeString(
                agent, FailingAgents.PRELUDE + "cd \"$(dirname \"$0\")\"\nask; cat spilled >&2; cat spilled; exit 3\n");

        AcpRun prompt = run("prompt", "hello");
        AcpRun doctor = run("doctor");
        AcpRun json = run("doctor", "--json");

        assertThat(prompt.err()).contains("that was all: 3 tokens");
        assertThat(doctor.out()).contains("that was all: 3 tokens");
        for (AcpRun run : List.of(prompt, doctor, json)) {
            assertClean(run.out() + run.err());
        }
    }

    @Test
    @Tag("TRC-06")
    void noneIsInWhatDoctorSays() {
        AcpRun doctor = run("doctor", "--prompt", "hello");
        AcpRun json = run("doctor", "--json", "--prompt", "hello");

        assertThat(doctor.out()).contains("password=***");
        assertClean(doctor.out() + doctor.err());
        assertClean(json.out() + json.err());
    }

    @Test
    @Tag("TRC-06")
    void noneIsInTheTraceOfARelay() throws Exception {
        Path trace = folder.resolve("a.trace.jsonl");
        AcpRun.Builder relay = acp("trace", "-q", "-o", trace.toString())
                .agent(agent.toString(), "--token", "geheim-argument", "--url=https://ada:geheim@host/")
                .input(
                        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"apiKey\":4711,\"passphrase\":8346291}}\n"
                                + "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/\",\"mcpServers\":["
                                + "{\"name\":\"a\",\"command\":\"x\",\"args\":[\"--token\",\"geheim-1\",\"--api-key=geheim-2\"],"
                                + "\"env\":[{\"name\":\"A\",\"value\":\"geheim-3\"}]},{\"type\":\"http\",\"name\":\"b\","
                                + "\"url\":\"https://ada:geheim-4@host/?api_key=geheim-5\","
                                + "\"headers\":[{\"name\":\"X\",\"value\":\"geheim-6\"}]}]}}\n"
                                + "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\"}}\n");
        for (String variable : VARIABLES) {
            int equals = variable.indexOf('=');
            relay.env(variable.substring(0, equals), variable.substring(equals + 1));
        }

        AcpRun run = relay.run();

        assertThat(run.out()).contains("geheim-message");
        assertThat(Files.readString(trace)).contains("that was all: 3 tokens", "session/prompt");
        assertClean(Files.readString(trace));
    }
}
