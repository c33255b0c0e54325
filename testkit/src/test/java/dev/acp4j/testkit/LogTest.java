package dev.acp4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedClient;
import dev.acp4j.rpc.Limits;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What the library writes to the system's log, down to its finest level, of what peers say that is a secret. */
@Timeout(60)
@ExtendWith(LeakRule.class)
class LogTest {
    private static final String SECRET = "hunter2";
    private static final int LIMIT = 4000;

    /** The last line that is logged in a test; what came before it has been logged then. */
    private static final String LAST = "that is all";

    private static final String SECRETS = "\"token\":\"hunter2\",\"apiKey\":\"hunter2\",\"text\":\"hunter2\","
            + "\"env\":[{\"name\":\"DB\",\"value\":\"hunter2\"}],"
            + "\"headers\":[{\"name\":\"Authorization\",\"value\":\"Bearer hunter2\"}]";

    @RegisterExtension
    final PlayedAgent played = new PlayedAgent();

    private final Logger logger = Logger.getLogger("dev.acp4j");
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final StringBuilder log = new StringBuilder();

    private final Handler recording = new Handler() {
        @Override
        public void publish(@Nullable LogRecord line) {
            if (line != null) {
                StringWriter text = new StringWriter();
                text.append(line.getMessage()).append('\n');
                if (line.getThrown() != null) {
                    line.getThrown().printStackTrace(new PrintWriter(text, true));
                }
                lines.add(text.toString());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        recording.setLevel(Level.ALL);
        logger.addHandler(recording);
        logger.setLevel(Level.ALL);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void silence() {
        logger.removeHandler(recording);
        logger.setUseParentHandlers(true);
        logger.setLevel(null);
    }

    /** Returns the log when it has a line with each of these. */
    private String logWith(String... wanted) throws Exception {
        while (!Stream.of(wanted).allMatch(text -> log.indexOf(text) >= 0)) {
            String line = lines.poll(20, TimeUnit.SECONDS);
            assertThat(line)
                    .as("the log has all of %s:\n%s", List.of(wanted), log)
                    .isNotNull();
            log.append(line);
        }
        return log.toString();
    }

    /**
     * What a peer may say that is logged, or could be.
     *
     * @param logged a part of the line in the log; empty when nothing is to be there
     * @param message what the peer says
     */
    record Said(String logged, String message) {
        @Override
        public String toString() {
            return logged + " <- " + (message.length() < 100 ? message : message.substring(0, 100) + "…");
        }
    }

    private static Said request(String logged, String method, String params) {
        return new Said(
                logged, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    private static Said notification(String logged, String method, String params) {
        return new Said(logged, "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    private static Said answer(String logged, String rest) {
        return new Said(logged, "{\"jsonrpc\":\"2.0\",\"id\":99," + rest + "}");
    }

    static final List<Said> BY_EITHER = List.of(
            request("", "session/fly", "{" + SECRETS + "}"),
            request("", "_fly", "{" + SECRETS + "}"),
            request("REQUEST_FAILED: _fails", "_fails", "{" + SECRETS + "}"),
            notification("NOTIFICATION_FAILED: _fails", "_fails", "{" + SECRETS + "}"),
            notification("UNHANDLED_NOTIFICATION: nobody handles the notification _fly", "_fly", "{" + SECRETS + "}"),
            notification("MALFORMED: $/cancel_request", "$/cancel_request", "{\"requestId\":[\"hunter2\"]}"),
            answer("UNKNOWN_RESPONSE", "\"result\":{" + SECRETS + "}"),
            answer("UNKNOWN_RESPONSE", "\"error\":{\"code\":1,\"message\":\"hunter2\",\"data\":{" + SECRETS + "}}"),
            answer("MALFORMED: an answer is broken", "\"result\":{" + SECRETS + "},\"error\":{" + SECRETS + "}"),
            answer("MALFORMED: an answer is broken", "\"error\":{\"code\":\"hunter2\",\"message\":{" + SECRETS + "}}"),
            new Said("MALFORMED", "[{" + SECRETS + "}]"),
            new Said("MALFORMED", "\"hunter2\""),
            new Said("MALFORMED", "{" + SECRETS + "}"),
            new Said("MALFORMED", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":\"hunter2\"}"),
            request(
                    "MALFORMED: nested deeper",
                    "m",
                    "{" + SECRETS + ",\"deep\":" + "[".repeat(900) + "]".repeat(900) + "}"),
            request("TOO_LARGE", "m", "{" + SECRETS + ",\"more\":\"" + "x".repeat(LIMIT) + "\"}"),
            answer("TOO_LARGE", "\"result\":{" + SECRETS + ",\"more\":\"" + "x".repeat(LIMIT) + "\"}"),
            new Said("NOISE", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":{" + SECRETS),
            new Said("NOISE", "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"prompt\":[{\"text\":\"hunter2"),
            new Said("NOISE", "Loading…{\"jsonrpc\":\"2.0\",\"params\":{\"prompt\":[{\"text\":\"hunter2"),
            new Said("NOISE", "[{\"jsonrpc\":\"2.0\",\"params\":{\"prompt\":[{\"text\":\"hunter2"),
            new Said("NOISE", "sent [ { \"params\" : {\"prompt\":[{\"text\":\"hunter2"),
            new Said("NOISE", "sent \"{\\\"params\\\":{\\\"prompt\\\":[{\\\"text\\\":\\\"hunter2"),
            new Said("NOISE: export MY_TOKEN=", "export MY_TOKEN=hunter2"),
            new Said("NOISE: config:", "config: { apiKey: 'hunter2', user: 'me' }"),
            new Said("NOISE: API_KEY    :", "API_KEY    : hunter2"),
            new Said("NOISE: config {", "config {token   = hunter2, name = \"me\"}"),
            new Said("NOISE: > authorization:", "> authorization: Bearer hunter2"),
            new Said("NOISE: the key is", "the key is sk-hunter2hunter2hunter2hunter2"));

    @ParameterizedTest
    @FieldSource("BY_EITHER")
    @Tag("ERR-20")
    @Tag("SEC-10")
    void noSecretOfAClientIsInTheLogOfAnAgent(Said said) throws Exception {
        assertThat(logOfAnAgentThatHears(said)).doesNotContain(SECRET);
    }

    static final List<Said> BY_CLIENTS = List.of(
            request("", "authenticate", "{\"methodId\":[\"hunter2\"]}"),
            request(
                    "",
                    "session/prompt",
                    "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":[\"hunter2\"]}]}"),
            request(
                    "",
                    "session/new",
                    "{\"cwd\":\"/\",\"mcpServers\":[{\"name\":\"m\",\"command\":\"c\",\"args\":[],"
                            + "\"env\":[{\"name\":\"K\",\"value\":[\"hunter2\"]}]}]}"),
            request(
                    "",
                    "session/new",
                    "{\"cwd\":\"/\",\"mcpServers\":[{\"type\":\"http\",\"name\":\"m\",\"url\":\"u\","
                            + "\"headers\":[{\"name\":\"Authorization\",\"value\":{\"hunter2\":1}}]}]}"),
            notification("NOTIFICATION_FAILED: session/cancel", "session/cancel", "{\"sessionId\":[\"hunter2\"]}"));

    @ParameterizedTest
    @FieldSource("BY_CLIENTS")
    @Tag("ERR-20")
    void noSecretInParamsThatCannotBeReadIsInTheLogOfAnAgent(Said said) throws Exception {
        assertThat(logOfAnAgentThatHears(said)).doesNotContain(SECRET);
    }

    private String logOfAnAgentThatHears(Said said) throws Exception {
        Agent agent = Agent.builder("agent", "1")
                .limits(Limits.STANDARD.withMessageBytes(LIMIT))
                .onPrompt(turn -> {})
                .on("_fails", (client, params) -> {
                    throw new IllegalStateException("no room");
                })
                .onNotification("_fails", (client, params) -> {
                    throw new IllegalStateException("no room");
                })
                .build();
        try (Transports ends = Transports.joined();
                ConnectedClient served = agent.connect(ends.agent());
                ScriptedPeer client = new ScriptedPeer(ends.client())) {
            client.request(1, "initialize", "{\"protocolVersion\":1,\"clientCapabilities\":{}}");
            var unused = client.expectResult(1);

            client.send(said.message());
            String all = logToTheEnd(said, client);
            assertThat(served.isOpen()).isTrue();
            return all;
        }
    }

    @ParameterizedTest
    @FieldSource("BY_EITHER")
    @Tag("ERR-20")
    @Tag("SEC-10")
    void noSecretOfAnAgentIsInTheLogOfAClient(Said said) throws Exception {
        var unused = played.connect(
                Client.builder("client", "1")
                        .limits(Limits.STANDARD.withMessageBytes(LIMIT))
                        .on("_fails", (agent, params) -> {
                            throw new IllegalStateException("no room");
                        })
                        .onNotification("_fails", (agent, params) -> {
                            throw new IllegalStateException("no room");
                        }),
                "{}");

        played.peer.send(said.message());

        assertThat(logToTheEnd(said, played.peer)).doesNotContain(SECRET);
    }

    @Test
    @Tag("ERR-20")
    void noSecretInAnUpdateThatCannotBeReadIsInTheLogOfAClient() throws Exception {
        played.open();
        Said said = notification(
                "NOTIFICATION_FAILED: session/update",
                "session/update",
                "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"tool_call\",\"toolCallId\":[\"hunter2\"]}}");

        played.peer.send(said.message());

        assertThat(logToTheEnd(said, played.peer)).doesNotContain(SECRET);
    }

    /** Returns the log when what was said and a last line have been handled. */
    private String logToTheEnd(Said said, ScriptedPeer peer) throws Exception {
        // Behind what was said, whose request was answered or refused by then.
        peer.send(LAST);
        return logWith(said.logged(), "NOISE: " + LAST);
    }
}
