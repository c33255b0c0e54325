package dev.acp4j.it;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.ElicitationQuestion;
import dev.acp4j.Feature;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.ConnectedServer;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.mcp.Prompt;
import dev.acp4j.mcp.Tool;
import dev.acp4j.mcp.ToolResult;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.McpServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An agent that uses all that a server over HTTP has, for the official conformance suite, whose environment says what
 * the scenario wants. Its client is in the same program, and fills forms in as they are proposed.
 */
final class McpConformanceClient {
    private McpConformanceClient() {}

    /** Takes the address of the server. */
    public static void main(String[] args) throws Exception {
        Agent.Builder agent = Agent.builder("conformance", "1").onPrompt(McpConformanceClient::use);
        McpServers.Builder servers = McpServers.builder()
                .asks(tool -> false)
                .patience(Duration.ofSeconds(20))
                .http();
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try (ConnectedClient served = servers.addTo(agent).build().connect(pair.left());
                ConnectedAgent connected = Client.builder("conformance", "1")
                        .onElicitation(McpConformanceClient::asProposed, Feature.FORMS)
                        .connect(pair.right())) {
            SessionSetup setup = SessionSetup.in(Path.of("").toAbsolutePath())
                    .withMcpServers(List.of(McpServer.Http.of("suite", args[0], List.of())));
            String said = connected.newSession(setup).prompt("use").text();
            System.err.println(said);
            System.exit(served.isOpen() ? 0 : 1);
        }
    }

    private static CreateElicitationResponse asProposed(ElicitationQuestion question) {
        Map<String, ElicitationContentValue> content = new LinkedHashMap<>();
        question.raw()
                .map(message -> RawJson.parse(String.valueOf(message.params())).value())
                .flatMap(params -> member(params, "requestedSchema"))
                .flatMap(schema -> member(schema, "properties"))
                .map(properties -> ((JsonObject) properties).members())
                .orElse(Map.of())
                .forEach((name, property) ->
                        member(property, "default").ifPresent(proposed -> content.put(name, value(proposed))));
        return question.accept(content);
    }

    private static ElicitationContentValue value(JsonValue proposed) {
        return switch (proposed) {
            case JsonBoolean bool -> ElicitationContentValue.of(bool.value());
            case JsonNumber number ->
                number.literal().matches("-?\\d+")
                        ? ElicitationContentValue.of(number.longValue())
                        : ElicitationContentValue.of(number.doubleValue());
            case JsonString text -> ElicitationContentValue.of(text.value());
            case JsonArray choices ->
                ElicitationContentValue.of(choices.elements().stream()
                        .map(choice -> ((JsonString) choice).value())
                        .toList());
            default -> throw new IllegalArgumentException("no value of a form: " + proposed);
        };
    }

    private static Optional<JsonValue> member(JsonValue of, String name) {
        return of instanceof JsonObject object ? object.get(name) : Optional.empty();
    }

    private static void use(AgentTurn turn) throws InterruptedException {
        McpServers mcp = McpServers.of(turn);
        List<Tool> tools = mcp.tools(turn);
        ConnectedServer server = mcp.servers().getFirst();
        turn.message(server + " " + server.protocolVersion() + " " + server.failure() + "\n");
        Map<String, RawJson> wanted = wanted();
        for (Tool tool : tools) {
            RawJson named = wanted.get(tool.name());
            // What the scenario names need not match the schema, which calls of a model must.
            ToolResult result =
                    named == null ? mcp.call(turn, tool.modelName(), arguments(tool)) : server.call(tool.name(), named);
            turn.message(tool.name() + ": " + result + "\n");
        }
        useRest(turn, server);
    }

    private static void useRest(AgentTurn turn, ConnectedServer server) throws InterruptedException {
        try {
            for (ContentBlock.ResourceLink resource : server.resources()) {
                turn.message(resource.uri() + ": " + server.read(resource.uri()) + "\n");
            }
            for (Prompt prompt : server.prompts()) {
                Map<String, String> arguments = new HashMap<>();
                prompt.arguments().forEach(argument -> arguments.put(argument.name(), "x"));
                turn.message(prompt.name() + ": " + server.prompt(prompt.name(), arguments) + "\n");
            }
        } catch (RpcException | IllegalStateException e) {
            turn.message("no resources or prompts: " + e.getMessage());
        }
    }

    /** Returns the arguments that the scenario names. */
    private static Map<String, RawJson> wanted() {
        Map<String, RawJson> wanted = new HashMap<>();
        String context = System.getenv("MCP_CONFORMANCE_CONTEXT");
        if (context != null
                && member(RawJson.parse(context).value(), "toolCalls").orElse(null) instanceof JsonArray calls) {
            for (JsonValue call : calls.elements()) {
                String name = ((JsonObject) call).text("name").orElseThrow();
                wanted.put(
                        name,
                        RawJson.parse(member(call, "arguments").orElseThrow().toString()));
            }
        }
        return wanted;
    }

    /** Returns some arguments that match a schema. */
    private static RawJson arguments(Tool tool) {
        Map<String, JsonValue> arguments = new LinkedHashMap<>();
        member(tool.inputSchema().value(), "properties")
                .map(properties -> ((JsonObject) properties).members())
                .orElse(Map.of())
                .forEach((name, property) -> {
                    switch (((JsonObject) property).text("type").orElse("")) {
                        case "number", "integer" -> arguments.put(name, JsonNumber.of(3));
                        case "boolean" -> arguments.put(name, new JsonBoolean(true));
                        case "string" -> arguments.put(name, JsonString.of("x"));
                        default -> {}
                    }
                });
        return RawJson.parse(JsonObject.of(arguments).toString());
    }
}
