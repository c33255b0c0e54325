package dev.acp4j.mcp;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.HttpHeader;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The MCP servers that a user has configured, for {@link dev.acp4j.SessionSetup#withMcpServers}. Reads the files that
 * many clients have, such as {@code .mcp.json}:
 *
 * <pre>{@code
 * {"mcpServers": {
 *   "files": {"command": "npx", "args": ["-y", "some-server", "${HOME}/src"], "env": {"MODE": "fast"}},
 *   "issues": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}
 * }</pre>
 *
 * <p>A server with {@code "disabled": true} is left out. <code>${NAME}</code> and <code>${NAME:-default}</code> stand
 * for variables of the environment. Reading starts nothing. A file of a project that was cloned names commands that the
 * agent will run: read it only when the user asks for it. Immutable.
 */
public final class McpConfig {
    /** What the client of a server sets by itself. */
    private static final Set<String> OF_CONNECTION =
            Set.of("connection", "content-length", "expect", "host", "upgrade");

    private final Map<String, McpServer> servers;

    private McpConfig(Map<String, McpServer> servers) {
        this.servers = servers;
    }

    /** Returns a configuration without servers. */
    public static McpConfig empty() {
        return new McpConfig(Map.of());
    }

    /**
     * Reads a file.
     *
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when it is no configuration, or mentions a variable that does not exist; the
     *     message names the file and the place
     */
    public static McpConfig read(Path file) throws IOException {
        try {
            return parse(Files.readString(file), System.getenv());
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(file + ": expected text in UTF-8", e);
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            // Such as that it is a folder, which the JDK says without its name.
            throw new IOException(file + ": " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads a configuration.
     *
     * @param text the JSON
     * @param environment the variables that it may mention
     * @throws IllegalArgumentException when it is no configuration, or mentions a variable that does not exist
     */
    public static McpConfig parse(String text, Map<String, String> environment) {
        Members all;
        try {
            all = Members.of(RawJson.parse(text));
        } catch (JsonException e) {
            throw new IllegalArgumentException(place(text, e.offset()) + ": " + e.messageWithoutValue(), e);
        }
        RawJson named = all.raw("mcpServers");
        if (named == null || named.reader().kind() != JsonReader.Kind.OBJECT) {
            throw new IllegalArgumentException("expected an object with the member \"mcpServers\"");
        }
        Map<String, McpServer> servers = new LinkedHashMap<>();
        Members.of(named).all().forEach((name, server) -> {
            if (Members.of(server).isTrue("disabled")) {
                return;
            }
            try {
                servers.put(name, server(name, Members.of(server), environment));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        place(text, server.from()) + ": the server \"" + name + "\": " + e.getMessage(), e);
            }
        });
        return new McpConfig(servers);
    }

    /** Returns line and column of a byte, both counted from 1. */
    private static String place(String text, int offset) {
        int line = 1;
        int column = 1;
        byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        for (int i = 0; i < Math.min(offset, bytes.length); i++) {
            if (bytes[i] == '\n') {
                line++;
                column = 1;
            } else if ((bytes[i] & 0xc0) != 0x80) {
                column++;
            }
        }
        return "line " + line + ", column " + column;
    }

    private static McpServer server(String name, Members of, Map<String, String> environment) {
        String command = of.text("command");
        String url = of.text("url");
        String type = of.text("type", command == null ? "http" : "stdio").toLowerCase(Locale.ROOT);
        return switch (type) {
            case "stdio" -> stdio(name, of, required(command, "command"), environment);
            case "http", "streamable-http", "streamablehttp" ->
                McpServer.Http.of(name, address(required(url, "url"), environment), headers(of, environment));
            case "sse" -> McpServer.Sse.of(name, address(required(url, "url"), environment), headers(of, environment));
            default -> throw new IllegalArgumentException("the type \"" + type + "\" is not known");
        };
    }

    private static String required(@Nullable String value, String member) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("expected a text as \"" + member + "\"");
        }
        return value;
    }

    private static McpServer stdio(String name, Members of, String command, Map<String, String> environment) {
        expect(of, "args", JsonReader.Kind.ARRAY, "an array");
        expect(of, "env", JsonReader.Kind.OBJECT, "an object");
        List<String> arguments = new ArrayList<>();
        for (RawJson argument : of.list("args")) {
            arguments.add(expanded(text(argument, "args"), environment));
        }
        List<EnvVariable> variables = new ArrayList<>();
        of.object("env")
                .all()
                .forEach((key, value) ->
                        variables.add(EnvVariable.of(key, expanded(text(value, "env." + key), environment))));
        return McpServer.Stdio.of(name, expanded(command, environment), arguments, variables);
    }

    private static void expect(Members of, String member, JsonReader.Kind kind, String expected) {
        RawJson value = of.raw(member);
        if (value != null && value.reader().kind() != kind) {
            throw new IllegalArgumentException("expected " + expected + " as \"" + member + "\"");
        }
    }

    private static String text(RawJson value, String member) {
        if (value.reader().kind() != JsonReader.Kind.STRING) {
            throw new IllegalArgumentException("expected texts in \"" + member + "\"");
        }
        return value.reader().string();
    }

    private static String address(String url, Map<String, String> environment) {
        String whole = expanded(url, environment);
        String problem = HttpTransport.problem(whole);
        if (problem != null) {
            throw new IllegalArgumentException("url: " + problem);
        }
        return whole;
    }

    private static List<HttpHeader> headers(Members of, Map<String, String> environment) {
        expect(of, "headers", JsonReader.Kind.OBJECT, "an object");
        List<HttpHeader> headers = new ArrayList<>();
        of.object("headers")
                .all()
                .forEach((key, value) ->
                        headers.add(header(key, expanded(text(value, "headers." + key), environment))));
        return headers;
    }

    /** Returns a header that can be sent. No message has the value, which may be a secret. */
    private static HttpHeader header(String name, String value) {
        if (name.isEmpty() || !name.chars().allMatch(ParameterHeaders::isOfToken)) {
            throw new IllegalArgumentException("\"" + name + "\" is not the name of a header");
        }
        if (OF_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("the header " + name + " is set by the HTTP client and cannot be given");
        }
        if (!value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c <= 0xff && c != 0x7f))) {
            throw new IllegalArgumentException("the value of the header " + name
                    + " has a line break or another character that no header can have");
        }
        return HttpHeader.of(name, value);
    }

    /**
     * Returns a text with the variables that it mentions put in, as in a file.
     *
     * @throws IllegalArgumentException when it mentions a variable that does not exist
     */
    public static String expanded(String text, Map<String, String> environment) {
        StringBuilder whole = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            int begin = text.indexOf("${", at);
            int end = begin < 0 ? -1 : text.indexOf('}', begin);
            if (end < 0) {
                return whole.append(text, at, text.length()).toString();
            }
            whole.append(text, at, begin).append(variable(text.substring(begin + 2, end), environment));
            at = end + 1;
        }
        return whole.toString();
    }

    private static String variable(String reference, Map<String, String> environment) {
        int colon = reference.indexOf(":-");
        String name = colon < 0 ? reference : reference.substring(0, colon);
        String value = environment.get(name);
        if (colon >= 0 && (value == null || value.isEmpty())) {
            return reference.substring(colon + 2);
        }
        if (value == null) {
            throw new IllegalArgumentException("the variable " + name + " is not set");
        }
        return value;
    }

    /**
     * Returns this configuration with a server as a user writes it on a command line: {@code files=npx -y some-server}
     * or {@code issues=https://example.com/mcp}. A server of the same name is replaced.
     *
     * @throws IllegalArgumentException when the text is neither
     */
    public McpConfig with(String text) {
        int equals = text.indexOf('=');
        if (equals < 1 || equals == text.length() - 1) {
            throw new IllegalArgumentException("expected NAME=COMMAND or NAME=URL");
        }
        String name = text.substring(0, equals);
        String value = text.substring(equals + 1).strip();
        if (value.startsWith("http://") || value.startsWith("https://")) {
            return with(McpServer.Http.of(name, address(value, Map.of()), List.of()));
        }
        Launch launch = Launch.parse(value);
        List<EnvVariable> variables = new ArrayList<>();
        launch.declared().forEach((key, setting) -> variables.add(EnvVariable.of(key, setting)));
        return with(McpServer.Stdio.of(name, launch.command(), launch.arguments(), variables));
    }

    /** Returns this configuration with a server, in the place of one of the same name. */
    public McpConfig with(McpServer server) {
        Map<String, McpServer> all = new LinkedHashMap<>(servers);
        all.put(ConnectedServer.nameOf(server), server);
        return new McpConfig(all);
    }

    /** Returns this configuration with the servers of another one, which win over those of the same names. */
    public McpConfig and(McpConfig other) {
        Map<String, McpServer> all = new LinkedHashMap<>(servers);
        all.putAll(other.servers);
        return new McpConfig(all);
    }

    /**
     * Returns this configuration with a header for a server over HTTP.
     *
     * @throws IllegalArgumentException when there is no such server, or the header cannot be sent; the message has no
     *     value
     */
    public McpConfig withHeader(String server, String header, String value) {
        HttpHeader added = header(header, value);
        return with(
                switch (servers.get(server)) {
                    case McpServer.Http http -> McpServer.Http.of(server, http.url(), and(http.headers(), added));
                    case McpServer.Sse sse -> McpServer.Sse.of(server, sse.url(), and(sse.headers(), added));
                    case null, default ->
                        throw new IllegalArgumentException("there is no MCP server over HTTP named \"" + server + "\"");
                });
    }

    private static List<HttpHeader> and(List<HttpHeader> headers, HttpHeader added) {
        List<HttpHeader> all = new ArrayList<>(headers);
        all.add(added);
        return all;
    }

    /** Returns the servers, in the order of the configuration. */
    public List<McpServer> servers() {
        return List.copyOf(servers.values());
    }

    /** Returns which server an agent does not take, in one sentence; empty when it takes all. */
    public Optional<String> unsupported(ConnectedAgent agent) {
        for (McpServer server : servers.values()) {
            Feature needed = needed(server);
            if (!agent.supports(needed)) {
                return Optional.of("the agent does not offer " + needed + ", which the server \""
                        + ConnectedServer.nameOf(server) + "\" needs");
            }
        }
        return Optional.empty();
    }

    private static Feature needed(McpServer server) {
        return switch (server) {
            case McpServer.Stdio stdio -> Feature.MCP_STDIO;
            case McpServer.Http http -> Feature.MCP_HTTP;
            case McpServer.Sse sse -> Feature.MCP_SSE;
            case McpServer.Acp acp -> Feature.MCP_ACP;
            case McpServer.Unknown unknown ->
                throw new IllegalArgumentException("no agent is known to take " + unknown.type());
        };
    }

    /** Returns the names of the servers. */
    @Override
    public String toString() {
        return servers.keySet().toString();
    }
}
