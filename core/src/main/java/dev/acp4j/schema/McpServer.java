package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import dev.acp4j.schema.codec.Required;
import dev.acp4j.schema.codec.Tag;
import dev.acp4j.schema.codec.Tagged;
import java.util.List;
import java.util.Objects;

/**
 * The connection to a server of the Model Context Protocol, whose tools the agent may use. Each session has its own
 * servers.
 *
 * <p>Every agent accepts {@link Stdio}; the others require {@link McpCapabilities}.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers">MCP servers</a>
 */
@Codable
@Tagged(value = "type", untagged = McpServer.Stdio.class, untaggedIn = 1)
public sealed interface McpServer {
    /**
     * A server that the agent starts as a process and connects to over standard input and output. On the wire it is the
     * variant without a type.
     *
     * @param name the name of the server
     * @param command the program, an absolute path
     * @param args the arguments, not parsed by any shell
     * @param env variables to set for the process
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#stdio-transport">Stdio transport</a>
     */
    @Codable
    @Tag("stdio")
    record Stdio(
            String name,
            String command,
            @Required(1) List<String> args,
            @Required(1) List<EnvVariable> env,
            Rest rest) implements McpServer, Extensible {
        @Evolving
        public Stdio {
            Objects.requireNonNull(name, "name is null");
            Objects.requireNonNull(command, "command is null");
            args = List.copyOf(args);
            env = List.copyOf(env);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a server with this command. */
        public static Stdio of(String name, String command, List<String> args, List<EnvVariable> env) {
            return new Stdio(name, command, args, env, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Stdio withMeta(Meta meta) {
            return new Stdio(name, command, args, env, rest.withMeta(meta));
        }
    }

    /**
     * A server reached over HTTP. Only for agents with {@link McpCapabilities#http()}.
     *
     * @param name the name of the server
     * @param url the address
     * @param headers headers to send with each request, such as {@code Authorization}
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#http-transport">HTTP transport</a>
     */
    @Codable
    @Tag("http")
    record Http(String name, String url, @Required(1) List<HttpHeader> headers, Rest rest)
            implements McpServer, Extensible {
        @Evolving
        public Http {
            Objects.requireNonNull(name, "name is null");
            Objects.requireNonNull(url, "url is null");
            headers = List.copyOf(headers);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a server at this address. */
        public static Http of(String name, String url, List<HttpHeader> headers) {
            return new Http(name, url, headers, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Http withMeta(Meta meta) {
            return new Http(name, url, headers, rest.withMeta(meta));
        }
    }

    /**
     * A server that is reached over HTTP with server-sent events, a transport that MCP has since deprecated. Only for
     * agents with {@link McpCapabilities#sse()}.
     *
     * @param name the name of the server
     * @param url the address of the stream of events
     * @param headers headers to send when the stream is opened
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#sse-transport">SSE transport</a>
     */
    @Codable
    @Tag("sse")
    @In(1)
    record Sse(String name, String url, List<HttpHeader> headers, Rest rest) implements McpServer, Extensible {
        @Evolving
        public Sse {
            Objects.requireNonNull(name, "name is null");
            Objects.requireNonNull(url, "url is null");
            headers = List.copyOf(headers);
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a server at this address. */
        public static Sse of(String name, String url, List<HttpHeader> headers) {
            return new Sse(name, url, headers, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Sse withMeta(Meta meta) {
            return new Sse(name, url, headers, rest.withMeta(meta));
        }
    }

    /**
     * A server that a component of this connection has, reached with {@code mcp/message}. Only for agents with
     * {@link McpCapabilities#acp()}.
     *
     * @param name the name of the server
     * @param serverId the server
     * @param rest extension data and unknown members
     * @see <a href="https://agentclientprotocol.com/rfds/mcp-over-acp">MCP over ACP</a>
     */
    @Codable
    @Tag("acp")
    @Draft
    @Unstable
    record Acp(String name, McpServerAcpId serverId, Rest rest) implements McpServer, Extensible {
        @Evolving
        public Acp {
            Objects.requireNonNull(name, "name is null");
            Objects.requireNonNull(serverId, "serverId is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the server with these members. */
        public static Acp of(String name, McpServerAcpId serverId) {
            return new Acp(name, serverId, Rest.NONE);
        }

        /** Returns a copy with other extension data. */
        public Acp withMeta(Meta meta) {
            return new Acp(name, serverId, rest.withMeta(meta));
        }
    }

    /**
     * A server with a transport unknown to this version of the library. It may contain secrets, so {@link #toString()}
     * omits its members.
     *
     * @param type the unknown type
     * @param raw the original JSON object, which is written unchanged
     */
    record Unknown(String type, RawJson raw) implements McpServer {
        public Unknown {
            Objects.requireNonNull(type, "type is null");
            Objects.requireNonNull(raw, "raw is null");
        }

        /** Returns the type only. */
        @Override
        public String toString() {
            return "Unknown[type=" + type + "]";
        }
    }
}
