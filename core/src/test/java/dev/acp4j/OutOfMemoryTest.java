package dev.acp4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.process.TestPrograms;
import dev.acp4j.rpc.RpcException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
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

    // ---- an agent that floods its client

    /** Answers as an agent does, and floods the turn. */
    static final class Flood {
        private Flood() {}

        public static void main(String[] arguments) throws Exception {
            PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
            readLine();
            answer(out, 0, "{\"protocolVersion\":1,\"agentCapabilities\":{}}");
            readLine();
            answer(out, 1, "{\"sessionId\":\"s\"}");
            readLine();
            String update = arguments[0];
            for (int i = 0; !out.checkError(); i++) {
                out.println(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":"
                                + update.replace("#", Integer.toString(i)) + "}}");
            }
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

    /** A client that waits for the end of the turn, and says what it got. */
    static final class FloodedClient {
        private FloodedClient() {}

        public static void main(String[] arguments) throws Exception {
            try (ConnectedAgent agent =
                    Client.builder("flooded", "1").connect(TestPrograms.launch(Flood.class, arguments))) {
                System.out.println("ended: " + run(agent));
            }
        }

        /** When this has returned, nothing holds the session's view any more. */
        private static String run(ConnectedAgent agent) throws InterruptedException {
            try {
                return agent.newSession(Path.of("").toAbsolutePath())
                        .prompt("go")
                        .result()
                        .toString();
            } catch (RpcException e) {
                return String.valueOf(e.getMessage());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"#\",\"title\":\"another\"}",
                "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"and so on, for ever, "
                        + "line after line after line after line after line after line after line #\"}}"
            })
    void aClientWhoseAgentNeverStopsSaysThatMemoryRanOut(String update) throws Exception {
        Process client = java(FloodedClient.class, update);

        String printed = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(client.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(printed).startsWith("ended: ").containsIgnoringCase("memory");
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
