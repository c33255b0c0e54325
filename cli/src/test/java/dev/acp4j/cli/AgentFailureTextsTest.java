package dev.acp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is read when something fails in an agent that is made with the library: by its client, by its own handlers, and
 * in its log. As {@link FailureTextsTest} for the other side.
 */
@Timeout(60)
class AgentFailureTextsTest {
    private static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}";
    private static final String NEW_SESSION =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/\",\"mcpServers\":[]}}";
    private static final String PROMPT = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":"
            + "{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"hello\"}]}}";

    private static final Logger LOG = Logger.getLogger("dev.acp4j");

    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
    private final List<String> logged = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore written = new Semaphore(0);
    private final Handler log = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            String trace = entry.getThrown() == null ? "" : "\n    with the stack trace";
            logged.add("  " + entry.getLevel() + " " + entry.getLoggerName() + ": " + entry.getMessage() + trace);
            written.release();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void hearTheLog() {
        LOG.addHandler(log);
        LOG.setUseParentHandlers(false);
    }

    @AfterEach
    void leaveTheLog() {
        LOG.removeHandler(log);
        LOG.setUseParentHandlers(true);
    }

    /**
     * One way to fail.
     *
     * @param name names the file with the text
     * @param line what the client sends last
     * @param handler what the agent does at a prompt
     */
    record Case(String name, String line, Agent.PromptHandler handler) {
        Case(String name, String line) {
            this(name, line, turn -> {});
        }

        boolean isAnswered() {
            return !name.equals("notification-fails");
        }

        boolean isLogged() {
            return name.equals("notification-fails") || name.equals("handler-throws");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> all() {
        return Stream.of(
                new Case("params-misshapen", request("session/prompt", "{\"sessionId\":\"s\",\"prompt\":7}")),
                new Case("path-relative", request("session/new", "{\"cwd\":\"src\",\"mcpServers\":[]}")),
                new Case("session-unknown", request("session/prompt", "{\"sessionId\":\"t\",\"prompt\":[]}")),
                new Case("method-unknown", request("session/fly", "{}")),
                new Case("initialized-twice", request("initialize", "{\"protocolVersion\":1}")),
                new Case("no-message", "hello agent, my token is hunter2"),
                new Case("notification-fails", "{\"jsonrpc\":\"2.0\",\"method\":\"_note\",\"params\":{}}"),
                new Case("handler-throws", PROMPT, turn -> {
                    throw new IllegalStateException("the model does not answer");
                }),
                new Case("handler-refuses", PROMPT, turn -> {
                    throw RpcError.invalidParams("there is no model called gpt-9");
                }));
    }

    private static String request(String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    @ParameterizedTest
    @MethodSource("all")
    void whatTheClientAndTheLogSayIsApproved(Case failing) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        ConnectedClient client = agent(failing.handler()).connect(pair.left());
        ask(pair.right(), INITIALIZE);
        ask(pair.right(), NEW_SESSION);

        send(pair.right(), failing.line());
        List<String> answers = failing.isAnswered() ? List.of("  " + read(pair.right())) : List.of();
        if (failing.isLogged()) {
            written.acquire();
        }
        client.close();

        String text = "The client sends:\n  " + failing.line() + "\n\nand reads:\n" + lines(answers)
                + "\nThe agent's log says:\n" + lines(logged);
        assertThat(lines(answers) + lines(logged)).doesNotContain("hunter2");
        Golden.check("failures/agent-" + failing.name() + ".txt", text);
    }

    static Stream<@Nullable String> ends() {
        return Stream.of(null, "Connection reset");
    }

    @ParameterizedTest
    @MethodSource("ends")
    void whatAHandlerHearsWhenItsClientVanishesIsApproved(@Nullable String failure) throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        CountDownLatch done = new CountDownLatch(1);
        Agent agent = agent(turn -> {
            try {
                turn.message("Let me");
                var unused = turn.requestPermission(
                        ToolCallUpdate.builder(ToolCallId.of("c"))
                                .title("rm -r build")
                                .build(),
                        List.of(PermissionOption.of(
                                PermissionOptionId.of("y"), "Yes", PermissionOptionKind.ALLOW_ONCE)));
            } catch (ConnectionClosedException e) {
                // If the connection was lost, the handler is interrupted as well, and either may come first.
                if (failure == null) {
                    heard.add("The handler's question ends with ConnectionClosedException:\n  " + e.getMessage());
                }
                throw e;
            } finally {
                done.countDown();
            }
        });
        Thread serving = Thread.ofVirtual().start(() -> serve(agent, failing(pair.left(), failure)));
        ask(pair.right(), INITIALIZE);
        ask(pair.right(), NEW_SESSION);
        send(pair.right(), PROMPT);
        for (String line = read(pair.right()); !line.contains("request_permission"); line = read(pair.right())) {
            // until the agent waits for the client
        }

        pair.right().close();
        done.await();
        serving.join();

        Golden.check(
                "failures/agent-client-" + (failure == null ? "gone" : "lost") + ".txt",
                lines(heard) + "\nThe agent's log says:\n" + lines(logged));
    }

    private void serve(Agent agent, Transport transport) {
        try {
            agent.serve(transport);
            heard.add("serve() returns.");
        } catch (ConnectionClosedException e) {
            heard.add("serve() throws " + e.getClass().getSimpleName() + ":\n  " + e.getMessage());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Agent agent(Agent.PromptHandler handler) {
        return Agent.builder("a", "1")
                .sessionIds(() -> SessionId.of("s"))
                .onPrompt(handler)
                .onCloseSession(session -> {})
                .onNotification("_note", (client, params) -> {
                    throw new IllegalStateException("nowhere to write it down");
                })
                .build();
    }

    /** Returns a transport whose end is a failure, if one is given. */
    private static Transport failing(Transport transport, @Nullable String failure) {
        return new Transport() {
            @Override
            public Transport.Reader reader() {
                return () -> {
                    Message message = transport.reader().read();
                    if (message == null && failure != null) {
                        throw new IOException(failure);
                    }
                    return message;
                };
            }

            @Override
            public Transport.Writer writer() {
                return transport.writer();
            }

            @Override
            public void close() {
                transport.close();
            }
        };
    }

    private static String lines(List<String> lines) {
        return lines.isEmpty() ? "  nothing\n" : String.join("\n", lines) + "\n";
    }

    private static void ask(Transport transport, String line) throws Exception {
        send(transport, line);
        assertThat(read(transport)).contains("\"result\"");
    }

    private static void send(Transport transport, String line) throws IOException {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        transport.writer().write(Message.parse(RawJson.wrap(bytes, 0, bytes.length)));
        transport.writer().flush();
    }

    private static String read(Transport transport) throws Exception {
        return Objects.requireNonNull(transport.reader().read()).toString();
    }
}
