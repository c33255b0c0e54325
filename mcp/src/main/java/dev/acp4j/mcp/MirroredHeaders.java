package dev.acp4j.mcp;

import com.sun.net.httpserver.Headers;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The headers by which what stands between a client and a server routes a request without reading its body. A modern
 * request repeats in them what its body says, and both must be the same: else one program acts on what another has not
 * seen.
 */
final class MirroredHeaders {
    /** Which of them may come once only: readers would take different ones. */
    private static final List<String> SINGLE = List.of(
            "Host",
            "Origin",
            "Authorization",
            "Content-Type",
            "MCP-Protocol-Version",
            "Mcp-Method",
            "Mcp-Name",
            "Mcp-Session-Id");

    /** What the body names by the header {@code Mcp-Name}. */
    private static final Map<String, String> NAMED =
            Map.of("tools/call", "name", "prompts/get", "name", "resources/read", "uri");

    private static final String BEGIN = "=?base64?";
    private static final String END = "?=";

    private MirroredHeaders() {}

    /** Whether one that decides where a request goes was sent more than once. */
    static boolean areAmbiguous(Headers headers) {
        return SINGLE.stream().map(headers::get).filter(Objects::nonNull).anyMatch(values -> values.size() > 1);
    }

    /** Returns the value of a header; empty if there is none. */
    static String get(Headers headers, String name) {
        return Objects.requireNonNullElse(headers.getFirst(name), "");
    }

    /**
     * Compares the headers of a modern request with its body.
     *
     * @throws RpcError when they differ, or the request does not stand alone
     */
    static void check(Headers headers, Message message, Members params) {
        String version = params.object("_meta").text(Face.VERSION);
        if (version != null) {
            // Before the version itself is judged: what stands between has read the other one.
            same("MCP-Protocol-Version", get(headers, "MCP-Protocol-Version"), version);
        }
        Face.check(params);
        same("Mcp-Method", get(headers, "Mcp-Method"), message.method());
        String member = NAMED.get(message.method());
        if (member != null) {
            same("Mcp-Name", decoded(get(headers, "Mcp-Name")), params.text(member, ""));
        }
    }

    private static void same(String name, String header, String value) {
        if (!header.equals(value)) {
            throw new RpcError(
                    Link.HEADER_MISMATCH, "the header " + name + " is missing, or not what the body says: " + value);
        }
    }

    private static String decoded(String header) {
        if (!header.startsWith(BEGIN) || !header.endsWith(END) || header.length() < BEGIN.length() + END.length()) {
            return header;
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(header.substring(BEGIN.length(), header.length() - END.length()));
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return header;
        }
    }

    /** Returns the tools of a list without the demand to repeat arguments in headers: nothing here would read them. */
    static RawJson withoutDemands(RawJson list) {
        Members result = Members.of(list);
        List<RawJson> tools = result.list("tools");
        if (tools.stream().noneMatch(tool -> tool.toString().contains(ParameterHeaders.MARK))) {
            return list;
        }
        return result.with(
                        "tools",
                        Link.array(tools.stream()
                                .map(MirroredHeaders::withoutDemand)
                                .toList()))
                .json();
    }

    private static RawJson withoutDemand(RawJson tool) {
        Members members = Members.of(tool);
        RawJson schema = members.raw("inputSchema");
        return schema == null
                ? tool
                : members.with("inputSchema", ParameterHeaders.without(schema)).json();
    }
}
