package dev.acp4j.mcp;

import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Requests of clients of MCP over HTTP, byte for byte. */
final class HttpPosts {
    private HttpPosts() {}

    /** What a request that stands alone has. */
    static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

    /** Posts a modern request, with one header instead of another, over a connection of its own. */
    static String post(McpServer.Http server, String method, String instead) throws IOException {
        return post(
                server,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + META + "}}",
                List.of("MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method),
                instead);
    }

    static String post(McpServer.Http server, String body, List<String> headers, String instead) throws IOException {
        URI uri = URI.create(server.url());
        StringBuilder request = new StringBuilder("POST " + uri.getPath() + " HTTP/1.1\r\n");
        List<String> standard = List.of(
                "Host: " + uri.getAuthority(),
                "Content-Type: application/json",
                "Accept: application/json, text/event-stream",
                "Authorization: " + server.headers().getFirst().value());
        for (List<String> some : List.of(standard, headers, List.of(instead))) {
            for (String header : some) {
                String name = header.substring(0, header.indexOf(':') + 1);
                if (!header.isEmpty() && (header.equals(instead) || name.isEmpty() || !instead.startsWith(name))) {
                    request.append(header).append("\r\n");
                }
            }
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        request.append("Connection: close\r\nContent-Length: ")
                .append(bytes.length)
                .append("\r\n\r\n");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort());
                OutputStream out = socket.getOutputStream();
                InputStream in = socket.getInputStream()) {
            out.write(request.toString().getBytes(StandardCharsets.UTF_8));
            out.write(bytes);
            out.flush();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Posts a modern call whose answer nobody reads yet. */
    static Socket posted(McpServer.Http server, String tool) throws IOException {
        String meta = META.replace("\"_meta\":{", "\"_meta\":{\"progressToken\":1,");
        return posted(
                server,
                request(1, "tools/call", "\"name\":\"" + tool + "\"," + meta),
                "Accept: */*\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " + tool);
    }

    static Socket posted(McpServer.Http server, String body, String headers) throws IOException {
        URI uri = URI.create(server.url());
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort());
        String request = "POST " + uri.getPath() + " HTTP/1.1\r\nHost: " + uri.getAuthority()
                + "\r\nContent-Type: application/json\r\nAuthorization: "
                + server.headers().getFirst().value() + "\r\n" + headers + "\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body;
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    static String request(int id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":{" + params + "}}";
    }
}
