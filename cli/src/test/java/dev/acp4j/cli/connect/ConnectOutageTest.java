package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.ServerEvent;
import dev.acp4j.http.ServerLimits;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.ToolKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an editor sees of outages, the end, and what cannot be mended, through {@code acp connect} as a process. */
@Timeout(120)
class ConnectOutageTest {
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** Why a connection ends that no client has ended. */
    private static final String END_BY_GRACE = "no client came back within 5 s";

    private static final String TOKEN = "a-token-that-is-long-enough";

    private final Semaphore steps = new Semaphore(0);
    private final LinkedBlockingQueue<String> prompts = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> decisions = new LinkedBlockingQueue<>();
    private final CountDownLatch disconnected = new CountDownLatch(1);
    private TcpPath path;

    @BeforeEach
    void open() throws Exception {
        path = new TcpPath("http");
    }

    @AfterEach
    void close() throws Exception {
        path.close();
    }

    /** Counts step by step, asks, waits to be cancelled, or says what it got. */
    private Agent agent() {
        return Agent.builder("remote", "1.0")
                .onResumeSession(session -> {})
                .onDisconnect(client -> disconnected.countDown())
                .onPrompt(turn -> {
                    String text = turn.text();
                    prompts.add(text.length() > 20 ? text.length() + " characters" : text);
                    if (text.startsWith("count ")) {
                        for (int i = 1; i <= Integer.parseInt(text.substring(6)); i++) {
                            turn.message("step-" + i + ".");
                            steps.acquire();
                        }
                    } else if (text.equals("ask")) {
                        decisions.add(turn.toolCall("Edit", ToolKind.EDIT)
                                .requestPermission()
                                .toString());
                        turn.message("decided");
                    } else if (text.equals("wait")) {
                        turn.message("waiting");
                        try {
                            new CountDownLatch(1).await();
                        } finally {
                            prompts.add("cancelled");
                        }
                    } else {
                        turn.message("You said " + text.length());
                    }
                })
                .build();
    }

    private HttpServer server() {
        return Http.on(0)
                .allowedHosts(path.host())
                .tokens(BearerTokens.of("me", TOKEN))
                .limits(ServerLimits.STANDARD.withLiveness(Duration.ofSeconds(1), Duration.ofSeconds(30)))
                .drainTime(Duration.ZERO);
    }

    private RunningServer serve() throws Exception {
        RunningServer server = server().start(agent()::connect);
        path.leadTo(server.uri());
        return server;
    }

    private RawEditor connect(String over) throws Exception {
        return new RawEditor(
                acp("connect", "--over", over, path.uri().toString()).env("ACP_TOKEN", TOKEN));
    }

    @ParameterizedTest
    @CsvSource({"events,cut", "websocket,cut", "events,black hole", "websocket,black hole"})
    @Tag("CNX-04")
    void anOutageInTheMiddleOfATurnLosesAndRepeatsNothing(String over, String outage) throws Exception {
        int count = 6;
        try (RunningServer server = serve();
                RawEditor editor = connect(over)) {
            String session = editor.open("{}");
            editor.prompt("turn", session, "count " + count);
            editor.await("step-1.");
            path.swallow(outage.equals("black hole"));
            if (outage.equals("cut")) {
                path.refuse(true);
            }
            // Said while nobody hears it.
            steps.release(2);
            if (outage.equals("cut")) {
                path.awaitRefused(2);
                path.refuse(false);
            } else {
                // Five silent intervals are an outage.
                path.awaitConnection();
                path.swallow(false);
                path.cut();
            }
            editor.await("step-3.");
            path.cut();
            steps.release(count);
            assertThat(editor.await("\"turn\"")).contains("end_turn");
            assertThat(editor.end()).isZero();

            for (int i = 1; i <= count; i++) {
                String step = "step-" + i + ".";
                assertThat(editor.out).filteredOn(line -> line.contains(step)).hasSize(1);
            }
            assertThat(prompts).containsExactly("count " + count);
            assertThat(server.isReady()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"events", "websocket"})
    @Tag("CNX-05")
    void aProcessThatWasStoppedDoesNotUseTheConnectionsThatHaveDiedMeanwhile(String over) throws Exception {
        try (RunningServer server = serve();
                RawEditor editor = connect(over)) {
            String session = editor.open("{}");
            editor.prompt("turn", session, "count 3");
            editor.await("step-1.");
            signal(editor, "STOP");
            path.swallow(true);
            steps.release(1);
            // The step, and a sign of life.
            path.awaitSwallowed(2);
            path.swallow(false);
            signal(editor, "CONT");
            editor.await("step-2.");
            steps.release(2);
            assertThat(editor.await("\"turn\"")).contains("end_turn");
            assertThat(editor.end()).isZero();

            for (int i = 1; i <= 3; i++) {
                String step = "step-" + i + ".";
                assertThat(editor.out).filteredOn(line -> line.contains(step)).hasSize(1);
            }
            assertThat(server.isReady()).isTrue();
        }
    }

    private static void signal(RawEditor editor, String signal) throws Exception {
        Process kill = new ProcessBuilder("kill", "-s", signal, Long.toString(editor.process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"events", "websocket"})
    @Tag("CNX-11")
    void whatIsKeptGoesOnAtTheServerWhenTheEditorHasGone(String over) throws Exception {
        LinkedBlockingQueue<ServerEvent> events = new LinkedBlockingQueue<>();
        try (RunningServer server = server().limits(ServerLimits.STANDARD.withGrace(GRACE))
                .onEvent(events::add)
                .start(agent()::connect)) {
            path.leadTo(server.uri());
            try (RawEditor editor = new RawEditor(
                    acp("connect", "--keep", "--over", over, path.uri().toString())
                            .env("ACP_TOKEN", TOKEN))) {
                String session = editor.open("{}");
                editor.prompt("turn", session, "wait");
                editor.await("waiting");
                assertThat(editor.end()).isZero();
                assertThat(editor.err).isEmpty();
            }

            assertThat(endOf(events)).isEqualTo(END_BY_GRACE);
        }
    }

    @Test
    @Tag("CNX-11")
    void aQuestionThatIsKeptGetsNoAnswerInTheNameOfTheEditor() throws Exception {
        LinkedBlockingQueue<ServerEvent> events = new LinkedBlockingQueue<>();
        try (RunningServer server = server().limits(ServerLimits.STANDARD.withGrace(GRACE))
                .onEvent(events::add)
                .start(agent()::connect)) {
            path.leadTo(server.uri());
            try (RawEditor editor = new RawEditor(kept())) {
                String session = editor.open("{}");
                editor.prompt("turn", session, "ask");
                editor.await("session/request_permission");
                assertThat(editor.end()).isZero();
            }

            // An answer in its name would have come before.
            assertThat(decisions).isEmpty();
            assertThat(endOf(events)).isEqualTo(END_BY_GRACE);
        }
    }

    @Test
    @Tag("CNX-11")
    void aTurnIsKeptAlsoWhenTheReaderOfStandardOutputLeavesFirst() throws Exception {
        LinkedBlockingQueue<ServerEvent> events = new LinkedBlockingQueue<>();
        try (RunningServer server = server().limits(ServerLimits.STANDARD.withGrace(GRACE))
                .onEvent(events::add)
                .start(agent()::connect)) {
            path.leadTo(server.uri());
            Process process = kept().start();
            try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
                request(process, "init", "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");
                assertThat(out.readLine()).contains("\"init\"");
                request(process, "new", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
                String session = out.readLine().replaceFirst(".*\"sessionId\":\"([^\"]+)\".*", "$1");
                request(
                        process,
                        "turn",
                        "session/prompt",
                        "{\"sessionId\":\"" + session + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"wait\"}]}");
                assertThat(out.readLine()).contains("waiting");
            }
            // Its answer finds that nobody reads.
            request(process, "other", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            process.getErrorStream().close();

            assertThat(endOf(events)).isEqualTo(END_BY_GRACE);
        }
    }

    private AcpRun.Builder kept() {
        return acp("connect", "--keep", "--over", "websocket", path.uri().toString())
                .env("ACP_TOKEN", TOKEN);
    }

    /** Waits for the end of the connection; returns its reason. */
    private static String endOf(LinkedBlockingQueue<ServerEvent> events) throws InterruptedException {
        ServerEvent next = events.take();
        while (true) {
            if (next instanceof ServerEvent.ConnectionEnded ended) {
                return ended.reason();
            }
            next = events.take();
        }
    }

    private static void request(Process process, String id, String method, String params) throws IOException {
        String json =
                "{\"jsonrpc\":\"2.0\",\"id\":\"" + id + "\",\"method\":\"" + method + "\",\"params\":" + params + "}\n";
        process.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    @ParameterizedTest
    @ValueSource(strings = {"events", "websocket"})
    @Tag("CNX-11")
    void aGoodbyeThatNobodyAnswersTakesTwoSeconds(String over) throws Exception {
        try (RunningServer server = serve();
                RawEditor editor = connect(over)) {
            String session = editor.open("{}");
            editor.prompt("first", session, "Hello.");
            editor.await("\"first\"");
            path.swallow(true);
            long since = System.nanoTime();
            int code = editor.end();
            Duration lasted = Duration.ofNanos(System.nanoTime() - since);

            // With the end of the process; without the limit, it would take the twenty seconds of a request.
            assertThat(lasted).isLessThan(Duration.ofSeconds(8));
            assertThat(code).isZero();
            assertThat(server.isReady()).isTrue();
        }
    }

    @Test
    @Tag("CNX-07")
    void anOutageThatLastsIsToldToPeopleAndToEditorsThatTakeNotices() throws Exception {
        try (RunningServer server = serve();
                RawEditor editor = connect("auto")) {
            String session = editor.open("{\"session\":{\"notices\":{}}}");
            editor.prompt("first", session, "Hello.");
            editor.await("\"first\"");
            path.refuse(true);
            editor.awaitErr("does not answer; trying again, and what you send waits");
            assertThat(editor.await("\"notice\"")).contains(session, "\"severity\":\"warning\"", "does not answer");
            path.refuse(false);
            editor.awaitErr(" s; nothing was lost");
            assertThat(editor.await("\"notice\"")).contains(session, "\"severity\":\"info\"", "nothing was lost");
            assertThat(editor.end()).isZero();

            assertThat(editor.err).hasSize(2);
            assertThat(editor.out).noneMatch(line -> line.contains("agent_message") && line.contains("answer"));
            assertThat(server.isReady()).isTrue();
        }
    }

    @Test
    @Tag("CNX-07")
    void aShortOutageIsNobodysBusinessAndAnEditorWithoutNoticesGetsNone() throws Exception {
        try (RunningServer server = serve();
                RawEditor editor = connect("auto")) {
            String session = editor.open("{}");
            path.refuse(true);
            path.awaitRefused(1);
            path.refuse(false);
            editor.prompt("short", session, "Hello.");
            editor.await("\"short\"");
            assertThat(editor.err).isEmpty();
            path.refuse(true);
            editor.awaitErr("does not answer");
            path.refuse(false);
            editor.awaitErr("nothing was lost");
            assertThat(editor.end()).isZero();

            assertThat(editor.out).noneMatch(line -> line.contains("\"notice\""));
            assertThat(server.isReady()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"events", "websocket"})
    @Tag("CNX-08")
    void whatIsSentMeanwhileWaitsInOrderAndACancellationComesFirst(String over) throws Exception {
        try (RunningServer server = serve();
                RawEditor editor = connect(over)) {
            String busy = editor.open("{}");
            String other = editor.newSession("/");
            editor.prompt("busy", busy, "wait");
            editor.await("waiting");
            path.refuse(true);
            path.awaitRefused(1);
            String large = "x".repeat(5 * 1024 * 1024);
            editor.prompt("one", other, large);
            editor.prompt("too-much", other, large);
            assertThat(editor.await("\"too-much\"")).contains("\"error\"", "too much waits");
            editor.prompt("two", other, "small");
            editor.send(
                    "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"" + busy + "\"}}");
            path.awaitRefused(1);
            path.refuse(false);
            editor.awaitAll("\"busy\"", "\"one\"", "\"two\"");
            assertThat(editor.end()).isZero();

            assertThat(editor.out)
                    .anyMatch(line -> line.contains("\"busy\"") && line.contains("cancelled"))
                    .anyMatch(line -> line.contains("\"one\"") && line.contains("end_turn"))
                    .anyMatch(line -> line.contains("\"two\"") && line.contains("end_turn"));
            assertThat(prompts).containsExactly("wait", "cancelled", large.length() + " characters", "small");
            assertThat(server.isReady()).isTrue();
        }
    }

    @Test
    @Tag("DUR-42")
    void linesInARowRecoverEachByItself(@TempDir Path folder) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), TOKEN);
        Path unused = Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        List<String> connect = new ArrayList<>(AcpRun.java(Acp.class));
        connect.addAll(List.of(
                "connect",
                "--over",
                "events",
                "--token-file",
                token.toString(),
                path.uri().toString()));
        try (RunningServer inner = serve();
                TcpPath outer = new TcpPath("http")) {
            Process served = acp("serve", "--port", "0", "--json", "--drain", "1s", "--host", outer.host())
                    .env("XDG_STATE_HOME", folder.toString())
                    .agent(connect.toArray(String[]::new))
                    .redirected("2>>" + folder.resolve("log"))
                    .start();
            try (BufferedReader out = served.inputReader(StandardCharsets.UTF_8)) {
                JsonObject started = (JsonObject) RawJson.parse(out.readLine()).value();
                outer.leadTo(URI.create(started.text("url").orElseThrow()));
                try (RawEditor editor = new RawEditor(acp(
                        "connect",
                        "--over",
                        "events",
                        "--token-file",
                        started.text("tokens").orElseThrow(),
                        outer.uri().toString()))) {
                    String session = editor.open("{}");
                    editor.prompt("turn", session, "count 5");
                    editor.await("step-1.");
                    for (TcpPath cut : List.of(outer, path)) {
                        cut.refuse(true);
                        cut.awaitRefused(1);
                        // Said while nobody hears it.
                        steps.release(2);
                        cut.refuse(false);
                        editor.await(cut.equals(outer) ? "step-3." : "step-5.");
                    }
                    steps.release();
                    assertThat(editor.await("\"turn\"")).contains("end_turn");
                    assertThat(editor.end()).isZero();

                    for (int i = 1; i <= 5; i++) {
                        String step = "step-" + i + ".";
                        assertThat(editor.out)
                                .filteredOn(line -> line.contains(step))
                                .hasSize(1);
                    }
                    assertThat(inner.isReady()).isTrue();
                }
            } finally {
                served.destroyForcibly();
            }
        }
    }

    @Test
    @Tag("CNX-09")
    void anOpenQuestionOutlivesTheOutageAndIsAnsweredOnce() throws Exception {
        try (RunningServer server = serve();
                RawEditor editor = connect("events")) {
            String session = editor.open("{}");
            editor.prompt("turn", session, "ask");
            String question = editor.await("session/request_permission");
            String id = question.replaceFirst(".*\"id\":(\"[^\"]*\"|\\d+).*", "$1");
            String option = question.replaceFirst(".*\"optionId\":\"([^\"]*)\".*", "$1");
            path.refuse(true);
            path.awaitRefused(1);
            editor.send("{\"jsonrpc\":\"2.0\",\"id\":" + id
                    + ",\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" + option + "\"}}}");
            path.awaitRefused(1);
            path.refuse(false);
            assertThat(editor.await("\"turn\"")).contains("end_turn");
            assertThat(editor.end()).isZero();

            assertThat(decisions).hasSize(1);
            assertThat(editor.out)
                    .filteredOn(line -> line.contains("session/request_permission"))
                    .hasSize(1);
            assertThat(server.isReady()).isTrue();
        }
    }

    @Test
    @Tag("CNX-09")
    @Tag("CNX-06")
    void aServerThatWasStartedAnewKeepsTheSessionAndWithdrawsTheQuestion() throws Exception {
        try (RawEditor editor = connect("events")) {
            String session;
            try (RunningServer first = serve()) {
                session = editor.open("{}");
                editor.prompt("turn", session, "ask");
                editor.await("session/request_permission");
                path.refuse(true);
                assertThat(first.isReady()).isTrue();
            }
            try (RunningServer second = serve()) {
                path.refuse(false);
                editor.await("$/cancel_request");
                editor.awaitErr("anew; turns that ran were interrupted, and some output may be missing");
                editor.prompt("again", session, "Hello.");
                assertThat(editor.await("\"again\"")).contains("end_turn");
                assertThat(second.isReady()).isTrue();
            }

            assertThat(editor.out)
                    .filteredOn(line -> line.contains("\"turn\""))
                    .hasSize(1)
                    .allMatch(line -> line.contains("outcome_unknown"));
        }
    }

    @Test
    @Tag("CNX-06")
    void aSessionThatTheNewAgentCannotOpenFailsByName() throws Exception {
        try (RawEditor editor = connect("events")) {
            String session;
            try (RunningServer first = serve()) {
                session = editor.open("{}");
                path.refuse(true);
                assertThat(first.isReady()).isTrue();
            }
            Agent forgetful = Agent.builder("forgetful", "1.0")
                    .onPrompt(turn -> turn.message("Who are you?"))
                    .build();
            try (RunningServer second = server().start(forgetful::connect)) {
                path.leadTo(second.uri());
                path.refuse(false);
                editor.awaitErr("session " + session + " could not be opened again");
                editor.awaitErr("anew; turns that ran were interrupted");
                editor.prompt("again", session, "Hello.");
                assertThat(editor.await("\"again\"")).contains("\"error\"", session);
            }
        }
    }

    @Test
    @Tag("CNX-10")
    void aServerThatIsNoAgentAnyMoreIsLostForGoodAndSaidOnce() throws Exception {
        try (RawEditor editor = connect("events")) {
            try (RunningServer first = serve()) {
                String unused = editor.open("{}");
                path.refuse(true);
                assertThat(first.isReady()).isTrue();
            }
            try (TestWeb other = new TestWeb(exchange -> {
                byte[] page = "Nothing here.".getBytes(StandardCharsets.UTF_8);
                exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(200, page.length);
                exchange.getResponseBody().write(page);
            })) {
                path.leadTo(other.uri());
                path.refuse(false);

                assertThat(editor.awaitExit()).as(editor.err.toString()).isEqualTo(10);
                assertThat(editor.err)
                        .filteredOn(line -> line.contains("is lost"))
                        .hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"events", "websocket"})
    @Tag("CNX-11")
    @Tag("CNX-10")
    void theEndOfInputEndsTheConnectionAtTheServer(String over) throws Exception {
        try (RunningServer server = serve();
                RawEditor editor = connect(over)) {
            String session = editor.open("{}");
            editor.prompt("turn", session, "wait");
            editor.await("waiting");
            assertThat(editor.end()).isZero();

            assertThat(disconnected.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(server.isReady()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"events,TERM,143", "websocket,TERM,143", "events,HUP,129"})
    @Tag("CNX-11")
    void aSignalEndsTheConnectionAtTheServer(String over, String signal, int code) throws Exception {
        try (RunningServer server = serve();
                RawEditor editor =
                        new RawEditor(acp("connect", "--over", over, path.uri().toString())
                                .env("ACP_TOKEN", TOKEN)
                                .interruptible())) {
            String session = editor.open("{}");
            editor.prompt("turn", session, "wait");
            editor.await("waiting");
            signal(editor, signal);

            assertThat(disconnected.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(editor.awaitExit()).isEqualTo(code);
            assertThat(server.isReady()).isTrue();
        }
    }

    @Test
    @Tag("CNX-11")
    void afterAKillTheGraceOfTheServerEndsTheConnection() throws Exception {
        Agent agent = agent();
        try (RunningServer server = server().limits(ServerLimits.STANDARD.withGrace(Duration.ofSeconds(1)))
                .start(agent::connect)) {
            path.leadTo(server.uri());
            try (RawEditor editor = connect("events")) {
                String session = editor.open("{}");
                editor.prompt("turn", session, "wait");
                editor.await("waiting");
            }

            assertThat(disconnected.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }
}
