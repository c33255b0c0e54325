package dev.acp4j.it.mcpsdk;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * A server of the MCP Java SDK: {@code add} adds, {@code ask} asks the user for a name, {@code slow} reports progress,
 * {@code fail} fails.
 */
public final class JavaSdkMcpServer {
    private static final McpSchema.ServerCapabilities CAPABILITIES =
            McpSchema.ServerCapabilities.builder().tools(false).build();
    private static final Map<String, Object> ANYTHING = Map.of("type", "object");
    private static final Map<String, Object> SUM = Map.of(
            "type",
            "object",
            "properties",
            Map.of("a", Map.of("type", "integer"), "b", Map.of("type", "integer")),
            "required",
            List.of("a", "b"));
    private static final Map<String, Object> NAME = Map.of(
            "type", "object", "properties", Map.of("name", Map.of("type", "string")), "required", List.of("name"));

    private JavaSdkMcpServer() {}

    /** Serves standard input and output, or with {@code http} an address, which it prints. */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("http")) {
            serveHttp();
        } else {
            Object unused = McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper()))
                    .serverInfo("sums", "1")
                    .capabilities(CAPABILITIES)
                    .toolCall(tool("add", SUM), JavaSdkMcpServer::add)
                    .toolCall(tool("ask", ANYTHING), JavaSdkMcpServer::ask)
                    .toolCall(tool("slow", ANYTHING), JavaSdkMcpServer::slow)
                    .toolCall(tool("fail", ANYTHING), JavaSdkMcpServer::fail)
                    .build();
        }
    }

    private static void serveHttp() throws Exception {
        var provider = HttpServletStreamableServerTransportProvider.builder().build();
        Object unused = McpServer.sync(provider)
                .serverInfo("sums", "1")
                .capabilities(CAPABILITIES)
                .toolCall(tool("add", SUM), JavaSdkMcpServer::add)
                .toolCall(tool("ask", ANYTHING), JavaSdkMcpServer::ask)
                .toolCall(tool("slow", ANYTHING), JavaSdkMcpServer::slow)
                .toolCall(tool("fail", ANYTHING), JavaSdkMcpServer::fail)
                .build();
        Server server = new Server();
        ServerConnector port = new ServerConnector(server);
        port.setHost("127.0.0.1");
        server.addConnector(port);
        ServletHolder servlet = new ServletHolder(provider);
        servlet.setAsyncSupported(true);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(servlet, "/*");
        server.setHandler(context);
        server.start();
        System.out.println("http://127.0.0.1:" + port.getLocalPort() + "/mcp");
    }

    private static McpSchema.Tool tool(String name, Map<String, Object> schema) {
        return McpSchema.Tool.builder(name, schema).description(name).build();
    }

    private static McpSchema.CallToolResult add(McpSyncServerExchange client, McpSchema.CallToolRequest call) {
        return text(String.valueOf(number(call, "a") + number(call, "b")));
    }

    private static int number(McpSchema.CallToolRequest call, String name) {
        return ((Number) Objects.requireNonNull(call.arguments().get(name))).intValue();
    }

    private static McpSchema.CallToolResult ask(McpSyncServerExchange client, McpSchema.CallToolRequest call) {
        McpSchema.ElicitResult answer = client.createElicitation(
                McpSchema.ElicitFormRequest.builder("Who?", NAME).build());
        return text(answer.action() + " " + answer.content());
    }

    private static McpSchema.CallToolResult slow(McpSyncServerExchange client, McpSchema.CallToolRequest call) {
        Object token = Objects.requireNonNull(call.meta()).get("progressToken");
        client.progressNotification(new McpSchema.ProgressNotification(token, 1.0, 2.0, "half", null));
        return text("done");
    }

    private static McpSchema.CallToolResult fail(McpSyncServerExchange client, McpSchema.CallToolRequest call) {
        throw new IllegalStateException("no luck today");
    }

    private static McpSchema.CallToolResult text(String text) {
        return McpSchema.CallToolResult.builder().addTextContent(text).build();
    }
}
