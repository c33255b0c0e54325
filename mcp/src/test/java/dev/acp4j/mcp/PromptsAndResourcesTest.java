package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.Role;
import dev.acp4j.testkit.Transports;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a tool server has besides tools, and what its handlers may do: ask by name, log. */
class PromptsAndResourcesTest extends McpSession {
    enum Depth {
        QUICK,
        THOROUGH
    }

    record Review(
            @ToolServer.Description("Which file") String file,
            @Nullable Depth depth) {}

    record Day(String day) {}

    record Below(String path) {}

    record Count(int words) {}

    record Release(String version, boolean draft, @Nullable Depth depth, List<Depth> tags) {}

    record Name(String name) {}

    private final ToolServer server = ToolServer.builder("own", "1.0")
            .tool("release", "Asks", call -> {
                var defaults = new Release("1.1", true, null, List.of(Depth.QUICK));
                return call.ask("What is released?", defaults)
                        .map(Release::toString)
                        .orElse("nothing");
            })
            .tool("both", "Asks twice at once", call -> {
                Question<Name> first = call.question("first", "Who?", Name.class);
                Question<Name> second = call.question("second", "And who?", Name.class);
                String names = second.answer().orElseThrow().name()
                        + first.answer().orElseThrow().name();
                return names
                        + call.question("third", "Sure?", Name.class)
                                .answer()
                                .map(Name::name)
                                .orElse(" declined");
            })
            .tool("log", "Logs", call -> {
                call.log(Level.DEBUG, "small");
                call.log(Level.WARNING, "large");
                return "logged";
            })
            .prompt(
                    "review",
                    "Reviews a file",
                    Review.class,
                    (review, call) -> List.of(
                            "Review " + review.file() + " " + review.depth(),
                            new Prompt.Message(Role.ASSISTANT, ContentBlock.text("I do."))))
            .completion("review", "file", (typed, others) -> List.of(typed + ".java", others.toString()))
            .resource(link("today", "notes://today", "text/plain"), call -> "Today")
            .resource(link("picture", "notes://picture", "image/png"), call -> "bytes".getBytes(StandardCharsets.UTF_8))
            .resourceTemplate(
                    link("a day", "notes://{day}/words", "application/json"),
                    Day.class,
                    (day, call) -> day.day().equals("never")
                            ? null
                            : new Count(day.day().length()))
            .resourceTemplate(link("a file", "files:///{+path}", null), Below.class, (below, call) -> below.path())
            .build();

    private static ContentBlock.ResourceLink link(String name, String uri, @Nullable String mimeType) {
        return ContentBlock.ResourceLink.builder(name, uri).mimeType(mimeType).build();
    }

    // ---- for agents

    @Tag("MCX-32")
    @Tag("MCX-41")
    @ParameterizedTest
    @EnumSource
    void anAgentReadsPromptsAndResourcesInTheWayThatItCanAndTheyAreAlike(ToolServerTest.Way way) throws Exception {
        McpServers.Builder mcp =
                McpServers.builder().patience(Duration.ofSeconds(50)).required();
        McpServers.Builder reached = switch (way) {
            case ACP -> mcp.acp();
            case HTTP -> mcp.http();
            case PROGRAM -> mcp;
        };
        Agent agent = reached.addTo(Agent.builder("agent", "1").onPrompt(PromptsAndResourcesTest::read))
                .build();
        Transports ends = closing(Transports.joined());
        closing(agent.connect(ends.agent()));
        ConnectedAgent connected =
                closing(ToolServer.addTo(client.builder(), server).connect(ends.client()));

        String read = say(connected.newSession(with(server.declaration())), "read");

        assertThat(read.lines())
                .containsExactly(
                        "review: file Which file true, depth  false",
                        "user Review a.txt THOROUGH",
                        "assistant I do.",
                        "notes://today, notes://picture",
                        "text/plain Today",
                        "image/png Ynl0ZXM=",
                        "application/json {\"words\":10}",
                        "null a b/c",
                        "there is no resource notes://never/words",
                        "there is no resource notes://tomorrow");
    }

    private static void read(AgentTurn turn) throws InterruptedException {
        var unused = McpServers.of(turn).tools(turn);
        ConnectedServer own = McpServers.of(turn).server("own").orElseThrow();
        List<String> lines = new ArrayList<>();
        for (Prompt prompt : own.prompts()) {
            lines.add(prompt.name() + ": "
                    + String.join(
                            ", ",
                            prompt.arguments().stream()
                                    .map(one -> one.name() + " " + one.description() + " " + one.isRequired())
                                    .toList()));
        }
        for (Prompt.Message message : own.prompt("review", Map.of("file", "a.txt", "depth", "THOROUGH"))) {
            lines.add(message.role() + " " + ((ContentBlock.Text) message.content()).text());
        }
        lines.add(String.join(
                ", ",
                own.resources().stream().map(ContentBlock.ResourceLink::uri).toList()));
        for (String uri : List.of(
                "notes://today",
                "notes://picture",
                "notes://2026-11-28/words",
                "files:///a%20b/c",
                "notes://never/words",
                "notes://tomorrow")) {
            lines.add(read(own, uri));
        }
        turn.message(String.join("\n", lines));
    }

    private static String read(ConnectedServer server, String uri) throws InterruptedException {
        try {
            return switch (server.read(uri).getFirst()) {
                case ResourceContents.Text text -> text.mimeType() + " " + text.text();
                case ResourceContents.Blob blob -> blob.mimeType() + " " + blob.blob();
                case ResourceContents.Unknown other -> other.toString();
            };
        } catch (RpcError e) {
            return e.message();
        }
    }

    @Tag("MCX-31")
    @Tag("MCX-41")
    @ParameterizedTest
    @EnumSource
    void theFieldsOfAFormHaveTheValuesThatTheToolGives(ToolServerTest.Way way) throws Exception {
        client.fill(Map.of(
                "version", ElicitationContentValue.of("1.2"),
                "draft", ElicitationContentValue.of(false),
                "tags", ElicitationContentValue.of(List.of("THOROUGH"))));
        McpServers.Builder mcp = McpServers.builder()
                .asks(tool -> false)
                .patience(Duration.ofSeconds(50))
                .required();
        McpServers.Builder reached = switch (way) {
            case ACP -> mcp.acp();
            case HTTP -> mcp.http();
            case PROGRAM -> mcp;
        };
        ConnectedAgent agent = connect(reached, ToolServer.addTo(client.builder(), server));

        String answer = say(agent.newSession(with(server.declaration())), "call own.release");

        assertThat(answer).isEqualTo("Release[version=1.2, draft=false, depth=null, tags=[THOROUGH]]");
        assertThat(wire())
                .anyMatch(message -> message.contains("elicitation/create")
                        && message.contains("\"default\":\"1.1\"")
                        && message.contains("\"default\":true")
                        && message.contains("\"default\":[\"QUICK\"]"));
    }

    // ---- on the wire

    /** What the server has reported, and the answers that this client gives to its questions. */
    private final LinkedBlockingQueue<String> reported = new LinkedBlockingQueue<>();

    private final List<String> asked = new ArrayList<>();

    private final class Client implements Handler {
        @Override
        public Acceptance request(IncomingRequest request) {
            asked.add(Members.of(request.params()).text("message", ""));
            RawJson answer = accept("x" + asked.size());
            return () -> () -> answer;
        }

        @Override
        public @Nullable Delivery notification(Message message) {
            reported.add(message.method() + " " + message.params());
            return null;
        }
    }

    private static RawJson accept(String name) {
        return RawJson.parse("{\"action\":\"accept\",\"content\":{\"name\":\"" + name + "\"}}");
    }

    private Connection alone(ToolServer served) {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        FutureTask<Boolean> serving = new FutureTask<>(() -> {
            served.serve(pair.right());
            return true;
        });
        new Thread(serving).start();
        closing(serving::get);
        return Connection.builder(pair.left(), new Client()).start();
    }

    private static RawJson modern(Connection mcp, String method, String params) throws InterruptedException {
        return modern(mcp, method, params, "");
    }

    private static RawJson modern(Connection mcp, String method, String params, String meta)
            throws InterruptedException {
        return mcp.call(
                method,
                RawJson.parse("{" + params + (params.isEmpty() ? "" : ",")
                        + "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                        + "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}" + meta + "}}"));
    }

    private static RawJson greeted(Connection mcp) throws InterruptedException {
        return mcp.call(
                "initialize",
                RawJson.parse("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"elicitation\":{}}}"));
    }

    private interface Request {
        RawJson send() throws InterruptedException;
    }

    private static RpcError refused(Request request) throws InterruptedException {
        try {
            RawJson got = request.send();
            throw new AssertionError("expected an error, got " + got);
        } catch (RpcError e) {
            return e;
        }
    }

    @Tag("MCX-35")
    @Tag("MCX-41")
    @Test
    void whatThereIsNotIsRefusedInTheWordsOfEachEra() throws Exception {
        try (Connection mcp = alone(server)) {
            RawJson greeting = greeted(mcp);
            assertThat(Members.of(greeting).object("capabilities").all())
                    .containsOnlyKeys("tools", "prompts", "resources", "completions", "logging");
            String nowhere = "\"uri\":\"notes://nowhere\"";

            RpcError now = refused(() -> modern(mcp, "resources/read", nowhere));
            RpcError before = refused(() -> mcp.call("resources/read", RawJson.parse("{" + nowhere + "}")));
            assertThat(List.of(now.code(), before.code())).containsExactly(-32602, -32002);
            assertThat(List.of(now.data().orElseThrow(), before.data().orElseThrow()))
                    .containsOnly(RawJson.parse("{" + nowhere + "}"));

            assertThat(refused(() -> modern(mcp, "prompts/get", "\"name\":\"none\"")))
                    .hasMessageContaining("there is no prompt none");
            assertThat(refused(() -> modern(mcp, "prompts/get", "\"name\":\"review\""))
                            .message())
                    .contains("file");
            assertThat(modern(mcp, "resources/read", "\"uri\":\"notes://today\"")
                            .toString())
                    .contains("\"ttlMs\":0", "\"cacheScope\":\"private\"");
            assertThat(mcp.call("resources/read", RawJson.parse("{\"uri\":\"notes://today\"}"))
                            .toString())
                    .doesNotContain("ttlMs", "cacheScope", "resultType");
        }
    }

    @Tag("MCX-41")
    @Test
    void aServerOffersOnlyWhatItHas() throws Exception {
        ToolServer plain =
                ToolServer.builder("plain", "1").tool("a", "", call -> 1).build();
        try (Connection mcp = alone(plain)) {
            assertThat(Members.of(greeted(mcp)).object("capabilities").all()).containsOnlyKeys("tools", "logging");
            for (String method : List.of("prompts/list", "resources/list", "resources/read", "completion/complete")) {
                assertThat(refused(() -> modern(mcp, method, "")).code()).isEqualTo(-32601);
            }
        }
    }

    @Tag("MCX-41")
    @Test
    void argumentsAreCompletedByTheProgramAndEnumsByThemselves() throws Exception {
        String prompt = "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"review\"},";
        try (Connection mcp = alone(server)) {
            assertThat(modern(
                                    mcp,
                                    "completion/complete",
                                    prompt + "\"argument\":{\"name\":\"file\",\"value\":\"Ma\"},"
                                            + "\"context\":{\"arguments\":{\"depth\":\"QUICK\"}}")
                            .toString())
                    .contains("\"values\":[\"Ma.java\",\"{depth=QUICK}\"],\"total\":2,\"hasMore\":false");
            assertThat(modern(mcp, "completion/complete", prompt + "\"argument\":{\"name\":\"depth\",\"value\":\"t\"}")
                            .toString())
                    .contains("\"values\":[\"THOROUGH\"]");
            assertThat(refused(() -> modern(
                                    mcp,
                                    "completion/complete",
                                    "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"none\"},"
                                            + "\"argument\":{\"name\":\"x\",\"value\":\"\"}"))
                            .code())
                    .isEqualTo(-32602);
        }
    }

    @Tag("MCX-41")
    @Test
    void longListsComeInPages() throws Exception {
        ToolServer.Builder many = ToolServer.builder("many", "1");
        for (int i = 0; i < 450; i++) {
            many.resource(link("r" + i, "many://" + i, null), call -> "x");
        }
        try (Connection mcp = alone(many.build())) {
            List<Integer> sizes = new ArrayList<>();
            String cursor = "";
            while (cursor != null) {
                Members page = Members.of(
                        modern(mcp, "resources/list", cursor.isEmpty() ? "" : "\"cursor\":" + RawJson.string(cursor)));
                sizes.add(page.list("resources").size());
                cursor = page.text("nextCursor");
            }
            assertThat(sizes).containsExactly(200, 200, 50);
            assertThat(refused(() -> modern(mcp, "resources/list", "\"cursor\":\"7\""))
                            .code())
                    .isEqualTo(-32602);
        }
    }

    @Tag("MCX-35")
    @Tag("MCX-41")
    @Test
    void logMessagesComeOnlyAtALevelThatTheClientAskedFor() throws Exception {
        String log = "\"name\":\"log\"";
        String large = "notifications/message {\"level\":\"warning\",\"data\":\"large\"}";
        String small = "notifications/message {\"level\":\"debug\",\"data\":\"small\"}";
        try (Connection mcp = alone(server)) {
            RawJson unused = modern(mcp, "tools/call", log);
            unused = modern(mcp, "tools/call", log, ",\"io.modelcontextprotocol/logLevel\":\"notice\"");
            assertThat(reported).containsExactly(large);

            unused = greeted(mcp);
            unused = mcp.call("tools/call", RawJson.parse("{" + log + "}"));
            assertThat(reported).containsExactly(large);
            assertThat(mcp.call("logging/setLevel", RawJson.parse("{\"level\":\"debug\"}")))
                    .isEqualTo(RawJson.EMPTY_OBJECT);
            unused = mcp.call("tools/call", RawJson.parse("{" + log + "}"));
            assertThat(reported).containsExactly(large, small, large);
            assertThat(refused(() -> mcp.call("logging/setLevel", RawJson.parse("{\"level\":\"loud\"}")))
                            .code())
                    .isEqualTo(-32602);
        }
    }

    // ---- questions

    private static final String BOTH = "\"name\":\"both\"";

    private static String replies(String state, String... answers) {
        StringBuilder replies = new StringBuilder(BOTH + ",\"requestState\":" + RawJson.string(state));
        replies.append(",\"inputResponses\":{");
        for (int i = 0; i < answers.length; i++) {
            replies.append(i == 0 ? "\"" : ",\"")
                    .append(answers[i])
                    .append("\":")
                    .append(accept(answers[i]));
        }
        return replies.append("}").toString();
    }

    @Tag("MCX-41")
    @Test
    void questionsAreAskedTogetherByTheirNamesAndOnlyWhatIsMissingAgain() throws Exception {
        try (Connection mcp = alone(server)) {
            Members first = Members.of(modern(mcp, "tools/call", BOTH));
            assertThat(first.object("inputRequests").all()).containsOnlyKeys("first", "second");
            Members again =
                    Members.of(modern(mcp, "tools/call", replies(first.text("requestState", ""), "second", "unknown")));
            assertThat(again.object("inputRequests").all()).containsOnlyKeys("first");
            Members third = Members.of(modern(mcp, "tools/call", replies(again.text("requestState", ""), "first")));
            assertThat(third.object("inputRequests").all()).containsOnlyKeys("third");

            assertThat(modern(mcp, "tools/call", replies(third.text("requestState", ""), "third"))
                            .toString())
                    .contains("secondfirstthird");
        }
    }

    @Tag("MCX-41")
    @Test
    void aStateIsOfOneRoundOfOneCall() throws Exception {
        try (Connection mcp = alone(server)) {
            String state = Members.of(modern(mcp, "tools/call", BOTH)).text("requestState", "");

            for (String refused : List.of(
                    replies(state + "-TAMPERED", "first", "second"),
                    replies(state, "first", "second").replace("both", "release"))) {
                assertThat(refused(() -> modern(mcp, "tools/call", refused)))
                        .hasMessageContaining("params.requestState");
            }
            RawJson unused = modern(mcp, "tools/call", replies(state, "first", "second"));
            assertThat(refused(() -> modern(mcp, "tools/call", replies(state, "first", "second")))
                            .code())
                    .isEqualTo(-32602);
        }
    }

    @Tag("MCX-41")
    @Test
    void anAnswerThatComesWithTheCallIsNotAskedFor() throws Exception {
        try (Connection mcp = alone(server)) {
            String given = ",\"inputResponses\":{\"first\":" + accept("a") + ",\"second\":7,\"other\":{}}";

            Members result = Members.of(modern(mcp, "tools/call", BOTH + given));

            assertThat(result.object("inputRequests").all()).containsOnlyKeys("second");
        }
    }

    @Tag("MCX-35")
    @Test
    void aClientWithAHandshakeIsAskedOneAfterTheOther() throws Exception {
        try (Connection mcp = alone(server)) {
            RawJson unused = greeted(mcp);

            assertThat(mcp.call("tools/call", RawJson.parse("{" + BOTH + "}")).toString())
                    .contains("x2x1x3");
            assertThat(asked).containsExactly("Who?", "And who?", "Sure?");
        }
    }

    @Tag("MCX-41")
    @Test
    void aCapabilityThatTheClientLacksIsNamed() throws Exception {
        ToolServer asks = ToolServer.builder("asks", "1")
                .tool(
                        "model",
                        "",
                        call -> call.canRequest("sampling/createMessage") + ""
                                + call.request("a", "sampling/createMessage", RawJson.EMPTY_OBJECT)
                                        .answer())
                .tool(
                        "page",
                        "",
                        call -> call.request("a", "elicitation/create", RawJson.parse("{\"mode\":\"url\"}"))
                                .answer())
                .tool(
                        "odd",
                        "",
                        call -> call.request("a", "tools/list", RawJson.EMPTY_OBJECT)
                                .answer())
                .build();
        try (Connection mcp = alone(asks)) {
            RpcError model = refused(() -> modern(mcp, "tools/call", "\"name\":\"model\""));
            assertThat(model.code()).isEqualTo(-32021);
            assertThat(model.data()).contains(RawJson.parse("{\"requiredCapabilities\":{\"sampling\":{}}}"));
            assertThat(refused(() -> modern(mcp, "tools/call", "\"name\":\"page\""))
                            .data())
                    .contains(RawJson.parse("{\"requiredCapabilities\":{\"elicitation\":{\"url\":{}}}}"));
            assertThat(modern(mcp, "tools/call", "\"name\":\"odd\"").toString())
                    .contains("\"isError\":true", "tools/list");

            RawJson unused = greeted(mcp);
            assertThat(mcp.call("tools/call", RawJson.parse("{\"name\":\"model\"}"))
                            .toString())
                    .contains("the agent does not offer sampling", "\"isError\":true");
        }
    }

    // ---- building

    record Amount(int number) {}

    @Test
    void whatCannotBeServedIsRefusedWhenItIsBuilt() {
        ToolServer.Builder builder = ToolServer.builder("x", "1").prompt("a", "", call -> "a");

        assertThatThrownBy(() -> builder.prompt("a", "", call -> "a")).hasMessageContaining("a prompt a already");
        assertThatThrownBy(() -> builder.prompt("b", "", Amount.class, (amount, call) -> "b"))
                .hasMessageContaining("number")
                .hasMessageContaining("must be a String or an enum, and is int");
        assertThatThrownBy(() -> builder.completion("a", "file", (typed, others) -> List.of()))
                .hasMessageContaining("no argument file");
        for (String template : List.of("x://{night}", "x://{day}/{day}", "x://{?day}", "x://{day", "x://")) {
            assertThatThrownBy(() -> builder.resourceTemplate(link("x", template, null), Day.class, (day, call) -> "x"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(template);
        }
    }
}
