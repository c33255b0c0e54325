package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.process.TestPrograms;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.RpcException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A program with a small heap and a peer that sends more than fits: it goes on, or it says that memory ran out. */
@Timeout(120)
class OutOfMemoryTest {
    private static final String HEAP = "-Xmx64m";
    private static final String FOR_EVER = "for ever";
    private static final String UPDATE = "\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":";

    // ---- an agent that floods its client

    /** Answers as an agent does, and floods the turn: with a message for ever, or so many times. */
    static final class Flood {
        private Flood() {}

        public static void main(String[] arguments) throws Exception {
            PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
            readLine();
            answer(out, 0, "{\"protocolVersion\":1,\"agentCapabilities\":{}}");
            readLine();
            answer(out, 1, "{\"sessionId\":\"s\"}");
            readLine();
            Thread.ofPlatform().daemon().start(Flood::readAnswers);
            int count = arguments[1].equals(FOR_EVER) ? Integer.MAX_VALUE : Integer.parseInt(arguments[1]);
            for (int i = 0; i < count && !out.checkError(); i++) {
                out.println("{\"jsonrpc\":\"2.0\"," + arguments[0].replace("#", Integer.toString(i)) + "}");
            }
            answer(out, 2, "{\"stopReason\":\"end_turn\"}");
        }

        private static void readAnswers() {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            System.exit(0);
        }

        private static void readLine() throws IOException {
            int read = 0;
            while (read >= 0 && read != '\n') {
                read = System.in.read();
            }
        }

        private static void answer(PrintStream out, int id, String result) {
            out.println("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}");
            out.flush();
        }
    }

    /**
     * A client that waits for the end of the turn, and says what it got. Its view of the session has a bound unless the
     * agent writes for ever.
     */
    static final class FloodedClient {
        private FloodedClient() {}

        public static void main(String[] arguments) throws Exception {
            Client.Builder client = Client.builder("flooded", "1");
            if (arguments[1].equals(FOR_EVER)) {
                client.limits(Limits.STANDARD.withViewBytes(Long.MAX_VALUE));
            }
            try (ConnectedAgent agent = client.connect(TestPrograms.launch(Flood.class, arguments))) {
                System.out.println("ended: " + run(agent));
            }
        }

        /** When this has returned, nothing holds the session's view any more. */
        private static String run(ConnectedAgent agent) throws InterruptedException {
            try {
                Session session = agent.newSession(Path.of("").toAbsolutePath());
                TurnResult result = session.prompt("go").result();
                Timeline timeline = session.view().timeline();
                boolean isWhole = timeline.changesSince(0).list().getFirst() instanceof Timeline.Added
                        && timeline.entries().stream().noneMatch(Entry::isCut);
                return result.stopReason() + (isWhole ? ", whole" : ", not whole");
            } catch (RpcException e) {
                return String.valueOf(e.getMessage());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                UPDATE + "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"#\",\"title\":\"another\"}}",
                UPDATE
                        + "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"and so on, for ever, "
                        + "line after line after line after line after line after line after line #\"}}}"
            })
    void aClientWithoutABoundWhoseAgentNeverStopsSaysThatMemoryRanOut(String message) throws Exception {
        Process client = java(FloodedClient.class, message, FOR_EVER);

        String printed = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(client.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(printed).startsWith("ended: ").containsIgnoringCase("memory");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "400000|" + UPDATE + "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"#\",\"title\":\"another\"}}",
                "300000|" + UPDATE
                        + "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":"
                        + "\"much text in one message, so much that it does not fit into the memory of this client,"
                        + " so that its beginning has to be dropped before its end is here, and never more than that #\"}}}",
                "200000|\"id\":\"#\",\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s\",\"toolCall\":"
                        + "{\"toolCallId\":\"#\",\"title\":\"another question, and another tool call that it is about\"},"
                        + "\"options\":[{\"optionId\":\"n\",\"name\":\"No\",\"kind\":\"reject_once\"}]}"
            })
    void theViewOfASessionTakesNoMoreMemoryThanItsBound(int count, String message) throws Exception {
        Process client = java(FloodedClient.class, message, Integer.toString(count));

        String printed = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(client.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(printed).startsWith("ended: end_turn, not whole");
    }

    // ---- a client that floods its agent

    /** An agent whose turns wait until they are cancelled. */
    static final class WaitingAgent {
        private WaitingAgent() {}

        public static void main(String[] arguments) throws Exception {
            Agent.builder("waiting", "1")
                    .onPrompt(turn -> new CountDownLatch(1).await())
                    .serve(Stdio.system());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "session/prompt|{\"sessionId\":\"#\",\"prompt\":[{\"type\":\"text\",\"text\":\"*\"}]}",
                "session/new|{\"cwd\":\"/\",\"mcpServers\":[],\"_meta\":{\"large\":\"*\"}}"
            })
    void anAgentRefusesRequestsThatDoNotFitTogether(String method, String params) throws Exception {
        Process agent = java(WaitingAgent.class);
        try (var out = agent.inputReader(StandardCharsets.UTF_8)) {
            OutputStream in = agent.getOutputStream();
            send(in, 0, "initialize", "{\"protocolVersion\":1}");
            send(in, 1, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            out.readLine();
            String session = out.readLine().replaceAll(".*\"sessionId\":\"([^\"]*)\".*", "$1");
            String large = params.replace("#", session).replace("*", "x".repeat(6 * 1024 * 1024));
            List<String> answers = Collections.synchronizedList(new ArrayList<>());
            Thread reader = Thread.ofPlatform().start(() -> out.lines().forEach(answers::add));

            for (int i = 2; i < 42; i++) {
                send(in, i, method, large);
            }
            send(in, 99, "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");
            in.close();
            reader.join();

            assertThat(answers).anyMatch(answer -> answer.contains("\"id\":99") && answer.contains("\"sessionId\""));
            assertThat(answers).anyMatch(answer -> answer.contains("bytes") && answer.contains("\"error\""));
            assertThat(agent.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(agent.exitValue()).isZero();
        }
    }

    private static void send(OutputStream in, int id, String method, String params) throws Exception {
        String line =
                "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}\n";
        in.write(line.getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    private static Process java(Class<?> program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
