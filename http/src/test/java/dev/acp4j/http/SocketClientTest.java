package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client does over WebSocket, frame by frame. */
@Timeout(60)
class SocketClientTest {
    private static final String CONNECTION = "Acp-Connection-Id: c-1\r\n";
    private static final String RESUMABLE = "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1,"
            + "\"agentCapabilities\":{\"transport\":{\"resumable\":{\"retentionSeconds\":60}}}}}";

    private final ScriptedSocket server = new ScriptedSocket();
    private Transport transport = open(Http.to(server.uri()));

    SocketClientTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        transport.close();
        server.close();
    }

    private static Transport open(RemoteAgent remote) throws IOException {
        return remote.time(Time.SYSTEM, System::currentTimeMillis, () -> 0).open();
    }

    private void write(String message) throws IOException {
        transport.writer().write(Message.parse(message));
    }

    private String read() throws Exception {
        Message message = transport.reader().read();
        return message == null ? "end" : message.raw().toString();
    }

    /** Sends initialize, which is answered by the server's next connection. */
    private ScriptedSocket.Connection begin(String answer, String... headers) throws Exception {
        Thread writing = writing(RawClient.INITIALIZE);
        ScriptedSocket.Connection first = server.accept().upgrade(headers);
        assertThat(first.hear())
                .isEqualTo(RawClient.INITIALIZE.replace(
                        "\"params\":{", "\"params\":{\"_meta\":{\"acp4j/updateNumbers\":true},"));
        first.say(answer);
        writing.join();
        assertThat(read()).isEqualTo(answer);
        return first;
    }

    private Thread writing(String message) {
        return Thread.ofVirtual().start(() -> {
            try {
                write(message);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    @Tag("WSK-16")
    void whatIsWrittenWhileNoSocketIsOpenIsSentInOrderOnTheNext() throws Exception {
        transport = open(Http.to(server.uri()).headers(() -> Map.of("X-Mine", "yes")));
        ScriptedSocket.Connection first = begin(RESUMABLE, CONNECTION, "Set-Cookie: route=node-7; Path=/\r\n");
        assertThat(first.headers).containsEntry("X-Mine", "yes").doesNotContainKey("Cookie");
        first.close();
        ScriptedSocket.Connection second = server.accept();
        for (int i = 1; i < 5; i++) {
            write(EndpointFixture.call(i, "_x/" + i, ""));
        }
        second.upgrade(CONNECTION);
        assertThat(second.hear()).contains("\"stream/resume\"");
        second.say("{\"jsonrpc\":\"2.0\",\"id\":\"acp4j-resume\",\"result\":{\"received\":0}}");

        assertThat(second.headers)
                .containsEntry("X-Mine", "yes")
                .containsEntry("Cookie", "route=node-7")
                .containsEntry("Acp-Connection-Id", "c-1");
        for (int i = 1; i < 5; i++) {
            assertThat(second.hear()).contains("\"_x/" + i + "\"");
        }
    }

    @Test
    @Tag("DUR-27")
    void whatNoSocketHasTakenIsSentOnTheNextConnection() throws Exception {
        begin(RESUMABLE, CONNECTION).close();
        ScriptedSocket.Connection second = server.accept();
        write(EndpointFixture.call(1, "session/prompt", "s"));
        second.upgrade(CONNECTION);
        assertThat(second.hear()).contains("\"stream/resume\"");
        second.say("{\"jsonrpc\":\"2.0\",\"id\":\"acp4j-resume\",\"error\":{\"code\":-32600,\"message\":\"no\"}}");
        ScriptedSocket.Connection third = server.accept();
        while (!third.headers.containsKey("Upgrade")) {
            // The end of the connection before is asked for.
            third.close();
            third = server.accept();
        }
        third.upgrade(CONNECTION);
        assertThat(third.hear()).contains("\"initialize\"");
        third.say(RESUMABLE.replace("\"id\":0", "\"id\":\"acp4j-recovery-1\""));

        assertThat(third.hear()).contains("\"session/prompt\"");
        third.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"stopReason\":\"end_turn\"}}");
        assertThat(read()).contains("end_turn");
    }

    @Test
    @Tag("DUR-17")
    void aRequestThatIsReplayedIsAnsweredAsBeforeAndShownOnce() throws Exception {
        String question =
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"_x/question\",\"params\":{\"_meta\":{\"acp/cursor\":\"e-1\"}}}";
        String open = question.replace("\"id\":7", "\"id\":8").replace("e-1", "e-2");
        String answer = "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"is\":42}}";
        ScriptedSocket.Connection first = begin(RESUMABLE, CONNECTION);
        first.say(question);
        first.say(open);
        assertThat(read()).isEqualTo(question);
        assertThat(read()).isEqualTo(open);
        write(answer);
        assertThat(first.hear()).isEqualTo(answer);
        first.close();
        ScriptedSocket.Connection second = server.accept().upgrade(CONNECTION);
        assertThat(second.hear()).contains("\"stream/resume\"");
        second.say("{\"jsonrpc\":\"2.0\",\"id\":\"acp4j-resume\",\"result\":{\"received\":1}}");
        second.say(question);
        second.say(open);
        second.say("{\"jsonrpc\":\"2.0\",\"method\":\"_x/after\",\"params\":{}}");

        assertThat(second.hear()).isEqualTo(answer);
        assertThat(read()).contains("_x/after");
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 1001})
    @Tag("WSK-17")
    void aServerThatSaysGoodbyeEndsTheConnectionWell(int code) throws Exception {
        transport = open(Http.to(server.uri()).recovers(false));
        begin(ScriptedServer.INITIALIZED).close(code, "bye");

        assertThat(read()).isEqualTo("end");
    }

    @ParameterizedTest
    @ValueSource(ints = {1002, 1008, 1009, 1011, 1013})
    @Tag("WSK-17")
    void anyOtherCodeIsAFailureThatNamesItAndTheReason(int code) throws Exception {
        transport = open(Http.to(server.uri()).recovers(false));
        begin(ScriptedServer.INITIALIZED).close(code, "the agent has crashed");

        assertThatThrownBy(this::read).hasMessageContaining(code + ": the agent has crashed");
    }

    @Test
    @Tag("WSK-18")
    void closingBeforeTheSocketIsOpenEndsWhatWaitsForIt() throws Exception {
        Thread writing = writing(RawClient.INITIALIZE);
        try (ScriptedSocket.Connection unanswered = server.accept()) {
            transport.close();
            writing.join();

            assertThat(unanswered.headers).containsEntry("Upgrade", "websocket");
            assertThat(read()).isEqualTo("end");
            assertThatThrownBy(() -> write(EndpointFixture.call(1, "session/list", "")))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("has ended");
        }
    }
}
