package dev.acp4j.it.mcpsdk;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;

/** A client of the MCP Java SDK that uses the tools of a server, and prints what they return. */
public final class JavaSdkMcpClient {
    private JavaSdkMcpClient() {}

    /** Takes {@code http}, an address and the value of a header, or {@code stdio} and a command. */
    public static void main(String[] args) {
        try (McpSyncClient client = McpClient.sync(args[0].equals("http") ? http(args[1], args[2]) : stdio(args))
                .capabilities(
                        McpSchema.ClientCapabilities.builder().elicitation().build())
                .elicitation(form -> new McpSchema.ElicitResult(
                        McpSchema.ElicitResult.Action.ACCEPT, Map.of("name", form.message() + " Ada")))
                .progressConsumer(progress -> System.out.println("progress " + progress.message()))
                .build()) {
            McpSchema.InitializeResult server = client.initialize();
            System.out.println(
                    server.protocolVersion() + " " + server.serverInfo().name());
            for (McpSchema.Tool tool : client.listTools().tools()) {
                System.out.println("tool " + tool.name());
            }
            print(client, "add", Map.of("a", 1, "b", 2));
            print(client, "add", Map.of("a", 1));
            print(client, "ask", Map.of());
            print(client, "slow", Map.of());
        }
        // The threads of its library go on.
        System.exit(0);
    }

    private static void print(McpSyncClient client, String tool, Map<String, Object> arguments) {
        McpSchema.CallToolResult result = client.callTool(McpSchema.CallToolRequest.builder(tool)
                .arguments(arguments)
                .progressToken(tool)
                .build());
        String text = result.content().getFirst() instanceof McpSchema.TextContent said ? said.text() : "?";
        System.out.println(tool + (Boolean.TRUE.equals(result.isError()) ? " failed " : " ") + text);
    }

    private static McpClientTransport http(String address, String token) {
        URI uri = URI.create(address);
        return HttpClientStreamableHttpTransport.builder(uri.getScheme() + "://" + uri.getAuthority())
                .endpoint(uri.getPath())
                .requestBuilder(HttpRequest.newBuilder().header("Authorization", token))
                .build();
    }

    private static McpClientTransport stdio(String[] args) {
        return new StdioClientTransport(
                ServerParameters.builder(args[1])
                        .args(List.of(args).subList(2, args.length))
                        .env(System.getenv())
                        .build(),
                McpJsonDefaults.getMapper());
    }
}
