package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.McpBridge;
import dev.acp4j.mcp.Question;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.ResourceContents;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The official conformance suite of MCP against a server and a client of ours. The client has no baseline: it passes
 * all scenarios that are not about OAuth. The baseline of a revision names what fails, with the reason; the suite fails
 * for what is missing there, and for what has passed in spite of it.
 */
@Timeout(300)
class McpConformanceTest {
    private static final String IMAGE =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

    @TempDir
    Path folder;

    record Person(String username, String email) {}

    record Text(String message) {}

    record Sampled(String prompt) {}

    record Name(String name) {}

    record Color(String color) {}

    record Confirmation(boolean ok) {}

    record Context(String context) {}

    enum Status {
        active,
        inactive,
        pending
    }

    record Account(String name, int age, double score, Status status, boolean verified) {}

    record Two(String arg1, String arg2) {}

    record Embedded(String resourceUri) {}

    record Id(String id) {}

    record Data(String id, boolean templateTest, String data) {}

    /** The kinds of choices that forms have; a record has the first and the fourth. */
    private static final RawJson CHOICES = RawJson.parse("""
            {"type": "object", "properties": {
                "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
                "titledSingle": {"type": "string", "oneOf": [
                    {"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}]},
                "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2"]}},
                "titledMulti": {"type": "array", "items": {"anyOf": [
                    {"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}]}}}}
            """);

    /** A server with the tools, prompts and resources that the suite uses. */
    private static ToolServer fixture() {
        CompletableFuture<ToolServer> own = new CompletableFuture<>();
        own.complete(fixture(own).build());
        return own.join();
    }

    private static ToolServer.Builder fixture(CompletableFuture<ToolServer> own) {
        ToolServer.Builder fixture = ToolServer.builder("fixture", "1.0")
                .reportsChanges()
                .tool("test_trigger_tool_change", "Adds a tool", call -> {
                    own.join()
                            .replaceWith(fixture(own)
                                    .tool("added", "Added", added -> "")
                                    .build());
                    return "changed";
                })
                .tool("test_trigger_prompt_change", "Adds a prompt", call -> {
                    own.join()
                            .replaceWith(fixture(own)
                                    .prompt("added", "Added", added -> "")
                                    .build());
                    return "changed";
                });
        addTools(fixture);
        addToolsThatAsk(fixture);
        addPrompts(fixture);
        addResources(fixture);
        return fixture;
    }

    private static void addTools(ToolServer.Builder fixture) {
        fixture.tool("test_simple_text", "Text", call -> "This is a simple text response for testing.")
                .tool("test_image_content", "Image", call -> image())
                .tool(
                        "test_audio_content",
                        "Audio",
                        call -> ContentBlock.Audio.builder("UklGRg==", "audio/wav")
                                .build())
                .tool("test_embedded_resource", "Resource", call -> resource("test://resource", "text/plain", "text"))
                .tool(
                        "test_multiple_content_types",
                        "Several",
                        call -> List.of(
                                ContentBlock.text("text"),
                                image(),
                                resource("test://resource", "application/json", "{}")))
                .tool("test_error_handling", "Fails", call -> {
                    throw new IllegalStateException("This tool intentionally returns an error for testing");
                })
                .tool("test_tool_with_progress", "Progress", call -> {
                    call.progress(0, 100, "begins");
                    call.progress(50, 100, "goes on");
                    call.progress(100, 100, "ends");
                    return "done";
                })
                .tool("test_tool_with_logging", "Logs", McpConformanceTest::logs)
                .tool("test_logging_tool", "Logs", McpConformanceTest::logs);
    }

    private static String logs(ToolServer.Call call) throws InterruptedException {
        call.log(Level.INFO, "Tool execution started");
        call.log(Level.INFO, "Tool processing data");
        call.log(Level.INFO, "Tool execution completed");
        return "done";
    }

    private static void addToolsThatAsk(ToolServer.Builder fixture) {
        fixture.tool(
                        "test_elicitation",
                        "Asks",
                        Text.class,
                        (text, call) -> "User response: " + call.ask(text.message(), Person.class))
                .tool("test_elicitation_sep1034_defaults", "Asks", call -> {
                    Account defaults = new Account("John Doe", 30, 95.5, Status.active, true);
                    return "Elicitation completed: " + call.ask("Which account?", defaults);
                })
                .tool(
                        "test_elicitation_sep1330_enums",
                        "Asks",
                        call -> "Elicitation completed: "
                                + call.question("choice", "Which?", CHOICES).answer())
                .tool(
                        "test_sampling",
                        "Asks the model",
                        Sampled.class,
                        (sampled, call) -> "LLM response: "
                                + sampling(call, "sampling", sampled.prompt()).answer())
                .tool(
                        "test_missing_capability",
                        "Asks the model",
                        call -> sampling(call, "sampling", "Hello").answer().orElseThrow())
                .tool(
                        "test_streaming_elicitation",
                        "Asks",
                        call -> "Hello, " + name(call).answer())
                .tool(
                        "test_input_required_result_elicitation",
                        "Asks",
                        call -> "Hello, " + name(call).answer())
                .tool(
                        "test_input_required_result_sampling",
                        "Asks the model",
                        call -> sampling(call, "capital_question", "What is the capital of France?")
                                .answer()
                                .orElseThrow())
                .tool(
                        "test_input_required_result_list_roots",
                        "Asks for the roots",
                        call -> roots(call).answer().orElseThrow())
                .tool(
                        "test_input_required_result_request_state",
                        "Asks",
                        call -> call.question("confirm", "Please confirm", Confirmation.class)
                                .answer()
                                .map(confirmed -> "state-ok")
                                .orElse("declined"))
                .tool(
                        "test_input_required_result_tampered_state",
                        "Asks",
                        call -> ""
                                + call.question("confirm", "Please confirm", Confirmation.class)
                                        .answer())
                .tool("test_input_required_result_multiple_inputs", "Asks for several", call -> {
                    Question<Name> name = name(call);
                    Question<RawJson> greeting = sampling(call, "greeting", "Generate a greeting");
                    Question<RawJson> roots = roots(call);
                    return name.answer() + " " + greeting.answer() + " " + roots.answer();
                })
                .tool("test_input_required_result_multi_round", "Asks twice", call -> {
                    var name = call.question("step1", "Step 1: What is your name?", Name.class)
                            .answer();
                    return name + " likes "
                            + call.question("step2", "Step 2: What is your favorite color?", Color.class)
                                    .answer();
                })
                .tool("test_input_required_result_capabilities", "Asks whom it can", call -> {
                    return call.canAsk()
                            ? "" + name(call).answer()
                            : sampling(call, "greeting", "Generate a greeting")
                                    .answer()
                                    .orElseThrow();
                });
    }

    private static Question<Name> name(ToolServer.Call call) {
        return call.question("user_name", "What is your name?", Name.class);
    }

    private static Question<RawJson> sampling(ToolServer.Call call, String name, String prompt) {
        return call.request(
                name,
                "sampling/createMessage",
                RawJson.parse("{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":"
                        + RawJson.string(prompt) + "}}],\"maxTokens\":100}"));
    }

    private static Question<RawJson> roots(ToolServer.Call call) {
        return call.request("client_roots", "roots/list", RawJson.EMPTY_OBJECT);
    }

    private static void addPrompts(ToolServer.Builder fixture) {
        fixture.prompt("test_simple_prompt", "Simple", call -> "This is a simple prompt for testing.")
                .prompt(
                        "test_prompt_with_arguments",
                        "With arguments",
                        Two.class,
                        (two, call) -> "Prompt with arguments: arg1='" + two.arg1() + "', arg2='" + two.arg2() + "'")
                .completion(
                        "test_prompt_with_arguments",
                        "arg1",
                        (typed, others) -> Stream.of("paris", "park", "test")
                                .filter(value -> value.startsWith(typed))
                                .toList())
                .prompt(
                        "test_prompt_with_embedded_resource",
                        "With a resource",
                        Embedded.class,
                        (embedded, call) -> List.of(
                                resource(embedded.resourceUri(), "text/plain", "Embedded resource content"),
                                ContentBlock.text("Please process the embedded resource above.")))
                .prompt(
                        "test_prompt_with_image",
                        "With an image",
                        call -> List.of(image(), ContentBlock.text("Please analyze the image above.")))
                .prompt(
                        "test_input_required_result_prompt",
                        "Asks",
                        call -> "Context: "
                                + call.question("user_context", "What context should the prompt use?", Context.class)
                                        .answer());
    }

    private static void addResources(ToolServer.Builder fixture) {
        fixture.resource(link("watched", "test://watched-resource", "text/plain"), call -> "watched")
                .resource(
                        link("text", "test://static-text", "text/plain"),
                        call -> "This is the content of the static text resource.")
                .resource(
                        link("image", "test://static-binary", "image/png"),
                        call -> Base64.getDecoder().decode(IMAGE))
                .resourceTemplate(
                        link("data", "test://template/{id}/data", "application/json"),
                        Id.class,
                        (id, call) -> new Data(id.id(), true, "Data for ID: " + id.id()));
    }

    private static ContentBlock.ResourceLink link(String name, String uri, String mimeType) {
        return ContentBlock.ResourceLink.builder(name, uri).mimeType(mimeType).build();
    }

    private static ContentBlock image() {
        return ContentBlock.Image.builder(IMAGE, "image/png").build();
    }

    private static ContentBlock resource(String uri, String mimeType, String text) {
        return ContentBlock.Resource.builder(ResourceContents.Text.builder(text, uri)
                        .mimeType(mimeType)
                        .build())
                .build();
    }

    @Tag("MCX-41")
    @ParameterizedTest
    @CsvSource({"2025-11-25,false", "2026-07-28,false", "2025-11-25,true", "2026-07-28,true"})
    void theOfficialSuiteFindsWhatTheBaselineExplainsAndNothingElse(String revision, boolean isBridged)
            throws Exception {
        Path baseline = Path.of("src/test/resources/dev/acp4j/it/mcp-conformance-" + revision + ".yml");
        assertThat(Files.readAllLines(baseline).stream().filter(line -> line.startsWith("  -")))
                .allMatch(line -> line.matches("  - \\S+ # \\S.*"), "has a reason");
        Path suite = NodePrograms.packageFolder("@modelcontextprotocol/conformance", "0.2.0-alpha.12");
        ToolServer tools = fixture();
        try (ToolServer.Endpoint endpoint = tools.listen();
                Bridged bridged = new Bridged(tools, folder);
                Admission admission = new Admission(isBridged ? bridged.declaration() : endpoint.declaration())) {
            passes(
                    suite,
                    "server",
                    "--url",
                    admission.address(),
                    "--requirements",
                    revision,
                    "--expected-failures",
                    baseline.toAbsolutePath().toString());
        }
    }

    /** A server of a client, in a session of an agent that has HTTP and a bridge before it. */
    private static final class Bridged implements AutoCloseable {
        private final McpBridge bridge = new McpBridge();
        private final LinkedBlockingQueue<McpServer> declared = new LinkedBlockingQueue<>();
        private final ConnectedClient agent;
        private final ConnectedAgent client;
        private final McpServer.Http declaration;

        Bridged(ToolServer tools, Path folder) throws Exception {
            MemoryTransport.Pair pair = MemoryTransport.pair();
            agent = Agent.builder("agent", "1")
                    .supports(Feature.MCP_HTTP)
                    .onPrompt(turn -> {})
                    .onSessionOpening(session -> declared.addAll(session.setup().mcpServers()))
                    .build()
                    .connect(pair.right());
            client = ToolServer.addTo(Client.builder("client", "1"), tools)
                    .connect(bridge.proxy().before(pair.left()));
            Session unused = client.newSession(SessionSetup.in(folder).withMcpServers(List.of(tools.declaration())));
            declaration = (McpServer.Http) declared.take();
        }

        McpServer.Http declaration() {
            return declaration;
        }

        @Override
        public void close() {
            client.close();
            agent.close();
            bridge.close();
        }
    }

    @Tag("MCX-41")
    @ParameterizedTest
    @CsvSource({
        "2026-07-28, tools_call",
        "2026-07-28, request-metadata",
        "2026-07-28, sep-2322-client-request-state",
        "2026-07-28, http-standard-headers",
        "2026-07-28, http-custom-headers",
        "2026-07-28, http-invalid-tool-headers",
        "2026-07-28, json-schema-ref-no-deref",
        "2025-11-25, initialize",
        "2025-11-25, tools_call",
        "2025-11-25, elicitation-sep1034-client-defaults",
        "2025-11-25, sse-retry"
    })
    void theOfficialSuiteFindsNothingInOurClient(String revision, String scenario) throws Exception {
        Path suite = NodePrograms.packageFolder("@modelcontextprotocol/conformance", "0.2.0-alpha.12");
        String client = String.join(
                " ",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                McpConformanceClient.class.getName());

        passes(
                suite,
                "client",
                "--command",
                client,
                "--scenario",
                scenario,
                "--spec-version",
                revision,
                "--timeout",
                "120000");
    }

    /** Runs the suite, which ends with 0 if nothing is wrong but what it was told to expect. */
    private void passes(Path suite, String... arguments) throws IOException, InterruptedException {
        Path printed = folder.resolve("printed");
        List<String> command = new ArrayList<>(
                List.of(NodePrograms.node22(), suite.resolve("dist/index.js").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--output-dir", folder.toString()));
        Process run = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        try {
            assertThat(run.waitFor()).as(() -> read(printed)).isZero();
        } finally {
            run.destroyForcibly();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Passes connections on to a server, with its token, which the suite has no option for. */
    private static final class Admission implements AutoCloseable {
        private final ServerSocket socket = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        private final ExecutorService threads =
                Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());
        private final URI server;
        private final String authorization;

        Admission(McpServer.Http declaration) throws IOException {
            server = URI.create(declaration.url());
            authorization = declaration.headers().getFirst().value();
            threads.execute(this::accept);
        }

        String address() {
            return "http://127.0.0.1:" + socket.getLocalPort() + server.getPath();
        }

        private void accept() {
            try {
                while (true) {
                    Socket client = socket.accept();
                    threads.execute(() -> pass(client));
                }
            } catch (IOException e) {
                // Closed.
            }
        }

        private void pass(Socket client) {
            try (client;
                    Socket target = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
                threads.execute(() -> answer(target, client));
                InputStream in = new BufferedInputStream(client.getInputStream());
                for (String line = line(in); !line.isEmpty(); line = line(in)) {
                    request(line, in, target.getOutputStream());
                }
            } catch (IOException e) {
                // One of both has left.
            }
        }

        private static void answer(Socket target, Socket client) {
            try (client) {
                target.getInputStream().transferTo(client.getOutputStream());
            } catch (IOException e) {
                // One of both has left.
            }
        }

        private void request(String first, InputStream in, OutputStream out) throws IOException {
            StringBuilder head = new StringBuilder(first).append("\r\n");
            int length = 0;
            for (String line = line(in); !line.isEmpty(); line = line(in)) {
                String name = line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT);
                if (name.equals("content-length")) {
                    length = Integer.parseInt(line.substring(name.length() + 1).strip());
                } else if (name.equals("host") || name.equals("origin")) {
                    line = line.replace(":" + socket.getLocalPort(), ":" + server.getPort());
                }
                head.append(line).append("\r\n");
            }
            head.append("authorization: ").append(authorization).append("\r\n\r\n");
            byte[] body = in.readNBytes(length);
            out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
            out.write(body);
        }

        private static String line(InputStream in) throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int next = in.read(); next != '\n' && next >= 0; next = in.read()) {
                line.write(next);
            }
            return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
        }

        @Override
        public void close() throws IOException {
            socket.close();
            threads.shutdownNow();
        }
    }
}
