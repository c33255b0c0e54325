package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.Http;
import dev.acp4j.http.RunningServer;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of sessions in which no turn runs while their server is away, through {@code acp connect}. */
@Timeout(120)
class OutageOfSessionsTest {
    private static final String TOKEN = "a-token-that-is-long-enough";

    private final LinkedBlockingQueue<String> closed = new LinkedBlockingQueue<>();
    private TcpPath path;

    @BeforeEach
    void open() throws Exception {
        path = new TcpPath("http");
    }

    @AfterEach
    void close() throws Exception {
        path.close();
    }

    private RunningServer serve() throws Exception {
        Agent agent = Agent.builder("remote", "1.0")
                .protocol(Version.values())
                .onCloseSession(session -> closed.add(session.id().value()))
                .onPrompt(turn -> turn.message("You said " + turn.text()))
                .build();
        RunningServer server = Http.on(0)
                .allowedHosts(path.host())
                .tokens(BearerTokens.of("me", TOKEN))
                .drainTime(Duration.ZERO)
                .start(agent::connect);
        path.leadTo(server.uri());
        return server;
    }

    private RawEditor connect(String over) throws Exception {
        return new RawEditor(
                acp("connect", "--over", over, path.uri().toString()).env("ACP_TOKEN", TOKEN));
    }

    @ParameterizedTest
    @ValueSource(strings = {"events", "websocket"})
    @Tag("CNX-08")
    void aSessionThatIsClosedMeanwhileIsClosedWhenTheServerIsBack(String over) throws Exception {
        try (RunningServer server = serve();
                RawEditor editor = connect(over)) {
            String left = editor.open("{}");
            String kept = editor.newSession("/");
            path.refuse(true);
            path.awaitRefused(1);
            editor.request("close", "session/close", "{\"sessionId\":\"" + left + "\"}");
            path.awaitRefused(1);
            assertThat(closed).isEmpty();
            path.refuse(false);
            assertThat(editor.await("\"close\"")).contains("\"result\"");
            editor.prompt("turn", kept, "Hello.");
            assertThat(editor.await("\"turn\"")).contains("end_turn");
            // The end closes the other one, too.
            assertThat(closed).containsExactly(left);
            assertThat(editor.end()).isZero();
            assertThat(server.isReady()).isTrue();
        }
    }

    @Test
    @Tag("CNX-07")
    void anEditorOfVersion2IsShownTheOutageAndItsEnd() throws Exception {
        try (RunningServer server = serve();
                RawEditor editor = connect("auto")) {
            editor.request(
                    "init",
                    "initialize",
                    "{\"protocolVersion\":2,\"capabilities\":{},\"info\":{\"name\":\"e\",\"version\":\"1\"}}");
            assertThat(editor.await("\"init\"")).contains("\"protocolVersion\":2");
            String session = editor.newSession("/");
            editor.prompt("turn", session, "Hello.");
            editor.await("\"idle\"");
            path.refuse(true);
            assertThat(editor.await("\"notice\"")).contains(session, "\"severity\":\"warning\"", "does not answer");
            path.refuse(false);
            assertThat(editor.await("\"notice\"")).contains(session, "\"severity\":\"info\"", "nothing was lost");
            assertThat(editor.end()).isZero();
            assertThat(server.isReady()).isTrue();
        }
    }
}
