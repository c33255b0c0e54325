package dev.acp4j.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class TracerTest {
    private static final Path HERE = Path.of("").toAbsolutePath();

    @TempDir
    private Path temp;

    private final List<TraceEvent> events = new CopyOnWriteArrayList<>();
    private final Tracer tracer = Tracer.of(events::add);

    /** A conversation of one turn, traced by the client. */
    private static void converse(Tracer tracer, SessionSetup setup) throws InterruptedException {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Agent agent = Agent.builder("agent", "1")
                .sessionIds(() -> dev.acp4j.schema.SessionId.of("s1"))
                .onPrompt(turn -> turn.message("hello"))
                .build();
        try (ConnectedClient served = agent.connect(pair.left());
                ConnectedAgent connected =
                        Client.builder("client", "1").trace(tracer).connect(pair.right())) {
            assertThat(served.isOpen()).isTrue();
            assertThat(connected.newSession(setup).prompt("go").text()).isEqualTo("hello");
            assertThatThrownBy(() -> connected.call("_unknown", null)).hasMessageContaining("_unknown");
        }
    }

    private static String line(TraceEvent event) {
        return event.from() + " > " + event.to() + " " + event.type().text() + " " + event.id() + " " + event.method()
                + " " + event.session();
    }

    @Test
    @Tag("TRC-01")
    void eachMessageIsAnEventWithItsMethodAndSession() throws Exception {
        converse(tracer, SessionSetup.in(HERE));

        assertThat(events)
                .extracting(TracerTest::line)
                .startsWith(
                        "client > agent request 0 initialize null",
                        "agent > client result 0 initialize null",
                        "client > agent request 1 session/new null",
                        "agent > client result 1 session/new s1",
                        "client > agent request 2 session/prompt s1",
                        "agent > client notification null session/update s1",
                        "agent > client result 2 session/prompt s1",
                        "client > agent request 3 _unknown null",
                        "agent > client error 3 _unknown null");
        assertThat(events).extracting(TraceEvent::seconds).isSorted();
    }

    @Test
    @Tag("TRC-06")
    void secretsAreTakenOut() throws Exception {
        converse(
                tracer,
                SessionSetup.in(HERE)
                        .withMcpServers(List.of(McpServer.Stdio.of(
                                "files", "/bin/x", List.of(), List.of(EnvVariable.of("MODE", "hush-hush"))))));
        tracer.line("client", "agent", RawJson.parse("""
                {"jsonrpc":"2.0","id":9,"method":"_x","params":{"apiKey":"one","n":{"access_token":["two"]},
                "text":"use sk-abcdefghijklmnop1234 or ghp_abcdefghijklmnopqrst1234 please","maxTokens":5,
                "headers":[{"name":"X-Any","value":"three"}],"env":{"HOME":"four"}}}"""));
        tracer.stderr("agent", "Authorization: Bearer abcdefghijklmnopqrstuvwxyz");

        String all = events.toString();
        assertThat(all).doesNotContain("hush-hush", "\"one\"", "two", "abcdefghijklmnop", "three", "four");
        assertThat(all)
                .contains("use *** or *** please", "\"maxTokens\":5", "{\"name\":\"X-Any\",\"value\":\"***\"}")
                .contains("\"name\":\"MODE\"");
    }

    @Test
    @Tag("TRC-06")
    void secretsAreTakenOutOfLinesThatAreNoMessages() {
        tracer.noise("agent", "client", "  \"apiKey\": \"one\",");
        tracer.stderr("agent", "MY_TOKEN=two; password: three, tokens: 5; Authorization: Basic four");

        assertThat(events.toString()).doesNotContain("one", "two", "three", "four");
        assertThat(events.getLast().body())
                .hasToString("\"MY_TOKEN=***; password: ***, tokens: 5; Authorization: ***\"");
    }

    @ParameterizedTest
    @Tag("TRC-06")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "password: correct horse staple, user: ada | password: ***, user: ada",
                "passphrase=correct horse | passphrase=***",
                "secret = 'correct horse' and more | secret = '***' and more",
                "{\"password\":\"it's a horse\",\"user\":\"ada | {\"password\":\"***\",\"user\":\"ada",
                "{\\\"token\\\":\\\"correct horse\\\",\\\"user | {\\\"token\\\":\\\"***\\\",\\\"user",
                "Cookie: a=horse; b=staple | Cookie: ***",
                "Authorization: Digest username=\"ada\", response=\"horse\" | Authorization: ***",
                "token: horse expired at noon | token: *** expired at noon",
                "API_KEY    : horse | API_KEY    : ***",
                "token => horse | token => ***",
                "token := horse | token := ***",
                "token\t= \thorse, user = ada | token\t= \t***, user = ada",
                "\"token\":  \"horse\" | \"token\":  \"***\"",
                "PRIVATE_KEY=horse, bearer: horse | PRIVATE_KEY=***, bearer: ***"
            })
    void secretsOfSeveralWordsAreTakenOutAsAWhole(String line, String shown) {
        tracer.stderr("agent", line);

        assertThat(RawJson.string(shown)).isEqualTo(events.getLast().body());
    }

    @Test
    @Tag("TRC-06")
    void knownSecretsAreTakenOutWhereverTheyStand() {
        Tracer knowing = new Tracer(events::add, Redaction.SECRETS.and(Map.of("MY_TOKEN", "swordfish")), Time.SYSTEM);

        knowing.line(
                "agent",
                "client",
                RawJson.parse("{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":[\"is swordfish\"]}"));
        knowing.stderr("agent", "swordfish");

        assertThat(events).extracting(event -> String.valueOf(event.body())).containsExactly("[\"is ***\"]", "\"***\"");
    }

    @Test
    void redactionTakesLinearTimeForHostileText() {
        String hostile = "eyJ-".repeat(500_000) + "-----BEGIN ".repeat(100_000);
        String blanks = ("token" + " \t".repeat(100_000)).repeat(10);

        long began = System.nanoTime();
        assertThat(Redaction.SECRETS.redact(hostile)).isEqualTo(hostile);
        assertThat(Redaction.SECRETS.redact(blanks)).isEqualTo(blanks);
        Duration took = Duration.ofNanos(System.nanoTime() - began);

        // Quadratic would be days.
        assertThat(took).isLessThan(Duration.ofSeconds(30));
    }

    @Test
    @Tag("TRC-04")
    void aSinkThatFailsDoesNotDisturbTheConnection() throws Exception {
        Tracer broken = Tracer.of(event -> {
            throw new IOException("disk full");
        });

        converse(broken, SessionSetup.in(HERE));

        assertThat(broken.failure()).hasMessage("disk full");
    }

    @Test
    void anEndOfItsOwnAccordIsRecordedWithItsCause() throws Exception {
        Transport.Reader reader = traced(() -> {
            throw new IOException("the agent ended with exit code 3, MY_TOKEN=one");
        });

        assertThatThrownBy(reader::read).isInstanceOf(IOException.class);

        assertThat(events).extracting(TracerTest::line).containsExactly("agent > client end null null null");
        assertThat(events.getFirst().body()).hasToString("\"the agent ended with exit code 3, MY_TOKEN=***\"");
    }

    @Test
    @Tag("TRC-04")
    void aMessageThatIsTooLargeToBeReadIsNoEnd() throws Exception {
        byte[] head = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"_x\",\"params\":{".getBytes(StandardCharsets.UTF_8);
        Transport.Reader reader = traced(() -> Message.oversized(head, 1000));

        assertThat(reader.read()).isEqualTo(Message.oversized(head, 1000));

        assertThat(events).extracting(TracerTest::line).containsExactly("agent > client request 7 _x null");
        assertThat(events.getFirst().body()).hasToString("{\"leftOut\":\"more than 1000 bytes\"}");
    }

    private Transport.Reader traced(Transport.Reader reader) {
        Transport transport = new Transport() {
            @Override
            public Transport.Reader reader() {
                return reader;
            }

            @Override
            public Transport.Writer writer() {
                return MemoryTransport.pair().left().writer();
            }

            @Override
            public void close() {}
        };
        return tracer.watch(transport, "client", "agent").reader();
    }

    @Test
    @Tag("TRC-04")
    void whatIsNoMessageIsNoise() {
        for (String line : List.of("hello", "[1,2]", "{\"a\":1}", "{\"id\":1}", "7", "{")) {
            byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
            tracer.line("agent", "client", RawJson.wrap(bytes, 0, bytes.length));
        }

        assertThat(events)
                .hasSize(6)
                .allSatisfy(event -> assertThat(event.type()).isEqualTo(TraceEvent.Type.NOISE));
        assertThat(events.getFirst().body()).hasToString("\"hello\"");
    }

    @Test
    @Tag("TRC-05")
    void requestsWithoutAnswersAreForgottenInTheEnd() {
        for (int id = 0; id <= 10_000; id++) {
            tracer.line("client", "agent", RawJson.parse("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"m\"}"));
        }
        events.clear();

        tracer.line("agent", "client", RawJson.parse("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}"));
        tracer.line("agent", "client", RawJson.parse("{\"jsonrpc\":\"2.0\",\"id\":10000,\"result\":{}}"));

        assertThat(events).extracting(TraceEvent::method).containsExactly(null, "m");
    }

    @Test
    void ofAMessageThatIsTooLargeItIsKeptWhoAskedWhatWhere() {
        cut(
                "agent",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"fs/write_text_file\",\"params\":{\"sessionId\":\"s1\",\"content\":\"aa");
        cut("client", "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-1,\"message\":\"bb");
        cut("agent", "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":[[[");
        cut("agent", "all work and no play");

        assertThat(events)
                .extracting(TracerTest::line)
                .containsExactly(
                        "agent > client request 7 fs/write_text_file s1",
                        "client > agent error 7 fs/write_text_file s1",
                        "agent > client notification null session/update null",
                        "agent > client noise null null null");
        assertThat(events.getFirst().body()).hasToString("{\"leftOut\":\"104857600 bytes\"}");
    }

    private void cut(String from, String beginning) {
        byte[] bytes = beginning.getBytes(StandardCharsets.UTF_8);
        String to = from.equals("agent") ? "client" : "agent";
        tracer.cut(from, to, RawJson.wrap(bytes, 0, bytes.length), 104_857_600);
    }

    @Test
    @Tag("TST-05")
    void aFileGivesBackWhatWasWrittenToIt() throws Exception {
        Path file = temp.resolve("a.trace");
        try (TraceFile trace = TraceFile.create(file, "test")) {
            Tracer writing = Tracer.of(event -> {
                // The end of the connection may be seen when the file is closed already.
                trace.event(event);
                events.add(event);
            });
            converse(writing, SessionSetup.in(HERE));
            writing.stderr("agent", "warn\u001b[31m");
            assertThat(writing.failure()).isNull();
        }

        List<TraceEvent> read = TraceFile.read(file);

        assertThat(TraceFile.header(file).subject()).isEqualTo("test");
        assertThat(TraceFile.header(file).began()).isBetween(Instant.EPOCH, Instant.now());
        assertThat(read).hasSameSizeAs(events);
        assertThat(read)
                .extracting(TraceEvent::toString)
                .containsExactlyElementsOf(
                        events.stream().map(TraceEvent::toString).toList());
        assertThat(read.getFirst().message())
                .hasToString(events.getFirst().message().toString());
        assertThat(read.getFirst().message().toString())
                .startsWith("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{");
    }

    @Test
    void aTornLastLineIsLeftOutAndABrokenOneIsNamed() throws Exception {
        Path file = temp.resolve("a.trace");
        String header = "{\"trace\":1,\"began\":\"2026-01-01T00:00:00Z\",\"subject\":\"x\"}\n";
        String event = "{\"ts\":0.1,\"type\":\"stderr\",\"from\":\"agent\",\"text\":\"x\"}\n";

        Files.writeString(file, header + event + "{\"ts\":0.2,\"ty");
        assertThat(TraceFile.read(file)).hasSize(1);

        Files.writeString(file, header + "{\"ts\":0.2,\"type\":\"song\",\"from\":\"a\"}\n" + event);
        assertThatThrownBy(() -> TraceFile.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a.trace, line 2: ")
                .hasMessageContaining("unknown event type: song");

        for (String first : List.of(
                "{\"hello\":1}", "", "hello", "{\"trace\":2,\"began\":\"2026-01-01T00:00:00Z\"}", "{\"trace\":1}")) {
            Files.writeString(file, first + "\n");
            assertThatThrownBy(() -> TraceFile.read(file)).hasMessageContaining("a.trace: not a trace");
            assertThatThrownBy(() -> TraceFile.header(file)).hasMessageContaining("a.trace: not a trace");
        }
    }

    @Test
    @Tag("SEC-01")
    void aTraceHasALimit() throws Exception {
        Path file = temp.resolve("a.trace");
        try (TraceFile trace = TraceFile.create(file, "test", 300)) {
            Tracer writing = Tracer.of(trace);
            for (int i = 0; i < 100; i++) {
                writing.stderr("agent", "line " + i);
            }
            assertThat(writing.failure()).hasMessageContaining("limit of 300 bytes");
        }

        assertThat(Files.size(file)).isLessThanOrEqualTo(300);
        assertThat(TraceFile.read(file)).isNotEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aDeviceIsWrittenToAndNotReplaced() {
        Path full = Path.of("/dev/full");

        assertThatThrownBy(() -> TraceFile.create(full, "test")).isInstanceOf(IOException.class);

        assertThat(full).exists();
        assertThat(Files.isRegularFile(full)).isFalse();
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void onlyItsOwnerMayReadATrace() throws Exception {
        Path file = Files.writeString(temp.resolve("a.trace"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        TraceFile.create(file, "test").close();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }
}
