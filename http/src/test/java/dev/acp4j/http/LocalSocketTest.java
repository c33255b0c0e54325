package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.rpc.Transport;
import dev.acp4j.tap.Poll;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server at a Unix domain socket, and clients whose lines lead there. */
@Timeout(60)
@Tag("CNX-24")
class LocalSocketTest {
    @TempDir
    private Path folder;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<RemoteAgent.State> states = new CopyOnWriteArrayList<>();

    /** After how many bytes the line is cut. */
    private final AtomicLong left = new AtomicLong(Long.MAX_VALUE);

    private final AtomicInteger lines = new AtomicInteger();

    private Path file() {
        return folder.resolve("agent.sock");
    }

    private RunningServer serve(Agent.Builder agent) throws IOException {
        Agent built = agent.build();
        return Http.on(0)
                .socket(file())
                .drainTime(Duration.ofSeconds(1))
                .onEvent(event -> events.add(event.toString()))
                .start(built::connect);
    }

    private Transport line() throws IOException {
        int unused = lines.incrementAndGet();
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(file()));
        return StreamTransport.of(
                new FilterInputStream(Channels.newInputStream(channel)) {
                    @Override
                    public int read(byte[] bytes, int from, int length) throws IOException {
                        int count = super.read(bytes, from, length);
                        if (left.addAndGet(-count) < 0) {
                            left.set(Long.MAX_VALUE);
                            channel.close();
                            throw new IOException("cut by the test");
                        }
                        return count;
                    }
                },
                Channels.newOutputStream(channel));
    }

    private ConnectedAgent connect() throws Exception {
        return Client.builder("ask", "1.0")
                .connect(Http.to(URI.create("unix:" + file()), this::line)
                        .over(RemoteAgent.Over.WEBSOCKET)
                        .onState(states::add));
    }

    @Test
    void nothingIsLostOrDoubledWhereverALineIsCut() throws Exception {
        int updates = 2_000;
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < updates; i++) {
            expected.append(i).append(' ');
        }
        AtomicInteger prompts = new AtomicInteger();

        try (RunningServer server = serve(Agent.builder("counter", "1.0").onPrompt(turn -> {
            int unused = prompts.incrementAndGet();
            for (int i = 0; i < updates; i++) {
                turn.message(i + " ");
            }
        }))) {
            try (ConnectedAgent agent = connect()) {
                Session session = agent.newSession(Path.of("/"));
                for (int round = 0; round < 5; round++) {
                    left.set(7_919L * (round + 1));
                    assertThat(session.prompt("Count").text()).isEqualTo(expected.toString());
                }
            }
            // The goodbye ends the connection, which would else wait for its client.
            assertThat(Poll.until(() -> events.stream().anyMatch(event -> event.startsWith("ConnectionEnded"))))
                    .isTrue();
            assertThat(server.uri().getScheme()).isEqualTo("file");
        }

        assertThat(prompts).hasValue(5);
        assertThat(lines).hasValue(6);
        assertThat(states).doesNotContain(RemoteAgent.State.RECOVERED);
        assertThat(events)
                .filteredOn(event -> event.startsWith("ConnectionOpened"))
                .hasSize(1);
    }

    private byte[] last(String text) {
        int unused = lines.incrementAndGet();
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{\"jsonrpc\":\"2.0\",\"method\":\"stream/close\",\"params\":{\"code\":1013,\"reason\":\"ends\"}}\n"
            })
    void aLineThatMeetsAServerAtItsEndIsFollowedByAnother(String end) throws Exception {
        String text;
        try (RunningServer server =
                        serve(Agent.builder("echo", "1.0").onPrompt(turn -> turn.message("You said: " + turn.text())));
                ConnectedAgent agent = Client.builder("ask", "1.0")
                        .connect(Http.to(
                                        server.uri(),
                                        () -> lines.get() > 0
                                                ? line()
                                                : StreamTransport.of(
                                                        new ByteArrayInputStream(last(end)),
                                                        OutputStream.nullOutputStream()))
                                .over(RemoteAgent.Over.WEBSOCKET))) {
            text = agent.newSession(Path.of("/")).prompt("Hello").text();
        }

        assertThat(text).isEqualTo("You said: Hello");
        assertThat(lines).hasValue(2);
    }

    @Test
    void largeMessagesPassInBothDirections() throws Exception {
        String large = "x".repeat(5_000_000);
        try (RunningServer server = serve(Agent.builder("echo", "1.0").onPrompt(turn -> turn.message(turn.text())));
                ConnectedAgent agent = connect()) {
            assertThat(server.isReady()).isTrue();
            assertThat(agent.newSession(Path.of("/")).prompt(large).text()).isEqualTo(large);
        }
    }

    @Test
    void aServerThatIsStartedAgainHasANewConnection() throws Exception {
        Agent.Builder echo = Agent.builder("echo", "1.0")
                .onLoadSession(session -> {})
                .onPrompt(turn -> turn.message("You said: " + turn.text()));
        RunningServer first = serve(echo);
        try (ConnectedAgent agent = connect()) {
            Session session = agent.newSession(Path.of("/"));
            first.close();
            try (RunningServer second = serve(echo)) {
                assertThat(second.isReady()).isTrue();
                // What was sent before the end of the first is noticed would have an unknown outcome.
                assertThat(Poll.until(() -> states.contains(RemoteAgent.State.RECOVERED)))
                        .isTrue();
                assertThat(session.prompt("Hello").text()).isEqualTo("You said: Hello");
            }
        }
    }

    @Test
    void oneServerListensAndOnlyItsUserMayCome() throws Exception {
        try (RunningServer server = serve(Agent.builder("echo", "1.0").onPrompt(turn -> {}))) {
            assertThat(server.isReady()).isTrue();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                    .isEqualTo("rw-------");
            assertThatThrownBy(() -> serve(Agent.builder("echo", "1.0").onPrompt(turn -> {})))
                    .isInstanceOf(IOException.class)
                    .hasMessage("cannot listen at " + file() + ": another server listens there");
        }
        assertThat(file()).doesNotExist();
    }

    @Test
    void onlyASocketThatNobodyListensAtIsReplaced() throws Exception {
        Files.writeString(file(), "notes");
        assertThatThrownBy(() -> serve(Agent.builder("echo", "1.0").onPrompt(turn -> {})))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot listen at " + file() + ": this file is no socket; choose another name");
        assertThat(file()).hasContent("notes");
        Files.delete(file());
        try (ServerSocketChannel stale = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            ServerSocketChannel unused = stale.bind(UnixDomainSocketAddress.of(file()));
        }
        assertThat(file()).exists();

        try (RunningServer server = serve(Agent.builder("echo", "1.0").onPrompt(turn -> turn.message("Hello")));
                ConnectedAgent agent = connect()) {
            assertThat(server.isReady()).isTrue();
            assertThat(agent.newSession(Path.of("/")).prompt("Hello").text()).isEqualTo("Hello");
        }
    }

    @Test
    void aGoodbyeCountsAlsoWhenTheClientReadsNothingMore() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Agent.Builder agent = Agent.builder("large", "1.0").onPrompt(turn -> {
            begun.countDown();
            turn.message("x".repeat(5_000_000));
        });
        try (RunningServer server = serve(agent);
                SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(file()))) {
            BufferedReader in = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
            say(channel, "{\"jsonrpc\":\"2.0\",\"method\":\"stream/open\",\"params\":{\"connectionId\":\"\"}}");
            assertThat(in.readLine()).contains("stream/open");
            say(channel, RawClient.INITIALIZE);
            assertThat(in.readLine()).contains("result");
            say(
                    channel,
                    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/new\",\"params\":{\"cwd\":\"/\",\"mcpServers\":[]}}");
            String session = in.readLine().replaceFirst(".*\"sessionId\":\"([^\"]+)\".*", "$1");
            say(
                    channel,
                    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"" + session
                            + "\",\"prompt\":[{\"type\":\"text\",\"text\":\"Go\"}]}}");
            begun.await();
            // The server is in the middle of the answer.
            int unused = channel.read(ByteBuffer.allocate(1));
            say(
                    channel,
                    "{\"jsonrpc\":\"2.0\",\"method\":\"stream/close\",\"params\":{\"code\":1000,\"reason\":\"\"}}");
            SocketChannel unusedToo = channel.shutdownOutput();

            assertThat(server.isReady()).isTrue();
            assertThat(Poll.until(() -> events.stream().anyMatch(event -> event.startsWith("ConnectionEnded"))))
                    .isTrue();
        }
    }

    private static void say(SocketChannel channel, String json) throws IOException {
        ByteBuffer line = ByteBuffer.wrap((json + "\n").getBytes(StandardCharsets.UTF_8));
        while (line.hasRemaining()) {
            int unused = channel.write(line);
        }
    }
}
