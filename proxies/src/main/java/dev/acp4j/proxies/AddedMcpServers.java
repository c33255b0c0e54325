package dev.acp4j.proxies;

import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Adds MCP servers to the sessions that a client opens.
 *
 * <pre>{@code
 * Proxy servers = AddedMcpServers.of(McpServer.Http.of("issues", "https://example.com/mcp", List.of()));
 * }</pre>
 *
 * <p>They come behind those of the client, whose names stay the client's. What the agent cannot connect to is left out,
 * and reported; behind a {@link dev.acp4j.mcp.McpBridge} it can connect to servers over HTTP in any case. Sessions that
 * the agent opens by itself, such as those of subagents, get none.
 */
@Unstable
public final class AddedMcpServers {
    private final Source source;
    private final List<Path> folders;
    private final Consumer<String> onNotice;
    private final OfferedByAgents agents = new OfferedByAgents();

    /** Servers that are looked up for each session, such as those in a file. */
    @FunctionalInterface
    public interface Source {
        /**
         * Returns the servers.
         *
         * @throws IOException when they cannot be read: the session is opened without them, which is reported
         */
        List<McpServer> servers() throws IOException;
    }

    private AddedMcpServers(Builder builder) {
        source = builder.source;
        folders = builder.folders;
        onNotice = builder.onNotice;
    }

    /** Returns a proxy that adds servers to each session. */
    public static Proxy of(McpServer... servers) {
        List<McpServer> all = List.of(servers);
        return builder(() -> all).build();
    }

    /**
     * Begins a proxy.
     *
     * @param source is asked for the servers when a session is opened
     */
    public static Builder builder(Source source) {
        return new Builder(source);
    }

    private Proxy proxy() {
        // One for all connections: what cannot be done is said once.
        Set<String> said = ConcurrentHashMap.newKeySet();
        return Proxy.builder("mcp", "1")
                .onRequest(AgentMethods.INITIALIZE, (params, hop) -> {
                    var answer = hop.forward();
                    if (!answer.isError()) {
                        agents.offers(hop.agent(), answer.result());
                    }
                    return answer;
                })
                .onRequest(
                        AgentMethods.NEW_SESSION,
                        (params, hop) -> hop.forward(params.toBuilder()
                                .mcpServers(with(params.mcpServers(), params.cwd(), hop, said))
                                .build()))
                .onRequest(
                        AgentMethods.LOAD_SESSION,
                        (params, hop) -> hop.forward(params.toBuilder()
                                .mcpServers(with(params.mcpServers(), params.cwd(), hop, said))
                                .build()))
                .onRequest(
                        AgentMethods.RESUME_SESSION,
                        (params, hop) -> hop.forward(params.toBuilder()
                                .mcpServers(with(params.mcpServers(), params.cwd(), hop, said))
                                .build()))
                .onRequest(
                        AgentMethods.FORK_SESSION,
                        (params, hop) -> hop.forward(params.toBuilder()
                                .mcpServers(with(params.mcpServers(), params.cwd(), hop, said))
                                .build()))
                .build();
    }

    private List<McpServer> with(List<McpServer> ofClient, String cwd, Hop hop, Set<String> said) {
        if (!isFor(cwd)) {
            return ofClient;
        }
        List<McpServer> all = new ArrayList<>(ofClient);
        try {
            for (McpServer server : source.servers()) {
                String name = name(server);
                if (all.stream().anyMatch(other -> name(other).equals(name))) {
                    say("The MCP server " + name + " is not added: the client has one of that name.", said);
                } else if (!canConnect(server, hop)) {
                    say("The MCP server " + name + " is not added: this agent cannot connect to it.", said);
                } else {
                    all.add(server);
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            onNotice.accept("MCP servers are missing in this session: " + e.getMessage());
        }
        return all;
    }

    private void say(String sentence, Set<String> said) {
        if (said.add(sentence)) {
            onNotice.accept(sentence);
        }
    }

    private boolean isFor(String cwd) {
        try {
            Path folder = Path.of(cwd).normalize();
            return folders.isEmpty() || folders.stream().anyMatch(folder::startsWith);
        } catch (InvalidPathException e) {
            return folders.isEmpty();
        }
    }

    private static String name(McpServer server) {
        return switch (server) {
            case McpServer.Stdio stdio -> stdio.name();
            case McpServer.Http http -> http.name();
            case McpServer.Sse sse -> sse.name();
            case McpServer.Acp acp -> acp.name();
            case McpServer.Unknown unknown -> "";
        };
    }

    private boolean canConnect(McpServer server, Hop hop) {
        return agents.of(hop.agent())
                .map(agent -> canConnect(server, agent, hop.version() == Version.V2))
                .orElse(server instanceof McpServer.Stdio);
    }

    private static boolean canConnect(McpServer server, InitializeResponse agent, boolean isVersion2) {
        if (isVersion2) {
            var session = agent.capabilities().session();
            var mcp = session == null ? null : session.mcp();
            return mcp != null
                    && switch (server) {
                        case McpServer.Stdio stdio -> mcp.stdio() != null;
                        case McpServer.Http http -> mcp.http() != null;
                        case McpServer.Acp acp -> mcp.acp() != null;
                        case McpServer.Sse sse -> false;
                        case McpServer.Unknown unknown -> false;
                    };
        }
        var mcp = agent.agentCapabilities().mcpCapabilities();
        return switch (server) {
            case McpServer.Stdio stdio -> true;
            case McpServer.Http http -> mcp.http();
            case McpServer.Sse sse -> mcp.sse();
            case McpServer.Acp acp -> mcp.acp();
            case McpServer.Unknown unknown -> false;
        };
    }

    /** Builds a proxy that adds servers. */
    public static final class Builder {
        private final Source source;
        private List<Path> folders = List.of();
        private Consumer<String> onNotice = Notices::log;

        private Builder(Source source) {
            this.source = Objects.requireNonNull(source);
        }

        /**
         * Adds the servers to sessions in these folders, and below them, only.
         *
         * @throws IllegalArgumentException when one is not absolute
         */
        public Builder in(Path... below) {
            for (Path folder : below) {
                if (!folder.isAbsolute()) {
                    throw new IllegalArgumentException("expected an absolute folder, got " + folder);
                }
            }
            folders = List.of(below).stream().map(Path::normalize).toList();
            return this;
        }

        /** Takes what a user should know, a sentence each, such as a server that was left out; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /** Builds the proxy. */
        public Proxy build() {
            return new AddedMcpServers(this).proxy();
        }
    }
}
